package gemini

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/htmlmd"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// keyCell is the key of a cell's HTML in the units that are made of cells.
const keyCell = "cell"

// appendCell appends a cell as an element of a unit.
func appendCell(dst []byte, html string) []byte {
	return append(pamio.AppendString(append(dst, `{"`+keyCell+`":`...), html), '}')
}

// decodeCells makes a conversation of cells of a page. Their HTML is kept with the messages.
func decodeCells(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	var cells []cell
	var htmls []string
	var events []byte
	for n := range src.Root.Items() {
		s := n.Get(keyCell)
		c := readCell(s.Str())
		if s.Kind() != jsonscan.String || c.kind != exchange {
			events = n.AppendCompact(append(events, ','))
			continue
		}
		cells, htmls = append(cells, c), append(htmls, s.Str())
	}
	if len(cells) == 0 {
		return nil, lossless.Fail(u, "not_a_conversation", "none of the cells is something that was asked")
	}
	rows := []byte(`{"rows":[`)
	for i := range cells {
		if i > 0 {
			rows = append(rows, ',')
		}
		rows = append(rows, "{}"...)
	}
	empty := importer.Unit{Member: u.Member, Raw: append(rows, "]}"...)}
	empty.Limits.MaxConversation = int64(len(empty.Raw))
	made, err := lossless.Parse(empty)
	if err != nil {
		return nil, err
	}
	b := cellSchema.New(made, name)
	t := newTurns(b, u)
	i := 0
	for node := range made.Root.Get("rows").Items() {
		addCell(t, b.Item("/rows", i, node), &cells[i], htmls[i])
		i++
	}
	if len(events) > 0 {
		events[0] = '['
		b.NoteJSON(noteEvents, append(events, ']'))
	}
	if cells[0].product != "" {
		b.Note(noteProduct, cells[0].product)
	}
	snap, err := t.finish(u, cells[0].item, cells[0].format)
	if err != nil {
		return nil, err
	}
	snap.Order = before(snap.Order)
	snap.Loss = normalize.Loss{Mapped: len(snap.Doc.Messages), Raw: src.Root.Len()}
	return []importer.Item{{Conversation: snap}}, nil
}

// before is the microsecond before a time: a page has whole seconds only, so that a list of the
// same moment says more and wins where both are folded.
func before(order string) string {
	t, ok := normalize.ParseInstant(order)
	if !ok || t == normalize.Epoch {
		return order
	}
	if t.Micro--; t.Micro < 0 {
		t.Sec, t.Micro = t.Sec-1, 999_999
	}
	return t.Six()
}

func addCell(t *turns, o *lossless.Object, c *cell, html string) {
	text := htmlmd.Convert(c.answer)
	prompt, answer := t.add(o, turn{item: c.item, answer: text, answered: text != "", extras: c.extras})
	for _, m := range []*lossless.Message{prompt, answer} {
		if m != nil && c.timed {
			m.TimeFrom = timeFromCell
		}
	}
	switch {
	case !c.timed:
		t.b.Anomalies["unreadable_time"]++
	case c.stamp.flag != "":
		t.b.Anomalies["time_zone_"+c.stamp.flag]++
		prompt.Note(noteZoneDoubt, c.stamp.flag)
	}
	if c.stamp.zone != "" {
		prompt.Note(noteZone, c.stamp.zone)
	}
	if c.verb == "" {
		prompt.NoteJSON(notePrefix, []byte("true"))
	} else {
		prompt.Note(noteVerb, c.verb)
	}
	prompt.Note(noteCell, html)
}
