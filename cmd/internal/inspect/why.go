package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// Reasons is why a memory is in the store.
type Reasons struct {
	ID         string            `json:"id"`
	Type       string            `json:"type"`
	Status     string            `json:"status"`
	Content    string            `json:"content"`
	Confidence *pamio.Confidence `json:"-"`
	Current    *float64          `json:"confidence,omitempty"`
	Method     string            `json:"extraction_method,omitempty"`
	Extractor  string            `json:"extractor,omitempty"`
	// Rule is the family of patterns, or the model, that found it.
	Rule    string `json:"rule,omitempty"`
	Created string `json:"created_at,omitempty"`
	// StatusReason is why the status is not active; By the evidence of a retraction.
	StatusReason string    `json:"status_reason,omitempty"`
	By           *Evidence `json:"status_by,omitempty"`
	// Attribute and Value are what of the person it tells, when that is known.
	Attribute string `json:"attribute,omitempty"`
	Value     string `json:"value,omitempty"`
	Inferred  bool   `json:"inferred,omitempty"`
	// Linked are the memories that it has a relation with, at most MaxLinked; LinkedTotal is how
	// many there are.
	Linked      []Linked `json:"linked,omitempty"`
	LinkedTotal int      `json:"linked_count,omitempty"`
	// History are the memories that it replaced and those that replaced it, itself among them.
	History []Version `json:"history,omitempty"`
	// Total is how much evidence there is; the store lists the earliest of it.
	Total    int64      `json:"evidence_count"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence is one place where the memory was said or kept, as metadata.evidence has it, with what
// stands there.
type Evidence struct {
	Conversation string `json:"conversation,omitempty"`
	Message      string `json:"message,omitempty"`
	Start        int    `json:"start,omitempty"`
	End          int    `json:"end,omitempty"`
	Quote        string `json:"quote,omitempty"`
	Member       string `json:"member,omitempty"`
	Pointer      string `json:"pointer,omitempty"`
	ObservedAt   string `json:"observed_at,omitempty"`
	// Title, Role and Text come from the conversation, when the bundle has it; Missing says why
	// they do not.
	Title   *string `json:"title,omitempty"`
	Role    string  `json:"role,omitempty"`
	Text    string  `json:"text,omitempty"`
	Missing string  `json:"missing,omitempty"`
}

// Errors of looking for a memory.
var (
	ErrNoMemory  = errors.New("there is no memory of that id")
	ErrAmbiguous = errors.New("several memories start like that: give more of the id")
)

// shortest is the least of an id that is looked for.
const shortest = 4

// Why looks for the memory whose id is, or uniquely starts with, the given text, and for its
// evidence.
func Why(ctx context.Context, b *pamio.Bundle, id string) (*Reasons, error) {
	m, err := find(ctx, b, strings.ToLower(strings.TrimSpace(id)))
	if err != nil {
		return nil, fmt.Errorf("find memory %q: %w", id, err)
	}
	r := &Reasons{
		ID: m.ID, Type: typeName(m), Status: m.Status, Content: m.Content,
		Method: m.Provenance.ExtractionMethod, Extractor: m.Provenance.Extractor, Confidence: m.Confidence,
	}
	if m.Confidence != nil {
		r.Current = &m.Confidence.Current
	}
	if m.Temporal.CreatedAt != unknownTime {
		r.Created = m.Temporal.CreatedAt
	}
	if err := r.listed(m); err != nil {
		return nil, err
	}
	if err := r.link(ctx, b); err != nil {
		return nil, err
	}
	if err := r.trace(ctx, b); err != nil {
		return nil, err
	}
	return r, r.look(ctx, b)
}

func find(ctx context.Context, b *pamio.Bundle, id string) (*pamio.Memory, error) {
	if len(id) < shortest {
		return nil, fmt.Errorf("%w (at least %d characters)", ErrNoMemory, shortest)
	}
	f, err := b.OpenStore()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var found *pamio.Memory
	exact, several := false, false
	err = pamio.ReadStore(f, pamio.Visitor{Memory: func(e pamio.Element) error {
		m, err := pamio.ParseMemory(e.Raw)
		if err != nil || !strings.HasPrefix(strings.ToLower(m.ID), id) || exact {
			return ctx.Err()
		}
		several = found != nil
		found, exact = m, strings.EqualFold(m.ID, id)
		return nil
	}})
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, ErrNoMemory
	case several && !exact:
		return nil, ErrAmbiguous
	}
	return found, nil
}

// listed reads metadata.evidence. A store of another maker has none: then the provenance is all
// there is.
func (r *Reasons) listed(m *pamio.Memory) error {
	var meta struct {
		Evidence []Evidence `json:"evidence"`
		Count    int64      `json:"evidence_count"`
		Rule     string     `json:"rule"`
		Reason   string     `json:"status_reason"`
		By       *Evidence  `json:"status_by"`
		Inferred bool       `json:"inferred"`
		Slot     struct {
			Attribute string `json:"attribute"`
			Value     string `json:"value"`
		} `json:"slot"`
	}
	if m.Metadata != nil {
		if err := json.Unmarshal(m.Metadata, &meta); err != nil {
			return fmt.Errorf("read evidence of memory %s: %w", m.ID, err)
		}
	}
	r.Evidence = meta.Evidence
	r.Rule, r.StatusReason, r.By, r.Inferred = meta.Rule, meta.Reason, meta.By, meta.Inferred
	r.Attribute, r.Value = meta.Slot.Attribute, meta.Slot.Value
	if len(r.Evidence) == 0 && m.Provenance.ConversationRef != "" {
		r.Evidence = []Evidence{{Conversation: m.Provenance.ConversationRef, Message: m.Provenance.MessageRef}}
	}
	r.Total = max(meta.Count, int64(len(r.Evidence)))
	return nil
}

// look opens the conversations that the evidence names, each once.
func (r *Reasons) look(ctx context.Context, b *pamio.Bundle) error {
	wanted := make(map[string]*pamio.IndexEntry)
	for _, e := range r.Evidence {
		if e.Conversation != "" {
			wanted[e.Conversation] = nil
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	f, err := b.OpenStore()
	if err != nil {
		return err
	}
	defer f.Close()
	err = pamio.ReadStore(f, pamio.Visitor{IndexEntry: func(e pamio.Element) error {
		if entry, err := pamio.ParseIndexEntry(e.Raw); err == nil {
			if _, ok := wanted[entry.ID]; ok {
				wanted[entry.ID] = entry
			}
		}
		return ctx.Err()
	}})
	if err != nil {
		return err
	}
	for id, entry := range wanted {
		c, missing := open(b, entry)
		for i := range r.Evidence {
			if e := &r.Evidence[i]; e.Conversation == id {
				e.fill(entry, c, missing)
			}
		}
	}
	return nil
}

func open(b *pamio.Bundle, entry *pamio.IndexEntry) (c *pamio.Conversation, missing string) {
	switch {
	case entry == nil:
		return nil, "the index does not list this conversation"
	case entry.Storage == nil || entry.Storage.Type != "file":
		return nil, "the conversation is not kept in this bundle"
	}
	raw, err := b.ReadFile(nil, entry.Storage.Ref, MaxConversation)
	if err != nil {
		return nil, err.Error()
	}
	c, err = pamio.ParseConversation(raw)
	if err != nil {
		return nil, err.Error()
	}
	return c, ""
}

func (e *Evidence) fill(entry *pamio.IndexEntry, c *pamio.Conversation, missing string) {
	if entry != nil {
		e.Title = entry.Title
	}
	if c == nil {
		e.Missing = missing
		return
	}
	if e.Message == "" {
		return
	}
	for i := range c.Messages {
		if m := &c.Messages[i]; m.ID == e.Message {
			e.Role, e.Text = m.Role, m.PlainText()
			return
		}
	}
	e.Missing = "the conversation has no message of that id"
}
