// Package sillytavern reads the chats of SillyTavern: JSON Lines, chats/<character>/<name>.jsonl and group chats/<id>.jsonl,
// a header and then a message a line. The lines are joined to one unit, {"header": …, "messages": [ … ]}, byte for byte; a
// line that is broken is quarantined alone.
//
// The swipes of a message, of which one is selected, become siblings. The forms are told apart by how dates are written:
// milliseconds ("dates-millis"), ISO 8601 ("dates-iso"), or the person's own clock without a zone ("dates-text", "dates-named"),
// which is read as UTC and flagged. Older group chats have no header.
package sillytavern

import (
	"context"
	"errors"
	"iter"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

const (
	app     = "sillytavern"
	version = "sillytavern-importer/2026.11"
)

type sillytavern struct{}

// New makes the importer.
func New() importer.Importer { return sillytavern{} }

func (sillytavern) Name() string        { return app }
func (sillytavern) Version() string     { return version }
func (sillytavern) RestoreFile() string { return "sillytavern.json" }

func (sillytavern) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if s := schemas[doc.Provider.ExportFormatVersion]; s != nil {
		return s.Restore(dst, doc)
	}
	return schemas[datesISO].Restore(dst, doc)
}

// Split joins the lines of each chat.
func (sillytavern) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return localapp.Split(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
		if u.Role == roleGroup {
			return cut.File(ctx, u, yield)
		}
		return chat(ctx, u, yield)
	})
}

// chat yields one chat, and the lines of it that are broken.
func chat(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	raw := []byte{'{'}
	lines, messages := 0, 0
	more, err := localapp.Lines(ctx, u, func(line []byte) {
		lines++
		if lines == 1 && isHeader(line) {
			raw = append(append(raw, `"header":`...), line...)
			return
		}
		switch messages++; {
		case messages > 1:
			raw = append(raw, ',')
		case lines > 1:
			raw = append(raw, `,"messages":[`...)
		default:
			raw = append(raw, `"messages":[`...)
		}
		raw = append(raw, line...)
	}, func(bad importer.Unit) bool { return yield(bad, nil) })
	switch {
	case !more:
		return false
	case errors.As(err, &u.Err):
		return yield(u, nil)
	case err != nil:
		return yield(importer.Unit{}, err)
	case lines == 0:
		return true // nothing but lines that were reported
	case messages > 0:
		raw = append(raw, ']')
	}
	u.Raw = append(raw, '}')
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
