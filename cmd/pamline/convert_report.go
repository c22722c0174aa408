package main

import (
	"io"
	"strings"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
)

// convertReport is the report of convert.
type convertReport struct {
	*convert.Report
	Merged *mem.Merged `json:"merged,omitempty"`
	out    string
}

func (r *convertReport) WriteText(w io.Writer) error {
	p := printTo(w)
	p.line("%s: converted from %s to %s", r.out, r.From, r.To)
	for _, name := range convert.SortedKeys(r.Written) {
		p.field("written", "%d × %s", r.Written[name], name)
	}
	if m := r.Merged; m != nil {
		if m.Erased+m.Redacted > 0 {
			p.field("deletions", "%d records erased and %d redacted by %d tombstones", m.Erased, m.Redacted, m.Tombstones)
		}
		if n := len(m.Quarantined); n > 0 {
			p.field("deletions", "%d tombstones not applied: no accepted key signed them (--accept FILE, --accept-all-deletions)", n)
		}
	}
	for _, name := range convert.SortedKeys(r.Losses) {
		p.field("lost", "%d × %s", r.Losses[name], name)
	}
	edits := make([]string, 0, len(r.Edits))
	for _, e := range r.Edits {
		edits = append(edits, e.ID+": "+strings.Join(e.Fields, ", "))
	}
	p.list("edited", edits, 20, "edited record")
	for _, note := range r.Notes {
		p.field("note", "%s", note)
	}
	if len(r.Losses) == 0 {
		p.line("Nothing was lost.")
	}
	return p.err
}
