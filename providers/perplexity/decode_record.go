package perplexity

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeRecord makes a record of a row, or of what stands around the list of an official export.
func decodeRecord(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	n := src.Root
	if n.Kind() != jsonscan.Object {
		return nil, lossless.Fail(u, "not_a_record", "the unit is no object")
	}
	at, _ := u.Context.(place)
	r := &importer.Record{Kind: importer.RecordSetting, Provider: provider, Pointer: at.pointer, Raw: n.AppendCompact(nil)}
	switch u.Role {
	case roleProfileRow:
		r.Kind = importer.RecordProfile
	case roleMemoryRow:
		memory(r, n, at)
	}
	return []importer.Item{{Record: r}}, nil
}

// memory fills the record of a row of the sheet of memories. The row without a key is a profile in
// JSON. What the person has deleted, or told Perplexity to forget, is kept as it is but says
// nothing any more, so that nobody remembers it.
func memory(r *importer.Record, n jsonscan.Node, at place) {
	value := n.Get("MEMORY_VALUE")
	r.CreatedAt = timeText(at, n.Get("FIRST_CREATED_AT"))
	if r.ID = n.Get("MEMORY_KEY").Str(); r.ID == "" {
		r.Kind, r.Text = importer.RecordProfile, value.Get("summary").Str()
		if value.Kind() == jsonscan.String {
			r.Text = value.Str()
		}
	} else {
		r.Kind, r.Title, r.Text = importer.RecordMemory, r.ID, value.Str()
	}
	if flag(n.Get("IS_DELETED")) || flag(n.Get("IS_FORGOTTEN")) {
		r.Title, r.Text = "", ""
	}
}

func timeText(at place, n jsonscan.Node) string {
	if t, ok := at.read(n); ok {
		return t.String()
	}
	return ""
}

// flag reads a boolean, which may be a text or a number.
func flag(n jsonscan.Node) bool {
	switch n.Kind() {
	case jsonscan.Bool:
		return n.True()
	case jsonscan.Number:
		return !normalize.SameNumber(n.Raw(), []byte("0"))
	}
	return isTrue(strings.TrimSpace(n.Str()))
}
