// Package render writes the memories of a store in the forms in which assistants take them (PAM
// §20.2): custom instructions, lists to paste, a system prompt, Markdown, or a folder of linked
// notes.
//
// Only active memories are written, and those marked exportable: false never. Sensitive ones are
// left out unless they are asked for. What a target has no room for is left out by rank: how sure
// and how fresh a memory is. A text is one line whatever it contains, so that none can be read as a
// part of the form around it; see [Line]. The same memories give the same bytes.
package render

import (
	"time"

	"github.com/pamline/pamline/pamio"
)

// Memory is what is rendered of a memory.
type Memory struct {
	ID       string
	Type     string // the custom type of one that has it
	Text     string // as Line gives it
	Date     string // YYYY-MM-DD of its newest evidence, "" when it is not known
	Platform string
	Topics   []string
	Evidence Place

	confidence float64
	at         time.Time
}

// Place is where a memory was said.
type Place struct{ Conversation, Message string }

// sensitive is the tag of memories about health, faith and the like.
const sensitive = "sensitive"

// Options choose memories and form.
type Options struct {
	// Limit is how many characters each part may have; 0 is the limit of the target, a negative
	// number none.
	Limit int
	// Sensitive renders sensitive memories, too.
	Sensitive bool
	// Sources adds the date and the assistant that each memory comes from.
	Sources bool
}

// Choose gives what is rendered of a memory; ok is false if it is left out.
func (o Options) Choose(m *pamio.Memory) (chosen Memory, ok bool) {
	if m.Status != "active" || m.Access != nil && !m.Access.Exportable {
		return Memory{}, false
	}
	chosen = Memory{ID: m.ID, Type: m.Type, Text: Line(m.Content), Platform: m.Provenance.Platform, confidence: 0.5,
		Evidence: Place{m.Provenance.ConversationRef, m.Provenance.MessageRef}}
	if m.Type == "custom" && m.CustomType != "" {
		chosen.Type = m.CustomType
	}
	for _, tag := range m.Tags {
		if tag == sensitive && !o.Sensitive {
			return Memory{}, false
		}
		chosen.Topics = append(chosen.Topics, tag)
	}
	times := []string{m.Temporal.UpdatedAt, m.Temporal.CreatedAt}
	if m.Confidence != nil {
		chosen.confidence = m.Confidence.Current
		times = append(times, m.Confidence.LastReinforced)
	}
	for _, text := range times {
		// 1970 stands for a time that is not known.
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil && t.Year() > 1970 && t.After(chosen.at) {
			chosen.at = t.UTC()
		}
	}
	if !chosen.at.IsZero() {
		chosen.Date = chosen.at.Format(time.DateOnly)
	}
	return chosen, chosen.Text != ""
}
