package gemini

import (
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeRows makes a conversation of rows.
func (imp Importer) decodeRows(u importer.Unit) ([]importer.Item, error) {
	limits := u.Limits.WithDefaults()
	parsed, err := jsonscan.Parse(u.Raw, limits.MaxDepth)
	if err != nil || int64(len(u.Raw)) > limits.MaxConversation {
		if _, err := lossless.Parse(u); err != nil {
			return nil, err // the same, with its place
		}
		return nil, lossless.Fail(u, lossless.CodeSyntax, "the rows are not JSON")
	}
	wrapped := u
	var rows []row
	var splits int
	wrapped.Raw, rows, splits = imp.appendWrapped(make([]byte, 0, len(u.Raw)+64), parsed.Root())
	if len(rows) == 0 {
		return nil, lossless.Fail(u, "not_a_conversation", "none of the rows is something that was asked")
	}
	wrapped.Limits.MaxConversation, wrapped.Limits.MaxDepth = int64(len(wrapped.Raw)), limits.MaxDepth+2
	src, err := lossless.Parse(wrapped)
	if err != nil {
		return nil, err
	}
	b := imp.schema().New(src, name)
	t := newTurns(b, u)
	i := 0
	for node := range src.Root.Get("rows").Items() {
		addRow(t, b.Item("/rows", i, node), &rows[i])
		i++
	}
	if rows[0].product != "" {
		b.Note(noteProduct, rows[0].product)
	}
	snap, err := t.finish(u, rows[0].item, formatJSON)
	if err != nil {
		return nil, err
	}
	account(snap, splits)
	return []importer.Item{{Conversation: snap}}, nil
}

func addRow(t *turns, o *lossless.Object, r *row) {
	pieces := answers(r.node)
	text, derived := r.answer(pieces)
	x := turn{item: r.item, answer: text, answered: text != "", extras: r.extras(pieces)}
	further := r.further(&x)
	prompt, answer := t.add(o, x)
	for _, x := range further {
		t.add(o, x)
	}
	o.Primary(prompt)
	t.b.Time(r.node.Get("time")) // counts one that cannot be read
	if !r.known {
		prompt.NoteJSON(notePrefix, []byte("true"))
	}
	if n := len(pieces); n > 1 && derived && answer != nil {
		answer.NoteJSON(noteItems, strconv.AppendInt(nil, int64(n), 10))
	}
}

// account takes the verbs, which are no leaves of the source, out of the account.
func account(snap *importer.Snapshot, splits int) {
	taken := min(splits, snap.Loss.Raw)
	snap.Loss.Raw -= taken
	snap.Loss.Mapped -= splits - taken
}
