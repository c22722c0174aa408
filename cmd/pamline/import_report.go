package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/wording"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers/importer"
)

// imported is the report of an import.
type imported struct {
	DryRun bool           `json:"dry_run,omitempty"`
	Drops  []importedDrop `json:"drops"`
	Out    string         `json:"out,omitempty"`
	// Next is the command that shows the result.
	Next string `json:"next,omitempty"`
	// Copies are the bundles that earlier imports wrote with --out.
	Copies []copyReport `json:"copies,omitempty"`
	// MasterKey is where the master key is, if this import has begun the store.
	MasterKey string `json:"master_key,omitempty"`
}

type importedDrop struct {
	Files        []string      `json:"files"`
	Receipt      state.Receipt `json:"receipt"`
	ReceiptPlace string        `json:"receipt_place,omitempty"`
	StorePlace   string        `json:"store_place,omitempty"`
	// Encrypted: what lies at these places is read by commands only.
	Encrypted bool `json:"encrypted,omitempty"`
}

func (d importedDrop) accepted() bool {
	return d.Receipt.IsAccepted()
}

// shown is a place for a person.
func (d importedDrop) shown(place string) string {
	if d.Encrypted {
		place += " (encrypted)"
	}
	return place
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
	p := printTo(w)
	for i, d := range r.Drops {
		if i > 0 {
			p.line("")
		}
		d.write(p, r.DryRun)
	}
	if r.Out != "" {
		p.field("bundle", "%s", r.Out)
	}
	for _, c := range r.Copies {
		p.field("bundle", "%s", c.text())
	}
	if r.MasterKey != "" {
		p.field("encrypted", "with the master key in %s.", r.MasterKey)
		p.field("", keepKey)
	}
	switch {
	case r.DryRun:
		p.line("")
		p.line("This was a dry run: nothing was saved.")
	case r.Next != "":
		p.line("")
		p.line("Next: %s", r.Next)
	}
	return p.err
}

func (d importedDrop) write(p *printer, dry bool) {
	r := d.Receipt
	var names []string
	for _, f := range d.Files {
		names = append(names, filepath.Base(f))
	}
	p.outcome(joinLimited(names, 3), r.State)
	if !d.accepted() {
		p.field("reason", "%s", r.Reason)
		if r.Hint != "" {
			p.field("next", "%s", r.Hint)
		}
		if d.ReceiptPlace != "" {
			p.field("receipt", "%s", d.shown(d.ReceiptPlace))
		}
		return
	}
	writeFound(p, r)
	writeMissing(p, r)
	writeSkipped(p, r)
	writeNotes(p, r)
	writeMemories(p, r, dry)
	writeStoreChange(p, r, d.shown(d.StorePlace))
	if d.ReceiptPlace != "" {
		p.field("receipt", "%s", d.shown(d.ReceiptPlace))
	}
}

// writeFound says what was recognized and kept.
func writeFound(p *printer, r state.Receipt) {
	c := r.Counts
	if len(r.Importers) < 2 {
		p.field("read by", "%s", joinLimited(r.Importers, 1))
	}
	for _, version := range r.Importers {
		if by := c.ByImporter[version]; len(r.Importers) > 1 {
			p.field("read by", "%s: %s, %s, %s", version, pluralNoun(by.Conversations, "conversation"), pluralNoun(by.Records, "record"), pluralNoun(by.Assets, "file"))
		}
	}
	p.field("kept", "%s, %s", pluralNoun(c.Conversations, "conversation"), pluralNoun(c.Messages, "message"))
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(c.Records)) {
		text := wording.Record(kind, c.Records[kind])
		if strings.HasPrefix(kind, "pam-") {
			p.field("", "%s", text)
			continue
		}
		kinds = append(kinds, text)
	}
	if len(kinds) > 0 {
		p.field("", "%s of the account", joinLimited(kinds, 12))
	}
	if c.Assets.Files > 0 {
		p.field("", "%s (%s)", pluralNoun(c.Assets.Files, "attached file"), byteSize(c.Assets.Bytes))
	}
}

// writeMissing says what could not be read, with its place and what to do.
func writeMissing(p *printer, r state.Receipt) {
	if n := r.Counts.AssetsMissing(); n > 0 {
		p.field("missing", "%s", wording.Words{One: "1 file that a message mentions is missing from the export", Several: "%d files that messages mention are missing from the export"}.Count(n))
	}
	for _, q := range firstItems(r.Quarantined, 5) {
		if q.IsAsset() {
			p.field("unreadable", "%s: %s", q.Member, q.Reason)
			continue
		}
		p.field("unreadable", "%s, element %d at byte %d: %s", q.Member, q.Index, q.Offset, q.Reason)
	}
	if n := r.Counts.Quarantined; n > 5 {
		p.field("unreadable", "%d elements and files in total; the receipt lists them", n)
	}
	var refused, unread []string
	for _, f := range r.Refused {
		refused = append(refused, cmp.Or(f.Member, f.Part)+": "+f.Reason)
	}
	p.list("refused", refused, 5, "file")
	for _, f := range firstItems(r.Extraction.Failed, 5) {
		p.field("failed", "memories of part %s: %s", f.Shard, f.Reason)
		if f.Hint != "" {
			p.field("next", "%s. Then import the files again: the answers so far are kept.", strings.TrimSuffix(f.Hint, "."))
		}
	}
	if more := len(r.Extraction.Failed) - 5; more > 0 {
		p.field("failed", "and %s more; the receipt lists them", pluralNoun(int64(more), "part"))
	}
	for _, f := range r.Unread {
		unread = append(unread, cmp.Or(f.Member, f.Part)+": "+f.Reason)
	}
	p.list("not read", unread, 5, "file")
}

// writeSkipped says what was left out on purpose.
func writeSkipped(p *printer, r state.Receipt) {
	var skipped []string
	for _, code := range slices.Sorted(maps.Keys(r.Counts.Skips)) {
		skipped = append(skipped, wording.Skip(code, r.Counts.Skips[code]))
	}
	p.list("skipped", skipped, 12, "kind")
	for _, w := range wording.Withheld {
		if n := r.Extraction.Counts[w.Code]; n > 0 {
			p.field("withheld", "%s", w.Count(n))
		}
	}
	for _, w := range wording.Restricted {
		if n := r.Extraction.Counts[w.Code]; n > 0 {
			p.field("private", "%s", w.Count(n))
		}
	}
}

// writeNotes says what is unusual but kept.
func writeNotes(p *printer, r state.Receipt) {
	for _, s := range r.Signatures {
		if s.Reason != "" {
			p.field("signature", "%s: %s: %s", s.Member, s.Verdict, s.Reason)
			continue
		}
		p.field("signature", "%s: %s", s.Member, s.Verdict)
	}
	p.list("notes", r.Notes, 5, "note")
	p.list("format", r.Described, 5, "document")
	if n := r.Counts.UnknownVariants(); n > 0 {
		p.field("notes", "%s", wording.Words{One: "1 conversation has a form that is new to this importer: what is known was read, the rest is kept in raw_metadata",
			Several: "%d conversations have a form that is new to this importer: what is known was read, the rest is kept in raw_metadata"}.Count(n))
	}
	for _, code := range slices.Sorted(maps.Keys(r.Counts.Anomalies)) {
		if code == importer.AnomalyUnknownVariant || code == importer.AnomalyAssetMissing {
			continue // reported in words of their own
		}
		p.field("notes", "%s", wording.Note(code, r.Counts.Anomalies[code]))
	}
}

// writeMemories says what was found, and how the status of memories changed.
func writeMemories(p *printer, r state.Receipt, dry bool) {
	active := ""
	if s := r.Store.Stats; s != nil && s.Memories > s.Active {
		active = fmt.Sprintf(" (%d active)", s.Active)
	}
	p.field("memories", "%d in the store%s; %s found in this import", r.Store.Memories, active, pluralNoun(int64(r.Extraction.Candidates), "statement"))
	if c := r.Store.Changes; c != nil {
		for _, change := range slices.Sorted(maps.Keys(c.Status)) {
			p.field("", "%d changed from %s", c.Status[change], change)
		}
	}
	if u := r.Extraction.Usage; u.Requests > 0 {
		writeModelUse(p, u, dry)
	}
}

// writeModelUse says what asking a model took, or would take.
func writeModelUse(p *printer, u extract.Usage, dry bool) {
	name, price := "model", ""
	if u.MicroUSD > 0 {
		price = fmt.Sprintf(", $%.4f", float64(u.MicroUSD)/1e6)
	}
	text := fmt.Sprintf("%s, %d tokens sent, %d tokens received%s", pluralNoun(u.Requests, "request"), u.Input, u.Output, price)
	if dry {
		text = "would take " + text
	}
	p.field(name, "%s", text)
}

// writeStoreChange says what this import changed in the store.
func writeStoreChange(p *printer, r state.Receipt, place string) {
	c := r.Store.Import
	if c != nil && r.Store.Published {
		repeated := "" // the figures add up to what was kept
		if n := r.Counts.Conversations - (c.New + c.Grown + c.Unchanged); n > 0 {
			repeated = fmt.Sprintf(", %d repeated in it", n)
		}
		p.field("changes", "conversations of this export: %d new, %d grown, %d unchanged%s", c.New, c.Grown, c.Unchanged, repeated)
	}
	if !r.Store.Published {
		p.field("changes", "Nothing new: this export is already in the store.")
	}
	if c != nil && c.Absent > 0 {
		absent := wording.Words{
			One:     "1 conversation of earlier exports is not in this one; it stays in the store",
			Several: "%d conversations of earlier exports are not in this one; they stay in the store",
		}
		if c.AbsentPeriod {
			absent = wording.Words{
				One:     "1 conversation of earlier exports is not in this one, which may cover a shorter time; it stays in the store",
				Several: "%d conversations of earlier exports are not in this one, which may cover a shorter time; they stay in the store",
			}
		}
		p.field("", "%s", absent.Count(int(c.Absent)))
	}
	if place != "" { // as after a dry run
		p.field("store", "%s", place)
	}
}

// byteSize is a size for a person.
func byteSize(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return pluralNoun(n, "byte")
}
