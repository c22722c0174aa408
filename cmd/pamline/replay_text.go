package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
)

// write tells of one drop: a line, and what there is to say about it.
func (o outcome) write(p *printer, dry bool) {
	name := joinLimited(o.Files, 3)
	switch {
	case name != "":
	case o.Drop != "":
		name = "drop " + o.Drop[:min(16, len(o.Drop))]
	default:
		name = strings.TrimSpace("import " + o.Import)
	}
	was := ""
	if o.State == state.StateRefused || o.State == state.StateFailed {
		was = " (" + o.State + " before)"
	}
	p.line("%s %s%s: %s", o.Owner, name, was, o.told(dry))
	if o.Named != "" {
		p.field("import", "%s was replaced; its files are read again", o.Named)
	}
	if o.Reason != "" {
		p.field("reason", "%s", o.Reason)
	}
	if o.Hint != "" {
		p.field("next", "%s", o.Hint)
	}
	if o.Now != "" && o.Now != o.Import {
		p.field("import", "%s instead of %s", o.Now, o.Import)
	}
	if len(o.ReadBy) > 0 && !slices.Equal(o.ReadBy, o.Importers) {
		p.field("read by", "%s instead of %s", joinLimited(o.ReadBy, 5), cmp.Or(joinLimited(o.Importers, 5), "none"))
	}
	if o.Diff != nil {
		writeDiff(p, *o.Diff)
	} else if o.Store != nil && o.Store.Published {
		writeChange(p, *o.Store)
	}
	if o.Usage != nil && (dry || o.Changed) {
		writeUsage(p, *o.Usage, dry)
	}
}

// told is the result in words.
func (o outcome) told(dry bool) string {
	switch o.Result {
	case replay.Unchanged:
		return "unchanged"
	case replay.Queued:
		return "queued"
	case replay.Gone:
		return "not read again: its files are gone"
	case replay.Trouble:
		return "not read again: its record is damaged"
	case state.StateRefused, state.StateFailed:
		if dry {
			return "would be " + o.Result
		}
		return o.Result + earlierResultNote(o)
	}
	text := o.Result
	if dry {
		text = "would be " + o.Result
	}
	switch {
	case !o.Changed:
		return text + ", with the same result"
	case o.Store != nil && !o.Store.Published:
		return text + ", and the store is unchanged"
	}
	return text
}

// earlierResultNote says that an earlier result is kept.
func earlierResultNote(o outcome) string {
	if o.State == state.StateDone || o.State == state.StateLosses {
		return "; the earlier result is kept"
	}
	return ""
}

// writeChange tells what was published, in numbers.
func writeChange(p *printer, c state.StoreChange) {
	if s := c.Stats; s != nil {
		p.field("changes", "conversations: %d new, %d changed, %d unchanged", s.New, s.Changed, s.Unchanged)
	}
	if m := c.Changes; m != nil {
		all := []quantity{{m.Added, "added"}, {m.Removed, "removed"}, {m.Evidence, "with different evidence"}}
		for _, status := range slices.Sorted(maps.Keys(m.Status)) {
			all = append(all, quantity{m.Status[status], "changed from " + status})
		}
		p.field("", "memories: %s", joinQuantities(all))
	}
	p.field("store", "export %s", c.ExportID)
}

func (s replaySummary) write(p *printer) {
	p.line("")
	verb := ""
	if s.DryRun {
		verb = "would be "
	}
	p.line("%s selected: %d unchanged, %d %sreplaced, %d %sread with the same result", pluralNoun(s.Selected, "import"), s.Unchanged, s.Replaced, verb, s.Same, verb)
	for _, one := range []quantity{
		{s.Queued, "queued"}, {s.Losses, verb + "done with losses; the receipts list them"}, {s.Refused, verb + "refused"}, {s.Failed, "failed"},
		{s.Gone, "not read again: the files are gone"}, {s.Trouble, "not read again: damaged in storage; see the reasons above"},
	} {
		if one.n > 0 {
			p.line("%d %s", one.n, one.what)
		}
	}
	if s.DryRun {
		p.line("This was a dry run: nothing was saved.")
	}
}
