package convert

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Kinds and types of the streams and memories that hold what the other format has no place for.
const (
	streamStore        = "pamStore"
	streamRelation     = "pamRelation"
	streamConversation = "pamConversation"
	streamDocument     = "pamConversationDoc"
	streamEmbedding    = "pamEmbedding"
	streamFile         = "pamFile"
	erasedText         = "[erased]"
	emptyText          = "[empty]"
	summaryLength      = 120
)

// episode holds the fields of a .mem episode that come from a PAM memory.
type episode struct {
	ID              string            `json:"id"`
	EventTime       string            `json:"eventTime"`
	MentionTime     string            `json:"mentionTime"`
	IngestionTime   string            `json:"ingestionTime"`
	SourceType      string            `json:"sourceType"`
	Actors          []string          `json:"actors"`
	Summary         string            `json:"summary"`
	Details         string            `json:"details"`
	Sensitivity     string            `json:"sensitivity"`
	Metadata        map[string]string `json:"metadata"`
	Categories      []string          `json:"categories"`
	Importance      float64           `json:"importance"`
	Confidence      float64           `json:"confidence"`
	LifecycleState  string            `json:"lifecycleState"`
	ExtractionState string            `json:"extractionState"`
	AccessCount     float64           `json:"accessCount"`
	Pinned          bool              `json:"pinned"`
	VaultRefs       []string          `json:"vaultRefs"`
	DeletedAt       string            `json:"deletedAt,omitempty"`
	ContextID       string            `json:"contextID,omitempty"`
	ExpirationDate  string            `json:"expirationDate,omitempty"`
}

var lifecycles = map[string]string{"active": "HOT", "deprecated": "COLD", "superseded": "COLD", "archived": "ARCHIVED", "retracted": "ARCHIVED"}

// sourceTypes are the source types of PAM's ways of extraction.
var sourceTypes = map[string]string{"user_input": "note", "api_export": "chat", "llm_inference": "chat"}

// newEpisode projects a memory. Soft deletion is a time, never a tombstone: PAM keeps what was
// retracted.
func newEpisode(m *pamio.Memory) *episode {
	t := m.Temporal
	e := &episode{
		ID: m.ID, Details: m.Content, Summary: m.Summary, Sensitivity: "low", Actors: []string{}, VaultRefs: []string{},
		EventTime: memTime(t.ValidFrom, t.CreatedAt), MentionTime: memTime(t.UpdatedAt, t.CreatedAt), IngestionTime: memTime(m.Provenance.ExtractedAt, t.CreatedAt),
		SourceType: "chat", Categories: m.Tags, Importance: 0.5, Confidence: 1, ExtractionState: "done", LifecycleState: lifecycles[m.Status],
		ContextID: m.Provenance.ConversationRef, Metadata: map[string]string{"pam_type": m.Type, "pam_status": m.Status, "pam_platform": m.Provenance.Platform},
	}
	if s, ok := sourceTypes[m.Provenance.ExtractionMethod]; ok {
		e.SourceType = s
	}
	if e.Categories == nil {
		e.Categories = []string{}
	}
	if e.LifecycleState == "" {
		e.LifecycleState = "HOT"
	}
	if e.Summary == "" {
		e.Summary = firstRunes(m.Content, summaryLength)
	}
	if m.Confidence != nil {
		e.Confidence = math.Round(m.Confidence.Current*1e4) / 1e4
	}
	if t.ValidUntil != "" {
		e.ExpirationDate = memTime(t.ValidUntil)
	}
	if m.Status == "retracted" {
		e.DeletedAt = memTime(t.UpdatedAt, t.CreatedAt)
	}
	if m.ContentHash != "" {
		e.Metadata["pam_content_hash"] = m.ContentHash
	}
	if m.Type == "custom" {
		e.Metadata["pam_custom_type"] = m.CustomType
	}
	return e
}

// line is the canonical text of an episode.
func (e *episode) line() ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return mem.Canonicalize(text)
}

// memTime is the first of the times that can be read, in the form of the format.
func memTime(times ...string) string {
	for _, s := range times {
		if t, err := pamio.ParseTime(s); err == nil {
			return mem.FormatTime(t)
		}
	}
	return mem.FormatTime(time.Unix(0, 0))
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// shadow is what an episode carries in its metadata under the key pam, as JSON text: a string goes
// unchanged through programs that write numbers differently or drop fields that they do not know.
type shadow struct {
	// Memory is the memory without its content, which is in the episode.
	Memory pamio.RawJSON `json:"memory"`
	// Content is the digest of the content.
	Content string `json:"content"`
	// N is the place of the memory in its store; nil if ids order the memories.
	N *int64 `json:"n,omitempty"`
}

func textDigest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func newShadow(raw []byte, content string, n int64) (string, error) {
	d, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return "", err
	}
	s := shadow{Memory: withoutMember(d.Root(), "content"), Content: textDigest(content)}
	if n >= 0 {
		s.N = &n
	}
	text, err := json.Marshal(s)
	return string(text), err
}

// withoutMember is the compact text of an object without one member.
func withoutMember(n jsonscan.Node, name string) []byte {
	out := []byte{'{'}
	for k, v := range n.Fields() {
		if k.Is(name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = v.AppendCompact(append(append(out, k.Raw()...), ':'))
	}
	return append(out, '}')
}

// withMember is an object's text with one more member in front.
func withMember(object []byte, name string, value []byte) []byte {
	out := append(pamio.AppendString([]byte{'{'}, name), ':')
	out = append(out, value...)
	if len(object) > 2 {
		out = append(out, ',')
	}
	return append(out, object[1:]...)
}

// memoryOf gives the memory that an episode was made of, with the fields that were changed since.
func (s *shadow) memoryOf(e *episode) (raw []byte, edited []string, err error) {
	raw = withMember(s.Memory, "content", pamio.AppendString(nil, e.Details))
	m, err := pamio.ParseMemory(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("read shadow of %s: %w", e.ID, err)
	}
	was := newEpisode(m)
	change := func(field string, differs bool, set func()) {
		if differs {
			edited = append(edited, field)
			set()
		}
	}
	contentEdited := textDigest(e.Details) != s.Content
	change("content", contentEdited, func() { m.ContentHash = pamio.ContentHash(e.Details) })
	if contentEdited && m.Summary == "" {
		was.Summary = e.Summary // cut from the content before
	}
	change("summary", e.Summary != was.Summary, func() { m.Summary = e.Summary })
	change("tags", !slices.Equal(e.Categories, was.Categories), func() { m.Tags = tagsOf(e.Categories) })
	change("confidence", e.Confidence != was.Confidence && e.Confidence >= 0 && e.Confidence <= 1, func() {
		if m.Confidence == nil {
			m.Confidence = &pamio.Confidence{Initial: e.Confidence}
		}
		m.Confidence.Current = e.Confidence
	})
	change("valid_from", !sameTime(e.EventTime, was.EventTime), func() { m.Temporal.ValidFrom = memTime(e.EventTime) })
	change("updated_at", !sameTime(e.MentionTime, was.MentionTime), func() { m.Temporal.UpdatedAt = memTime(e.MentionTime) })
	change("valid_until", !sameTime(e.ExpirationDate, was.ExpirationDate), func() {
		if m.Temporal.ValidUntil = ""; e.ExpirationDate != "" {
			m.Temporal.ValidUntil = memTime(e.ExpirationDate)
		}
	})
	change("status", e.LifecycleState != was.LifecycleState || (e.DeletedAt == "") != (was.DeletedAt == ""), func() { m.Status = statusOf(e) })
	if edited == nil {
		return raw, nil, nil
	}
	raw, err = m.AppendCanonical(nil)
	return raw, edited, err
}

func sameTime(a, b string) bool { return a == b || a != "" && b != "" && memTime(a) == memTime(b) }

// statusOf is the status that the states of an episode come to.
func statusOf(e *episode) string {
	switch {
	case e.DeletedAt != "":
		return "retracted"
	case e.LifecycleState == "ARCHIVED":
		return "archived"
	case e.LifecycleState == "COLD":
		return "deprecated"
	}
	return "active"
}

// tagsOf makes tags of PAM of any texts.
func tagsOf(texts []string) []string {
	tags := []string{}
	for _, s := range texts {
		tag := strings.Trim(strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_':
				return r
			case r >= 'A' && r <= 'Z':
				return r + 'a' - 'A'
			}
			return '-'
		}, s), "-_")
		for strings.Contains(tag, "--") {
			tag = strings.ReplaceAll(tag, "--", "-")
		}
		if pamio.IsTag(tag) && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}
