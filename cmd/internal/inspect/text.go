package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// width is how much of a text is shown on a line, in characters.
const width = 100

// WriteText shows a summary to a person.
func (s *Summary) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Memory store of %s", line(s.Owner, width))
	if s.ExportDate != "" {
		fmt.Fprintf(&b, ", exported %s", line(s.ExportDate, width))
	}
	if s.ExportedBy != "" {
		fmt.Fprintf(&b, " by %s", line(s.ExportedBy, width))
	}
	if s.Signed {
		b.WriteString(", signed")
	}
	b.WriteString("\n\n")
	fmt.Fprintf(&b, "  %-14s %d%s\n", "memories", s.Memories, s.MemoriesByType.inline())
	if len(s.MemoriesByStatus) > 1 || s.MemoriesByStatus["active"] != s.Memories-min(s.Unreadable, s.Memories) {
		fmt.Fprintf(&b, "  %-14s %s\n", "", strings.TrimSpace(s.MemoriesByStatus.inline()))
	}
	if s.Relations > 0 {
		fmt.Fprintf(&b, "  %-14s %d\n", "relations", s.Relations)
	}
	if s.Embeddings > 0 {
		fmt.Fprintf(&b, "  %-14s %d\n", "embeddings", s.Embeddings)
	}
	fmt.Fprintf(&b, "  %-14s %d%s\n", "conversations", s.Conversations, s.ConversationsByPlatform.inline())
	fmt.Fprintf(&b, "  %-14s %d\n", "messages", s.Messages)
	if s.Assets > 0 {
		fmt.Fprintf(&b, "  %-14s %d (%d bytes)\n", "assets", s.Assets, s.AssetBytes)
	}
	if s.First != "" || s.Last != "" {
		fmt.Fprintf(&b, "  %-14s %s to %s\n", "time", day(s.First), day(s.Last))
	}
	if s.Unreadable > 0 {
		fmt.Fprintf(&b, "  %-14s %d elements (pamline validate reports the errors)\n", "unreadable", s.Unreadable)
	}
	if len(s.Samples) > 0 {
		if int64(len(s.Samples)) < s.Memories {
			fmt.Fprintf(&b, "\nMemories (%d of %d; --memories lists all)\n", len(s.Samples), s.Memories)
		} else {
			b.WriteString("\nMemories\n")
		}
		kind := ""
		for _, m := range s.Samples {
			if m.Type != kind {
				kind = m.Type
				fmt.Fprintf(&b, "  %s\n", line(kind, width))
			}
			fmt.Fprintf(&b, "    %.8s  %s\n", line(m.ID, width), line(m.Content, width))
		}
		b.WriteString("  (pamline inspect --why ID shows where a memory comes from)\n")
	}
	if len(s.Biggest) > 0 {
		if int64(len(s.Biggest)) < s.Conversations {
			fmt.Fprintf(&b, "\nLongest conversations (%d of %d; --conversations lists all)\n", len(s.Biggest), s.Conversations)
		} else {
			b.WriteString("\nLongest conversations\n")
		}
		for _, c := range s.Biggest {
			fmt.Fprintf(&b, "  %6d messages  %-10s  %s\n", c.Messages, day(c.Created), title(c.Title))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteText shows a conversation's summary to a person.
func (s *ConversationSummary) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Conversation %s\n\n", title(s.Title))
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-14s %s\n", name, value)
		}
	}
	count := func(name string, n int) {
		if n > 0 {
			row(name, fmt.Sprint(n))
		}
	}
	row("id", line(s.ID, width))
	row("platform", line(strings.TrimSpace(s.Platform+" "+s.Format), width))
	row("time", day(s.Created)+" to "+day(cmp.Or(s.Updated, s.Created)))
	row("messages", fmt.Sprintf("%d%s", s.Messages, s.Roles.inline()))
	row("models", strings.Trim(strings.TrimSpace(s.Models.inline()), "()"))
	row("content", strings.Trim(strings.TrimSpace(s.Parts.inline()), "()"))
	count("branches", s.Branches)
	count("thoughts", s.Thoughts)
	count("tool calls", s.ToolCalls)
	count("attachments", s.Attachments)
	count("citations", s.Citations)
	if s.Source != nil {
		row("read from", line(s.Source.SourceFile, width))
		row("read by", line(s.Source.ImporterVersion, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteText shows the reasons for a memory to a person.
func (r *Reasons) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", line(r.Content, 10*width))
	fmt.Fprintf(&b, "  %-12s %s\n  %-12s %s, %s\n", "id", line(r.ID, width), "type", line(r.Type, width), line(r.Status, width))
	if c := r.Confidence; c != nil {
		fmt.Fprintf(&b, "  %-12s %g", "confidence", c.Current)
		if c.Initial != c.Current {
			fmt.Fprintf(&b, " (first %g)", c.Initial)
		}
		if c.DecayModel != "" && c.DecayModel != "none" && c.LastReinforced != "" {
			fmt.Fprintf(&b, " on %s, decaying since (%s)", day(c.LastReinforced), line(c.DecayModel, width))
		}
		b.WriteByte('\n')
	}
	if r.Created != "" {
		fmt.Fprintf(&b, "  %-12s %s\n", "since", day(r.Created))
	}
	if r.Method != "" {
		fmt.Fprintf(&b, "  %-12s %s\n", "found by", line(r.finder(), 2*width))
	}
	if r.Attribute != "" {
		fmt.Fprintf(&b, "  %-12s %s: %s\n", "attribute", line(r.Attribute, width), line(r.Value, width))
	}
	if why := statusReasons[r.StatusReason]; r.StatusReason != "" {
		fmt.Fprintf(&b, "  %-12s %s\n", line(r.Status, width), line(cmp.Or(why, r.StatusReason), 2*width))
	}
	if r.By != nil {
		r.By.write(&b)
	}
	for i := range r.Linked {
		l := &r.Linked[i]
		fmt.Fprintf(&b, "\n  %s %s\n    %s (%s", line(l.words(), width), line(l.ID, width), line(l.Content, 3*width), line(l.Status, width))
		if l.Created != "" {
			fmt.Fprintf(&b, ", since %s", day(l.Created))
		}
		b.WriteString(")\n")
	}
	if more := r.LinkedTotal - len(r.Linked); more > 0 {
		fmt.Fprintf(&b, "\n  … and %d more relations\n", more)
	}
	r.writeHistory(&b)
	if len(r.Evidence) == 0 {
		b.WriteString("\nThe store has no evidence for this memory.\n")
	}
	for _, e := range r.Evidence {
		e.write(&b)
	}
	if more := r.Total - int64(len(r.Evidence)); more > 0 && len(r.Evidence) > 0 {
		fmt.Fprintf(&b, "\n… and %d more\n", more)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// finder names what found the memory, and how.
func (r *Reasons) finder() string {
	parts := []string{r.Extractor, r.Method}
	if r.Rule != "" {
		parts = []string{r.Extractor, "rule " + r.Rule, r.Method}
	}
	if r.Inferred {
		parts = append(parts, "inferred, not stated")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// statusReasons put metadata.status_reason into words (docs/resolution.md).
var statusReasons = map[string]string{
	"newer-value": "a later value took its place",
	"opposite":    "the opposite was said later",
	"duplicate":   "another memory says the same",
	"retracted":   "you took it back",
	"vanished":    "the provider's newest list no longer contains it",
	"no-evidence": "the files were read again, and this was not found",
	"unsure":      "more likely wrong than right, unless you say it again",
	"edit":        "changed by hand",
}

func (e *Evidence) write(b *strings.Builder) {
	b.WriteString("\n  ")
	switch {
	case e.Conversation != "":
		fmt.Fprintf(b, "%s  %s\n", day(e.ObservedAt), title(e.Title))
		fmt.Fprintf(b, "    conversation %s", line(e.Conversation, width))
		if e.Message != "" {
			fmt.Fprintf(b, ", message %s", line(e.Message, width))
		}
		b.WriteByte('\n')
	default:
		fmt.Fprintf(b, "%s  %s\n", day(e.ObservedAt), line(e.Member, width))
	}
	if e.Pointer != "" {
		fmt.Fprintf(b, "    stored at %s\n", line(e.Pointer, 3*width))
	}
	if e.Quote != "" {
		fmt.Fprintf(b, "    said: “%s”\n", line(e.Quote, 3*width))
	}
	if e.Text != "" && line(e.Text, 3*width) != line(e.Quote, 3*width) {
		fmt.Fprintf(b, "    %s: %s\n", line(e.Role, width), line(e.Text, 3*width))
	}
	if e.Missing != "" {
		fmt.Fprintf(b, "    not shown: %s\n", line(e.Missing, 3*width))
	}
}

// inline lists a tally in brackets: " (fact 3, goal 1)".
func (t Tally) inline() string {
	const shown = 8
	names := t.sorted()
	var parts []string
	for i, name := range names {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more kinds", len(names)-shown))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", line(name, width), t[name]))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// day is the date of a time; "-" when it is not known.
func day(at string) string {
	if len(at) < len("2006-01-02") {
		return "-"
	}
	return line(at[:len("2006-01-02")], width)
}

func title(t *string) string {
	if t == nil || strings.TrimSpace(*t) == "" {
		return "(no title)"
	}
	return line(*t, width)
}
