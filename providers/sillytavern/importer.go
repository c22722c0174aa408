// Package sillytavern reads the chats of SillyTavern: JSON Lines, chats/<character>/<name>.jsonl
// and group chats/<id>.jsonl, a header and then a message a line. The lines are joined to one unit,
// {"header": …, "messages": [ … ]}, byte for byte; a line that is broken is quarantined alone.
//
// The swipes of a message, of which one is selected, become siblings. The forms are told apart by
// how dates are written: milliseconds ("dates-millis"), ISO 8601 ("dates-iso"), or the person's own
// clock without a zone ("dates-text", "dates-named"), which is read as UTC and flagged. Older group
// chats have no header.
package sillytavern

import (
	"bytes"
	"context"
	"slices"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

const (
	app     = "sillytavern"
	version = "sillytavern-importer/2026.11"
)

// New makes the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: app, Release: version, File: "sillytavern.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, DecodeElement: decodeElement, RestoreElement: schemas.RestoreOr(datesISO),
	}
}

// splitMember joins the lines of each chat.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	if u.Role == roleGroup {
		return cut.Text(ctx, u, yield)
	}
	return chat(ctx, u, yield)
}

// chat yields one chat, and the lines of it that are broken.
func chat(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	lines, more := localapp.Lines(ctx, u, 1, yield)
	if !more || lines == nil {
		return more // what is wrong with it was reported
	}
	first, err := jsonscan.NewFramer(bytes.NewReader(lines), jsonscan.FrameOptions{}).Next(nil)
	switch messages := lines[int(first.Offset)+len(first.Raw):]; {
	case err != nil || !isHeader(first.Raw):
		u.Raw = slices.Concat([]byte(`{"messages":`), lines, []byte("}"))
	case len(messages) == 1:
		u.Raw = slices.Concat([]byte(`{"header":`), first.Raw, []byte("}"))
	default:
		u.Raw = slices.Concat([]byte(`{"header":`), first.Raw, []byte(`,"messages":[`), messages[1:], []byte("}"))
	}
	return yield(u, nil)
}

// isHeader tells the first line of a chat from a message.
func isHeader(line []byte) bool {
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		return false
	}
	n := d.Root()
	return !n.Get("mes").Exists() && (n.Get("chat_metadata").Exists() || n.Get("user_name").Exists() || n.Get("character_name").Exists())
}
