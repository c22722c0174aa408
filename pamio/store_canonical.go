package pamio

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// AppendCanonical appends the memory in RFC 8785 canonical form. status (default "active") and tags
// are always written, access is whole or absent, nothing is null. It fails when the memory has no
// canonical form: a string that is not UTF-8, a confidence that is not a number, or metadata that
// [Canonicalize] refuses; dst is returned as it was.
func (m *Memory) AppendCanonical(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, '{')
	if m.Access != nil {
		dst = m.Access.append(appendKey(dst, "access"))
	}
	if c := m.Confidence; c != nil {
		if !finite(c.Initial) || !finite(c.Current) {
			return dst[:start], errors.New("write memory: confidence is not a finite number")
		}
		dst = c.append(appendKey(dst, "confidence"))
	}
	dst = appendMember(dst, "content", m.Content)
	dst = appendMember(dst, "content_hash", m.ContentHash)
	dst = appendOptional(dst, "custom_type", m.CustomType)
	dst = appendOptional(dst, "embedding_ref", m.EmbeddingRef)
	dst = appendMember(dst, "id", m.ID)
	if m.Metadata != nil {
		metadata, err := Canonicalize(m.Metadata)
		if err != nil {
			return dst[:start], fmt.Errorf("write memory: metadata: %w", err)
		}
		// A double from 2^53 on, such as 1e17, is written as an integer that other readers round or
		// refuse.
		if !isCanonical(metadata) {
			return dst[:start], fmt.Errorf("write memory: metadata: %w", ErrBigInteger)
		}
		dst = append(appendKey(dst, "metadata"), metadata...)
	}
	dst = m.Provenance.append(appendKey(dst, "provenance"))
	status := m.Status
	if status == "" {
		status = "active"
	}
	dst = appendMember(dst, "status", status)
	dst = appendOptional(dst, "summary", m.Summary)
	dst = appendStrings(dst, "tags", m.Tags)
	dst = m.Temporal.append(appendKey(dst, "temporal"))
	dst = appendMember(dst, "type", m.Type)
	if !m.validUTF8() {
		return dst[:start], errors.New("write memory: a string is not UTF-8")
	}
	return append(dst, '}'), nil
}

// AppendCanonical appends the relation in RFC 8785 canonical form. It fails when the relation has
// none; dst is returned as it was.
func (r *Relation) AppendCanonical(dst []byte) ([]byte, error) {
	if r.Confidence != nil && !finite(*r.Confidence) {
		return dst, errors.New("write relation: confidence is not a finite number")
	}
	if !allUTF8(r.ID, r.From, r.To, r.Type, r.CreatedAt) {
		return dst, errors.New("write relation: a string is not UTF-8")
	}
	dst = append(dst, '{')
	if r.Confidence != nil {
		dst = appendNumber(appendKey(dst, "confidence"), *r.Confidence)
	}
	dst = appendMember(dst, "created_at", r.CreatedAt)
	dst = appendMember(dst, "from", r.From)
	dst = appendMember(dst, "id", r.ID)
	dst = appendMember(dst, "to", r.To)
	return append(appendMember(dst, "type", r.Type), '}'), nil
}

// AppendCanonical appends the index entry in RFC 8785 canonical form; derived_memories and tags are
// always written. It fails when the entry has a string that is not UTF-8; dst is returned as it
// was.
func (e *IndexEntry) AppendCanonical(dst []byte) ([]byte, error) {
	if !e.validUTF8() {
		return dst, errors.New("write index entry: a string is not UTF-8")
	}
	dst = appendStrings(append(dst, '{'), "derived_memories", e.DerivedMemories)
	dst = appendMember(dst, "id", e.ID)
	if e.MessageCount != nil {
		dst = strconv.AppendInt(appendKey(dst, "message_count"), *e.MessageCount, 10)
	}
	dst = appendMember(dst, "platform", e.Platform)
	if s := e.Storage; s != nil {
		dst = s.append(appendKey(dst, "storage"))
	}
	dst = appendStrings(dst, "tags", e.Tags)
	dst = e.Temporal.append(appendKey(dst, "temporal"))
	return append(appendPointer(dst, "title", e.Title), '}'), nil
}

func (s *Storage) append(dst []byte) []byte {
	dst = appendOptional(append(dst, '{'), "format", s.Format)
	dst = appendMember(dst, "ref", s.Ref)
	return append(appendMember(dst, "type", s.Type), '}')
}

func (a *Access) append(dst []byte) []byte {
	dst = strconv.AppendBool(appendKey(append(dst, '{'), "exportable"), a.Exportable)
	dst = append(appendKey(dst, "shared_with"), '[')
	for i, g := range a.SharedWith {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMember(append(dst, '{'), "entity", g.Entity)
		dst = append(appendStrings(dst, "permissions", g.Permissions), '}')
	}
	return append(appendMember(append(dst, ']'), "visibility", a.Visibility), '}')
}

func (c *Confidence) append(dst []byte) []byte {
	dst = appendNumber(appendKey(append(dst, '{'), "current"), c.Current)
	dst = appendOptional(dst, "decay_model", c.DecayModel)
	dst = appendNumber(appendKey(dst, "initial"), c.Initial)
	return append(appendOptional(dst, "last_reinforced", c.LastReinforced), '}')
}

func (t *Temporal) append(dst []byte) []byte {
	dst = appendMember(append(dst, '{'), "created_at", t.CreatedAt)
	dst = appendOptional(dst, "superseded_by", t.SupersededBy)
	dst = appendOptional(dst, "updated_at", t.UpdatedAt)
	dst = appendOptional(dst, "valid_from", t.ValidFrom)
	return append(appendOptional(dst, "valid_until", t.ValidUntil), '}')
}

func (p *Provenance) append(dst []byte) []byte {
	dst = appendOptional(append(dst, '{'), "conversation_ref", p.ConversationRef)
	dst = appendOptional(dst, "extracted_at", p.ExtractedAt)
	dst = appendOptional(dst, "extraction_method", p.ExtractionMethod)
	dst = appendOptional(dst, "extractor", p.Extractor)
	dst = appendOptional(dst, "message_ref", p.MessageRef)
	dst = appendMember(dst, "platform", p.Platform)
	return append(appendOptional(dst, "platform_user_id", p.PlatformUserID), '}')
}

func (m *Memory) validUTF8() bool {
	if a := m.Access; a != nil {
		if !utf8.ValidString(a.Visibility) {
			return false
		}
		for _, g := range a.SharedWith {
			if !utf8.ValidString(g.Entity) || !allUTF8(g.Permissions...) {
				return false
			}
		}
	}
	if c := m.Confidence; c != nil && !allUTF8(c.DecayModel, c.LastReinforced) {
		return false
	}
	t, p := &m.Temporal, &m.Provenance
	return allUTF8(m.Tags...) &&
		allUTF8(m.ID, m.Type, m.CustomType, m.Status, m.Content, m.ContentHash, m.Summary, m.EmbeddingRef) &&
		allUTF8(t.CreatedAt, t.UpdatedAt, t.ValidFrom, t.ValidUntil, t.SupersededBy) &&
		allUTF8(p.Platform, p.PlatformUserID, p.ConversationRef, p.MessageRef, p.ExtractionMethod, p.ExtractedAt, p.Extractor)
}

func (e *IndexEntry) validUTF8() bool {
	if e.Title != nil && !utf8.ValidString(*e.Title) {
		return false
	}
	if s := e.Storage; s != nil && !allUTF8(s.Type, s.Ref, s.Format) {
		return false
	}
	return allUTF8(e.Tags...) && allUTF8(e.DerivedMemories...) &&
		allUTF8(e.ID, e.Platform, e.Temporal.CreatedAt, e.Temporal.UpdatedAt)
}

func allUTF8(values ...string) bool {
	for _, v := range values {
		if !utf8.ValidString(v) {
			return false
		}
	}
	return true
}
