// Package gpt4all reads the chats of GPT4All: gpt4all-<id>.chat, a binary file each, a QDataStream
// behind a magic number and a version. Versions 1 to 12 are known ("chat-1" … "chat-12"); a newer
// one is quarantined as such.
//
// A file becomes one unit of JSON that has every value under the program's own name for it, except
// the state of the model, of which only the size is kept, and counted as skipped. The file is not
// built again from it.
package gpt4all

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

const (
	app      = "gpt4all"
	version  = "gpt4all-importer/2026.11"
	roleChat = "chat"
)

// magic is what a file begins with.
var magic = []byte{0xF5, 0xD5, 0x53, 0xCC}

// fileName is the name that the program gives a chat.
var fileName = regexp.MustCompile(`^gpt4all-.+\.chat$`)

// New makes the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: app, Release: version, File: "gpt4all.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeUnit: decodeUnit, RestoreElement: restoreElement,
	}
}

// claimMembers takes files by their magic number, and those that cannot be looked at by their name.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	err := localapp.LookInto(ctx, members, peek, importer.Shape.Other, func(m archive.Member, s importer.Shape, prefix []byte, err error) {
		named := fileName.MatchString(path.Base(m.Name))
		switch {
		case err == nil && bytes.HasPrefix(prefix, magic), err != nil && named:
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleChat})
		case err == nil && named && !s.Empty:
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "a chat of GPT4All from before its files had a version in them; open it in the program once, which writes it anew"})
		}
	})
	return c, err
}

// splitMember reads each file as JSON.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	raw, at, err := read(ctx, u)
	if ctx.Err() != nil {
		return yield(importer.Unit{}, ctx.Err())
	}
	if err != nil {
		u.Err = quarantine(u, at, err)
		return yield(u, nil)
	}
	u.Raw = raw
	return yield(u, nil)
}

// read reads a member to its end, whatever is in it, so that whoever hashes what is read has all of
// it.
func read(ctx context.Context, u importer.Unit) (raw []byte, at int64, err error) {
	r, err := u.Member.Open(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		_, _ = io.Copy(io.Discard, r)
		_ = r.Close() // only read
	}()
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, 0, short(err)
	}
	if !bytes.Equal(head, magic) {
		return nil, 0, malformed{"the file does not begin as a chat does"}
	}
	return readChat(r, u.Limits.MaxConversation)
}

// quarantine says why a file cannot be read.
func quarantine(u importer.Unit, at int64, err error) *importer.UnitError {
	e := &importer.UnitError{Member: u.Member.Name, Offset: at, Size: max(u.Member.Size, 0)}
	var odd malformed
	var unknown unknownVersion
	switch {
	case errors.Is(err, errShort):
		e.Code, e.Reason = cut.CodeTruncated, fmt.Sprintf("the file ends at byte %d inside a value", at)
	case errors.Is(err, errLarge):
		e.Code, e.Reason = cut.CodeTooBig, fmt.Sprintf("what stands in the file is larger than the limit of %d bytes; raise limits.max_conversation to read it", u.Limits.MaxConversation)
	case errors.As(err, &unknown):
		e.Code, e.Reason = "unknown_version", unknown.Error()
	case errors.As(err, &odd):
		e.Code, e.Reason = cut.CodeSyntax, fmt.Sprintf("%s, before byte %d", odd.what, at)
	default:
		e.Code, e.Reason = cut.CodeUnread, "the file cannot be read to its end: "+err.Error()
	}
	return e
}

func restoreElement(dst []byte, _ *pamio.Conversation) ([]byte, error) {
	return dst, fmt.Errorf("restore chat of GPT4All: %w", importer.ErrNoInverse)
}
