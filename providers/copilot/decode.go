package copilot

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// row is one row of a run.
type row struct {
	node  jsonscan.Node
	index int
	cells int

	title, time, author, text string
	hasTitle, hasText         bool

	at    moment
	dated bool
	role  string
	known bool // the role
}

// decodeElement makes the conversation of a run of rows.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	c, ok := readHeader([]byte(src.Root.Get("header").Str()), true)
	list := src.Root.Get("rows")
	if !ok || list.Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the rows have no columns of a time and of a message")
	}
	rows := readRows(c, src.Root)
	if len(rows) == 0 {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the unit has no rows")
	}
	if newestFirst(rows) {
		var err error
		u.Raw = turned(src.Root)
		if src, err = lossless.Parse(u); err != nil {
			return nil, err
		}
		rows = reversed(rows, src.Root.Get("rows"))
	}
	b := schema.New(src, Provider)
	b.Doc.Provider.ExportFormatVersion = c.format
	if c.format == formatUnknown {
		b.Unknown("unknown_columns")
	}
	name(b, c, rows)
	mapped := 0
	ids := messageIDs{conversation: b.Doc.ID, seen: map[string]int{}}
	for i := range rows {
		mapped += message(b, c, &rows[i], ids.next(rows[i]))
	}
	notes(b, src.Root, rows)
	snap, err := b.Finish()
	if err != nil {
		return nil, fmt.Errorf("read run of rows: %w", err)
	}
	snap.Loss = normalize.Loss{Mapped: mapped}
	for _, r := range rows {
		snap.Loss.Raw += r.cells
	}
	snap.Loss.Raw -= mapped
	return []importer.Item{{Conversation: snap}}, nil
}

// readRows reads the rows of a unit in the order of the file.
func readRows(c columns, root jsonscan.Node) []row {
	prefer := monthFirst
	if root.Get("dates").Is(orderNames[dayFirst]) {
		prefer = dayFirst
	}
	list := root.Get("rows")
	rows := make([]row, 0, list.Len())
	last := max(c.title, c.time, c.author, c.text)
	i := -1
	for node := range list.Items() {
		i++
		if node.Kind() != jsonscan.Object {
			continue
		}
		cells, count := cellsOf(node.Get("row").Str(), c.delim, last)
		r := row{node: node, index: i, cells: count}
		cell := func(at int) (string, bool) {
			if at == none || at >= len(cells) {
				return "", false
			}
			return cells[at], true
		}
		r.title, r.hasTitle = cell(c.title)
		r.time, _ = cell(c.time)
		r.author, _ = cell(c.author)
		r.text, r.hasText = cell(c.text)
		r.at, r.dated = readMoment(r.time, prefer)
		r.role, r.known = roleOf(c, r.author)
		rows = append(rows, r)
	}
	return rows
}

// roleOf gives the role of an author. A table without authors has prompts only; an author whom
// nobody has described is never the person.
func roleOf(c columns, author string) (role string, known bool) {
	if c.author == none {
		return normalize.RoleUser, true
	}
	switch speaker(author) {
	case "user":
		return normalize.RoleUser, true
	case "assistant":
		return normalize.RoleAssistant, true
	}
	return normalize.RoleAssistant, false
}

// name gives the conversation its title and id.
func name(b *lossless.Builder, c columns, rows []row) {
	if c.single() {
		b.DerivedID(Provider, promptKey(rows[0]))
		return
	}
	oldest := rows[0]
	if oldest.hasTitle {
		title := strings.Clone(oldest.title) // a part of the row would hold all of it
		b.Doc.Title = &title
	}
	b.DerivedID(Provider, conversationKey(oldest.title, oldest))
}

// message makes the message of a row and gives how many of its cells are in it.
func message(b *lossless.Builder, c columns, r *row, id string) (mapped int) {
	m := b.Item("/rows", r.index, r.node).Add(id, r.role)
	if !r.known {
		b.Unknown("unknown_author")
	} else if c.author != none {
		mapped++
	}
	if r.hasTitle {
		mapped++
	}
	if r.hasText {
		m.Text(r.text)
		mapped++
	}
	if r.dated {
		m.Time = r.at.at
		mapped++
	} else if strings.TrimSpace(r.time) != "" {
		b.Anomalies["unreadable_time"]++
	}
	switch {
	case r.cells < c.count:
		b.Anomalies["short_row"]++
	case r.cells > c.count:
		b.Anomalies["long_row"]++
	}
	if r.node.Get("encoding").Exists() {
		b.Anomalies["not_utf8"]++
	}
	if r.role == normalize.RoleAssistant {
		if truncated(r.text) {
			m.NoteJSON("truncated", []byte("true"))
			b.Anomalies["truncated_message"]++
		}
		m.Citations = citations(r.text)
	}
	return mapped
}

// notes says what was assumed.
func notes(b *lossless.Builder, root jsonscan.Node, rows []row) {
	zone, guessed, dayOnly := false, 0, false
	for _, r := range rows {
		zone = zone || r.dated && !r.at.zoned
		dayOnly = dayOnly || r.dated && r.at.dayOnly
		if r.dated && r.at.order == either && !root.Get("dates").Is(orderNames[dayFirst]) && !root.Get("dates").Is(orderNames[monthFirst]) {
			guessed++
		}
	}
	if zone {
		b.Note("time_zone_assumed", "UTC")
	}
	if dayOnly {
		b.Note("time_of_day_assumed", "00:00")
	}
	if guessed > 0 {
		b.Note("date_order_assumed", "month-first")
		b.Anomalies["ambiguous_date"] += guessed
	}
	if b.Doc.Provider.ExportFormatVersion == formatWindows {
		b.NoteJSON("prompts_only", []byte("true"))
	}
}
