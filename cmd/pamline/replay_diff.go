package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/replay"
)

// writeDiff tells a person what would change: numbers, then each with its title or its words. It is
// for standard output only: both are theirs.
func writeDiff(p *printer, d replay.StoreDiff) {
	if d.IsEmpty() {
		return
	}
	c, m := d.Conversations, d.Memories
	p.field("conversations", "%s", joinQuantities([]quantity{
		{c.Added.Count, "added"}, {c.Changed.Count, "changed"}, {c.Gone.Count, "gone"}, {c.Renamed, "unchanged except for the importer's version"},
	}))
	writeConversations(p, "+", c.Added)
	writeConversations(p, "~", c.Changed)
	writeConversations(p, "-", c.Gone)
	p.field("memories", "%s", joinQuantities([]quantity{
		{m.Added.Count, "added"}, {m.Evidence.Count, "with different evidence"}, {m.Superseded.Count, "superseded"}, {m.Archived.Count, "archived"},
		{m.Retired.Count, "retired"}, {m.Reactivated.Count, "active again"}, {m.Removed.Count, "removed"},
	}))
	for _, kind := range []struct {
		sign string
		some replay.Changes[replay.MemoryLine]
	}{
		{"+", m.Added}, {"~", m.Evidence}, {"superseded", m.Superseded}, {"archived", m.Archived}, {"retired", m.Retired}, {"active", m.Reactivated}, {"-", m.Removed},
	} {
		writeMemoryLines(p, kind.sign, kind.some)
	}
}

// quantity is so many of something.
type quantity struct {
	n    int64
	what string
}

// joinQuantities tells of those that there are.
func joinQuantities(all []quantity) string {
	var parts []string
	for _, q := range all {
		if q.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", q.n, q.what))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "unchanged")
}

func writeConversations(p *printer, sign string, s replay.Changes[replay.ConversationLine]) {
	for _, c := range s.First {
		title, messages := fmt.Sprintf("%q", c.Title), pluralNoun(c.Messages, "message")
		if c.Title == "" {
			title = "(no title)"
		}
		if c.TitleBefore != nil {
			title += fmt.Sprintf(" (was %q)", *c.TitleBefore)
		}
		if c.Before != nil {
			messages = fmt.Sprintf("%d → %s", *c.Before, messages)
		}
		p.line("    %s %s %s, %s, %s, %s", sign, c.Date[:min(len("2006-01-02"), len(c.Date))], title, messages, c.Platform, c.ID)
	}
	printRest(p, s.Count, len(s.First))
}

func writeMemoryLines(p *printer, sign string, s replay.Changes[replay.MemoryLine]) {
	for _, m := range s.First {
		became := ""
		switch {
		case m.From == "" && m.To != "active":
			became = " (" + m.To + ")"
		case m.From != "" && m.To != "" && m.From != m.To:
			became = fmt.Sprintf(" (was %s)", m.From)
		}
		if m.Reason != "" {
			became += ", " + m.Reason
		}
		if m.By != "" {
			became += ", by " + m.By
		}
		p.line("    %s %s: %q%s, %s", sign, m.Type, m.Content, became, m.ID)
	}
	printRest(p, s.Count, len(s.First))
}

// printRest tells of those that are not named.
func printRest(p *printer, all int64, named int) {
	if more := all - int64(named); more > 0 {
		p.line("      and %d more; a higher --limit lists them", more)
	}
}

// writeUsage tells what asking a model has taken, or would take.
func writeUsage(p *printer, u extract.Usage, dry bool) {
	writeModelUse(p, u, dry)
	if dry {
		p.field("", "The model was not asked: memories that only it finds may show as archived.")
	}
}
