package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pamline/pamline/pamio"
)

// Summary is what a store holds, at a glance.
type Summary struct {
	Owner      string `json:"owner"`
	ExportID   string `json:"export_id,omitempty"`
	ExportDate string `json:"export_date,omitempty"`
	ExportedBy string `json:"exported_by,omitempty"`
	ExportType string `json:"export_type,omitempty"`
	Signed     bool   `json:"signed"`

	Memories       int64 `json:"memories"`
	MemoriesByType Tally `json:"memories_by_type"`
	// MemoriesByStatus and the two after it count memories as well.
	MemoriesByStatus Tally    `json:"memories_by_status"`
	MemoriesByMethod Tally    `json:"memories_by_method"`
	Samples          []Sample `json:"samples"`

	Relations     int64 `json:"relations"`
	Embeddings    int64 `json:"embeddings"`
	Conversations int64 `json:"conversations"`
	Messages      int64 `json:"messages"`
	// Assets are the files that the conversations or their imports brought along, AssetBytes their
	// size together.
	Assets     int64 `json:"assets"`
	AssetBytes int64 `json:"asset_bytes"`
	// ConversationsByPlatform counts entries of the index.
	ConversationsByPlatform Tally `json:"conversations_by_platform"`
	// First and Last span the conversations; times that stand for "not known" are left out.
	First   string  `json:"first,omitempty"`
	Last    string  `json:"last,omitempty"`
	Biggest []Entry `json:"biggest_conversations"`
	// Unreadable counts elements that could not be read; validate says what is wrong with them.
	Unreadable int64 `json:"unreadable,omitempty"`
}

// Sample is one memory in a line.
type Sample struct {
	ID         string   `json:"id"`
	Type       string   `json:"type"`
	Content    string   `json:"content"`
	Confidence *float64 `json:"confidence,omitempty"`
}

// Entry is one conversation of the index in a line.
type Entry struct {
	ID       string  `json:"id"`
	Platform string  `json:"platform"`
	Title    *string `json:"title"`
	Messages int64   `json:"messages"`
	Created  string  `json:"created_at,omitempty"`
}

// unknownTime is what PAM documents of ours carry when a source tells no time.
const unknownTime = "1970-01-01T00:00:00Z"

const (
	samplesOfAType = 3
	sampledTypes   = 12
	biggest        = 5
)

// Summarize reads a bundle's store and embeddings from front to back. The conversation files are
// not opened.
func Summarize(ctx context.Context, b *pamio.Bundle) (*Summary, error) {
	s := &summing{
		Summary: Summary{MemoriesByType: Tally{}, MemoriesByStatus: Tally{}, MemoriesByMethod: Tally{}, ConversationsByPlatform: Tally{}},
		samples: make(map[string]*best[Sample]),
		biggest: best[Entry]{n: biggest, before: func(a, b Entry) int {
			return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.ID, b.ID))
		}},
	}
	f, err := b.OpenStore()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	err = pamio.ReadStore(f, pamio.Visitor{
		Memory:     func(e pamio.Element) error { return s.memory(ctx, e) },
		Relation:   func(pamio.Element) error { s.Relations++; return ctx.Err() },
		IndexEntry: func(e pamio.Element) error { return s.entry(ctx, e) },
		Scalars: func(v *pamio.Scalars) error {
			s.Owner, s.ExportID, s.ExportDate = v.Owner.ID, v.ExportID, v.ExportDate
			s.ExportedBy, s.ExportType, s.Signed = v.ExportedBy, v.ExportType, v.Signature != nil
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	if err := s.embeddings(ctx, b); err != nil {
		return nil, err
	}
	if err := s.assets(ctx, b.FS(), "assets"); err != nil {
		return nil, err
	}
	return s.finish(), nil
}

type summing struct {
	Summary
	samples map[string]*best[Sample]
	biggest best[Entry]
}

func (s *summing) memory(ctx context.Context, e pamio.Element) error {
	s.Memories++
	m, err := pamio.ParseMemory(e.Raw)
	if err != nil {
		s.Unreadable++
		return ctx.Err()
	}
	kind := typeName(m)
	s.MemoriesByType.add(kind, 1)
	s.MemoriesByStatus.add(m.Status, 1)
	if m.Provenance.ExtractionMethod != "" {
		s.MemoriesByMethod.add(m.Provenance.ExtractionMethod, 1)
	}
	if m.Status != "active" {
		return ctx.Err()
	}
	sample := Sample{ID: m.ID, Type: kind, Content: m.Content}
	if m.Confidence != nil {
		sample.Confidence = &m.Confidence.Current
	}
	if s.samples[kind] == nil && len(s.samples) < sampledTypes {
		s.samples[kind] = &best[Sample]{n: samplesOfAType, before: surer}
	}
	if of := s.samples[kind]; of != nil {
		of.add(sample)
	}
	return ctx.Err()
}

// surer sorts the memories that are surest first.
func surer(a, b Sample) int {
	value := func(s Sample) float64 {
		if s.Confidence == nil {
			return -1
		}
		return *s.Confidence
	}
	return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(a.ID, b.ID))
}

func typeName(m *pamio.Memory) string {
	if m.Type == "custom" && m.CustomType != "" {
		return m.CustomType
	}
	return m.Type
}

func (s *summing) entry(ctx context.Context, e pamio.Element) error {
	s.Conversations++
	x, err := pamio.ParseIndexEntry(e.Raw)
	if err != nil {
		s.Unreadable++
		return ctx.Err()
	}
	s.ConversationsByPlatform.add(x.Platform, 1)
	entry := entryOf(x)
	s.Messages += entry.Messages
	if at := entry.Created; at != "" && (s.First == "" || at < s.First) {
		s.First = at
	}
	if at := cmp.Or(x.Temporal.UpdatedAt, x.Temporal.CreatedAt); at != unknownTime && at > s.Last {
		s.Last = at
	}
	s.biggest.add(entry)
	return ctx.Err()
}

// entryOf is an entry of the index in a line.
func entryOf(x *pamio.IndexEntry) Entry {
	e := Entry{ID: x.ID, Platform: x.Platform, Title: x.Title, Created: known(x.Temporal.CreatedAt)}
	if x.MessageCount != nil {
		e.Messages = *x.MessageCount
	}
	return e
}

func (s *summing) embeddings(ctx context.Context, b *pamio.Bundle) error {
	f, err := b.OpenEmbeddings()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	err = pamio.ReadEmbeddings(f, 0, func(pamio.Element) error { s.Embeddings++; return ctx.Err() })
	if err != nil {
		return fmt.Errorf("read embeddings: %w", err)
	}
	return nil
}

func (s *summing) finish() *Summary {
	s.Biggest = s.biggest.kept
	s.Samples = []Sample{}
	for _, kind := range s.MemoriesByType.sorted() {
		if of := s.samples[kind]; of != nil {
			s.Samples = append(s.Samples, of.kept...)
		}
	}
	return &s.Summary
}
