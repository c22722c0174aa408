package gemini

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// Roles of units. Those of claimed members are in claim.go.
const (
	roleRows   = "rows"   // rows of one conversation, a JSON list, oldest first
	roleCells  = "cells"  // cells of one conversation: {"cell": HTML} each, oldest first
	roleEvent  = "event"  // one event of no conversation: a row or a cell
	roleGem    = "gem"    // one Gem or scheduled action
	roleReport = "report" // what was counted: {"code": …, "count": …}
)

// Decode makes the items of a unit.
func (imp Importer) Decode(u importer.Unit) ([]importer.Item, error) {
	switch u.Role {
	case roleRows:
		return imp.decodeRows(u)
	case roleCells:
		return decodeCells(u)
	case roleEvent:
		return imp.decodeEvent(u)
	case roleGem:
		return decodeGem(u)
	case roleReport:
		return decodeReport(u)
	}
	return nil, lossless.Fail(u, "unknown_role", "no unit of this importer has the role of this one")
}

// unitContext is Unit.Context.
type unitContext struct {
	assets *assets
	// occurrence counts conversations without an id whose prompts are alike, from 1.
	occurrence int
}

// turns makes the messages of a conversation, in either form of the export.
type turns struct {
	b          *lossless.Builder
	dir        string // of the log
	assets     *assets
	seen       map[string]int
	firstTitle string
}

func newTurns(b *lossless.Builder, u importer.Unit) *turns {
	t := &turns{b: b, dir: path.Dir(u.Member.Name), seen: map[string]int{}}
	if c, ok := u.Context.(unitContext); ok {
		t.assets = c.assets
	}
	return t
}

// turn is one exchange.
type turn struct {
	item
	answer   string
	answered bool
	extras
}

// add makes the messages of one exchange: the prompt, and the answer if there is one. The prompt is
// the primary one: what is left of the row is kept with it.
func (t *turns) add(o *lossless.Object, x turn) (prompt, answer *lossless.Message) {
	key := x.key()
	t.seen[key]++
	prompt = o.Add(messageID(key, t.seen[key]), normalize.RoleUser)
	prompt.Text(x.prompt)
	prompt.Time = x.at
	if x.answered {
		answer = o.Add(answerID(prompt.ID), normalize.RoleAssistant)
		answer.Text(x.answer)
		answer.Time = x.at
	} else {
		prompt.NoteJSON(noteNoAnswer, []byte("true"))
	}
	o.Primary(prompt)

	given, shown := x.files, []file(nil)
	for _, local := range x.shown {
		at := -1
		for i, f := range given {
			if f.local == local {
				at = i
			}
		}
		if at < 0 {
			shown = append(shown, file{path.Base(local), local})
			continue
		}
		shown = append(shown, given[at])
		given = append(append([]file(nil), given[:at]...), given[at+1:]...)
	}
	find := func(local string) (string, bool) { return t.assets.find(t.dir, local) }
	var missing, more int
	prompt.Attachments, missing = attach(given, find)
	source := prompt
	if answer != nil {
		answer.Attachments, more = attach(shown, find)
		source = answer
	}
	if missing+more > 0 {
		t.b.Anomalies[importer.AnomalyAssetMissing] += missing + more
	}
	source.Citations = x.citations
	if x.gem != "" {
		prompt.Note(noteGem, x.gem)
	}
	if t.firstTitle == "" {
		t.firstTitle = title(x.prompt)
	}
	return prompt, answer
}

// finish names the conversation and gives its snapshot.
func (t *turns) finish(u importer.Unit, first item, format string) (*importer.Snapshot, error) {
	b := t.b
	b.Doc.Provider.ExportFormatVersion = format
	if t.firstTitle != "" {
		title := t.firstTitle // a pointer into t would hold all of the source
		b.Doc.Title = &title
	}
	occurrence := 1
	if c, ok := u.Context.(unitContext); ok {
		occurrence = c.occurrence
	}
	if id := first.conversation(); id != "" {
		b.ID(id)
	} else {
		b.DerivedID(name, conversationKey(first.key(), occurrence))
	}
	if len(first.ids) > 1 {
		list := []byte{'['}
		for i, id := range first.ids {
			if i > 0 {
				list = append(list, ',')
			}
			list = pamio.AppendString(list, id)
		}
		b.NoteJSON(noteIDs, append(list, ']'))
	}
	snap, err := b.Finish()
	if err != nil {
		return nil, fmt.Errorf("read conversation of unit %s: %w", strconv.Itoa(u.Index), err)
	}
	return snap, nil
}

// maxTitle is how long a title made of a prompt may be, in characters.
const maxTitle = 80

// title is the beginning of a prompt, cut between words.
func title(prompt string) string {
	s := strings.Join(strings.Fields(prompt[:min(len(prompt), 8*maxTitle)]), " ")
	s = strings.ToValidUTF8(s, "") // a character that was cut
	if utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	cut := string([]rune(s)[:maxTitle])
	if i := strings.LastIndexByte(cut, ' '); i > maxTitle/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
