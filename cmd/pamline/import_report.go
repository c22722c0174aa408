package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/providers/importer"
)

// imported is the report of an import.
type imported struct {
	DryRun bool           `json:"dry_run,omitempty"`
	Drops  []importedDrop `json:"drops"`
	Out    string         `json:"out,omitempty"`
	// Copies are the bundles that earlier imports wrote with --out.
	Copies []copyReport `json:"copies,omitempty"`
}

type importedDrop struct {
	Files        []string         `json:"files"`
	Receipt      pipeline.Receipt `json:"receipt"`
	ReceiptPlace string           `json:"receipt_place,omitempty"`
	StorePlace   string           `json:"store_place,omitempty"`
}

func (d importedDrop) accepted() bool {
	return d.Receipt.State == pipeline.StateDone || d.Receipt.State == pipeline.StateLosses
}

// any tells whether there is something to publish or published.
func (r *imported) any() bool { return slices.ContainsFunc(r.Drops, importedDrop.accepted) }

// verdict is the exit code: everything done, something left out, or nothing done.
func (r *imported) verdict() error {
	worst := exit.Done
	for _, d := range r.Drops {
		if !d.Receipt.OK() {
			worst = exit.Partial
		}
	}
	if !r.any() {
		worst = exit.Failed
	}
	if worst == exit.Done {
		return nil
	}
	return exit.With(worst, nil)
}

func (r *imported) WriteText(w io.Writer) error {
	p := &printer{w: w}
	for i, d := range r.Drops {
		if i > 0 {
			p.line("")
		}
		d.write(p, r.DryRun)
	}
	if r.DryRun {
		p.line("")
		p.line("This was a dry run: nothing was kept.")
	}
	if r.Out != "" {
		p.field("bundle", "%s", r.Out)
	}
	for _, c := range r.Copies {
		p.field("bundle", "%s", c.text())
	}
	return p.err
}

func (d importedDrop) write(p *printer, dry bool) {
	r := d.Receipt
	var names []string
	for _, f := range d.Files {
		names = append(names, filepath.Base(f))
	}
	p.line("%s: %s", joinLimited(names, 3), r.State)
	if !d.accepted() {
		p.field("reason", "%s", r.Reason)
		if r.Hint != "" {
			p.field("next", "%s", r.Hint)
		}
		if d.ReceiptPlace != "" {
			p.field("receipt", "%s", d.ReceiptPlace)
		}
		return
	}
	writeCounts(p, r)
	for _, q := range firsts(r.Quarantined, 5) {
		if q.IsAsset() {
			p.field("left out", "%s: %s", q.Member, q.Reason)
			continue
		}
		p.field("left out", "%s, element %d at byte %d: %s", q.Member, q.Index, q.Offset, q.Reason)
	}
	if n := r.Counts.Quarantined; n > 5 {
		p.field("left out", "%d units and files in all: the receipt names them", n)
	}
	for _, q := range firsts(r.Refused, 5) {
		p.field("refused", "%s: %s", cmp.Or(q.Member, q.Part), q.Reason)
	}
	restOf(p, "refused", len(r.Refused), 5, "file")
	for _, s := range firsts(r.Extraction.Failed, 5) {
		p.field("failed", "shard %s: %s", s.Shard, s.Reason)
		if s.Hint != "" {
			p.field("next", "%s, and import the drop again: what was answered is not asked again", s.Hint)
		}
	}
	restOf(p, "failed", len(r.Extraction.Failed), 5, "shard")
	for _, n := range firsts(r.Notes, 5) {
		p.field("note", "%s", n)
	}
	restOf(p, "note", len(r.Notes), 5, "note")
	for _, u := range firsts(r.Unread, 5) {
		p.field("not read", "%s: %s", cmp.Or(u.Member, u.Part), u.Reason)
	}
	restOf(p, "not read", len(r.Unread), 5, "file")
	for _, code := range slices.Sorted(maps.Keys(r.Counts.Anomalies)) {
		if code == importer.AnomalyUnknownVariant || code == importer.AnomalyAssetMissing {
			continue // told in words
		}
		p.field("odd", "%d × %s: kept as it is", r.Counts.Anomalies[code], code)
	}
	skips := slices.Sorted(maps.Keys(r.Counts.Skips))
	for _, code := range firsts(skips, 12) {
		p.field("passed over", "%d × %s (%s)", r.Counts.Skips[code].Count, code, r.Counts.Skips[code].Reason)
	}
	restOf(p, "passed over", len(skips), 12, "kind")
	writeMemories(p, r, dry)
	for _, h := range heldBack {
		if n := r.Extraction.Counts[h.code]; n > 0 {
			p.field("held back", "%d × %s: kept in the records and conversations, but made no memory", n, h.what)
		}
	}
	if s := r.Store.Stats; s != nil {
		p.field("changes", "conversations: %d new, %d changed, %d as before", s.New, s.Changed, s.Unchanged)
	}
	if r.Store.Published {
		p.field("store", "export %s %s", r.Store.ExportID, d.StorePlace)
	} else {
		p.field("store", "says this already; nothing new was published %s", d.StorePlace)
	}
	if d.ReceiptPlace != "" {
		p.field("receipt", "%s", d.ReceiptPlace)
	}
}

// writeMemories tells what was found, and what became of what was known.
func writeMemories(p *printer, r pipeline.Receipt, dry bool) {
	known := ""
	if s := r.Store.Stats; s != nil && s.Memories > s.Active {
		known = fmt.Sprintf(" (%d active)", s.Active)
	}
	p.field("memories", "%d in the store%s, %s found in this drop", r.Store.Memories, known, plural(int64(r.Extraction.Candidates), "candidate"))
	if c := r.Store.Changes; c != nil {
		for _, change := range slices.Sorted(maps.Keys(c.Status)) {
			p.field("", "%d × %s", c.Status[change], change)
		}
	}
	u := r.Extraction.Usage
	if u.Requests == 0 {
		return
	}
	name, price := "asked", ""
	if dry {
		name = "would ask"
	}
	if u.MicroUSD > 0 {
		price = fmt.Sprintf(", $%.4f", float64(u.MicroUSD)/1e6)
	}
	p.field(name, "%s, %d tokens sent, %d answered%s", plural(u.Requests, "request"), u.Input, u.Output, price)
}

// writeCounts tells what was read, and by whom.
func writeCounts(p *printer, r pipeline.Receipt) {
	c := r.Counts
	if len(r.Importers) < 2 {
		p.field("read by", "%s", joinLimited(r.Importers, 1))
	}
	for _, version := range r.Importers {
		if by := c.ByImporter[version]; len(r.Importers) > 1 {
			p.field("read by", "%s: %s, %s, %s", version, plural(by.Conversations, "conversation"), plural(by.Records, "record"), plural(by.Assets, "asset"))
		}
	}
	p.field("kept", "%s, %s", plural(c.Conversations, "conversation"), plural(c.Messages, "message"))
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(c.Records)) {
		kinds = append(kinds, fmt.Sprintf("%d × %s", c.Records[kind], kind))
	}
	if len(kinds) > 0 {
		p.field("records", "%s", joinLimited(kinds, 12))
	}
	if c.Assets.Files > 0 {
		p.field("assets", "%s copied, %s", plural(c.Assets.Files, "file"), plural(c.Assets.Bytes, "byte"))
	}
	if n := c.AssetsMissing(); n > 0 {
		p.field("assets", "%d × named by a message, but not to be had from the export", n)
	}
	if n := c.UnknownVariants(); n > 0 {
		verb := "are"
		if n == 1 {
			verb = "is"
		}
		p.line("  %s %s of an unknown variant: what is known was read, the rest is kept in raw_metadata", plural(int64(n), "conversation"), verb)
	}
}

func firsts[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// restOf tells of those that firsts leaves out.
func restOf(p *printer, name string, all, shown int, noun string) {
	if more := all - shown; more > 0 {
		p.field(name, "and %s more: the receipt names them", plural(int64(more), noun))
	}
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, visible(fmt.Sprintf(format, args...), ""))
	}
}

func (p *printer) field(name, format string, args ...any) {
	p.line("  %-12s %s", name, fmt.Sprintf(format, args...))
}

// heldBack are the reasons for which a text is made no memory that a person would ask about.
var heldBack = []struct{ code, what string }{
	{gate.Secret, "with a password, a key or the like in it"},
	{gate.Payment, "with the number of a card or an account in it"},
	{gate.Identity, "with the number of a passport, a tax or a social security in it"},
	{gate.Injection, "with orders to override instructions in it"},
}
