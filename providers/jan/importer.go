// Package jan reads the threads of Jan: a folder each, threads/<id>/, with thread.json and
// messages.jsonl. The two are joined to one unit, {"thread": …, "messages": [ … ]}, whose parts are
// byte for byte those of the files; a thread without messages and messages without a thread are
// units, too.
//
// Two forms of messages are known: with "created" in milliseconds ("created"), and with
// "created_at" in seconds or milliseconds ("created_at").
package jan

import (
	"bytes"
	"context"
	"errors"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

const (
	app     = "jan"
	version = "jan-importer/2026.11"
)

// New makes the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: app, Release: version, File: "jan.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeElement: decodeElement, RestoreElement: schemas.RestoreOr(formatCreatedAt),
	}
}

// splitMember joins the two files of each thread.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	joined, _ := u.Context.(*threads)
	switch {
	case u.Role == roleAssistant:
		return cut.Text(ctx, u, yield)
	case u.Role == roleThread && joined.taken[u.Member.Index]:
		return true // with its messages
	}
	return unit(ctx, u, joined, yield)
}

// unit yields one thread, and the lines of it that are broken.
func unit(ctx context.Context, u importer.Unit, joined *threads, yield func(importer.Unit, error) bool) bool {
	raw := []byte{'{'}
	thread, has := u.Member, u.Role == roleThread
	if !has {
		thread, has = joined.of[u.Member.Index]
	}
	if has {
		text, more := threadText(ctx, u, thread, yield)
		if !more {
			return false
		}
		if text != nil {
			raw = append(append(raw, `"thread":`...), text...)
		}
	}
	if u.Role == roleMessages {
		messages, more := localapp.Lines(ctx, u, 1, yield)
		if !more || messages == nil {
			return more // what is wrong with it was reported
		}
		if len(raw) > 1 {
			raw = append(raw, ',')
		}
		raw = append(append(raw, `"messages":`...), messages...)
	}
	if len(raw) == 1 {
		return true // a thread without messages that cannot be read, which was reported
	}
	u.Raw = append(raw, '}')
	return yield(u, nil)
}

// threadText reads thread.json; nil for one that is broken, which is reported.
func threadText(ctx context.Context, u importer.Unit, m archive.Member, yield func(importer.Unit, error) bool) (text []byte, more bool) {
	u.Member, u.Role = m, roleThread
	text, err := cut.ReadAll(ctx, u)
	if err != nil {
		return nil, refuse(ctx, u, err, yield)
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	d, err := jsonscan.Parse(text, u.Limits.MaxDepth)
	var syn *jsonscan.SyntaxError
	switch {
	case errors.As(err, &syn):
		err = lossless.Fail(u, cut.CodeSyntax, "the file is not JSON: %s at byte %d; the messages of the thread were read without it", syn.Reason, syn.Offset)
	case err == nil && d.Root().Kind() != jsonscan.Object:
		err = lossless.Fail(u, cut.CodeSyntax, "the file is no JSON object; the messages of the thread were read without it")
	}
	if err != nil {
		return nil, refuse(ctx, u, err, yield)
	}
	return text, true
}

// refuse yields a unit that cannot be read.
func refuse(ctx context.Context, u importer.Unit, err error, yield func(importer.Unit, error) bool) bool {
	switch {
	case ctx.Err() != nil:
		return yield(importer.Unit{}, ctx.Err())
	case !errors.As(err, &u.Err):
		u.Err = lossless.Fail(u, cut.CodeUnread, "the file cannot be read to its end: %v", err)
	}
	return yield(u, nil)
}
