package assemble

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// storage is an Input and an Output in memory.
type storage struct {
	packs      map[string][]byte
	snapshots  []Snapshot
	candidates []normalize.Candidate
	previous   []Folded
	past       []normalize.Candidate
	edits      []Edit
	vectors    []Vector

	mu    sync.Mutex
	files map[string][]byte
	reads int
	fail  error // of Output.Conversations
}

func newStorage() *storage {
	return &storage{packs: map[string][]byte{}, files: map[string][]byte{}}
}

// export is one import: its source and the documents in it.
type export struct {
	source     Source
	docs       []*pamio.Conversation
	candidates []normalize.Candidate
	id         string // of the import
}

// from names the import that an archive was read by.
func (e export) from(id string) export {
	e.id = id
	return e
}

func newArchive(file, importedAt string, docs ...*pamio.Conversation) export {
	sum := sha256.Sum256([]byte(file + importedAt))
	return export{source: Source{
		File: file, Checksum: pamio.Digest(sum), ImportedAt: importedAt,
		Importer: "pamline-chatgpt/1.0.0", ImporterVersion: "chatgpt-importer/2026.07",
	}, docs: docs}
}

func (s *storage) add(archives ...export) {
	for _, a := range archives {
		name := "imports/" + a.source.Checksum
		var pack []byte
		for i, d := range a.docs {
			d.Import = nil
			body := d.AppendJSON(nil)
			order := d.Temporal.UpdatedAt
			s.snapshots = append(s.snapshots, Snapshot{
				Conversation: d.ID, Import: a.id, Order: order, Digest: hexSum(body),
				Pack: name, Offset: int64(len(pack)), Length: int64(len(body)), Position: int64(i), Source: a.source,
				Platform: d.Provider.Name, Title: d.Title, CreatedAt: d.Temporal.CreatedAt, UpdatedAt: d.Temporal.UpdatedAt,
				Messages: int64(len(d.Messages)), Tags: d.Tags,
			})
			pack = append(append(pack, body...), '\n')
		}
		s.packs[name] = pack
		s.candidates = append(s.candidates, a.candidates...)
	}
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (s *storage) Snapshots(context.Context) iter.Seq2[Snapshot, error] { return each(s.snapshots) }
func (s *storage) Candidates(context.Context) iter.Seq2[normalize.Candidate, error] {
	return each(s.candidates)
}
func (s *storage) Past(context.Context) iter.Seq2[normalize.Candidate, error] { return each(s.past) }
func (s *storage) Edits(context.Context) iter.Seq2[Edit, error]               { return each(s.edits) }
func (s *storage) Vectors(context.Context) iter.Seq2[Vector, error]           { return each(s.vectors) }
func (s *storage) Previous(context.Context) iter.Seq2[Folded, error]          { return each(s.previous) }

func each[T any](values []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (s *storage) Read(_ context.Context, snap Snapshot) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	pack, ok := s.packs[snap.Pack]
	if !ok {
		return nil, errors.New("no such pack")
	}
	return slices.Clone(pack[snap.Offset : snap.Offset+snap.Length]), nil
}

func (s *storage) ReadPack(ctx context.Context, pack string, want []Snapshot, yield func(Snapshot, []byte) error) error {
	for i, snap := range want {
		if snap.Pack != pack || i > 0 && snap.Offset <= want[i-1].Offset {
			return errors.New("the documents asked for do not ascend in one pack")
		}
		doc, err := s.Read(ctx, snap)
		if err != nil {
			return err
		}
		if err := yield(snap, doc); err != nil {
			return err
		}
		clear(doc) // it lived only during the call
	}
	return nil
}

func (s *storage) Conversations(_ context.Context, files []File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	for _, f := range files {
		if old, ok := s.files[f.Name]; ok && !bytes.Equal(old, f.Body) {
			return fmt.Errorf("two contents of %s", f.Name)
		}
		s.files[f.Name] = slices.Clone(f.Body)
	}
	return nil
}

// store is all that an assembly gives.
type store struct {
	content
	stats   Stats
	imports map[string]*ImportChanges
}

type content struct {
	memories, relations, index, foldIndex, embeddings, checksum string
}

func text(t testing.TB, s *Spool) string {
	t.Helper()
	b, err := io.ReadAll(s.Reader())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func assemble(t testing.TB, s *storage, o Options) store {
	t.Helper()
	if o.Scratch == "" {
		o.Scratch = t.TempDir()
	}
	r, err := Assemble(context.Background(), s, s, o)
	if err != nil {
		t.Fatal(err)
	}
	out := store{content{text(t, r.Memories), text(t, r.Relations), text(t, r.Index), text(t, r.FoldIndex), text(t, r.Embeddings), r.Checksum}, r.Stats, r.Imports}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// take makes the fold index of a store that of the head.
func (s *storage) take(t testing.TB, from store) {
	t.Helper()
	s.previous = nil
	for line := range strings.Lines(from.foldIndex) {
		f, err := ParseFolded([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		s.previous = append(s.previous, f)
	}
}

// conversation makes a document of linear messages "id:text".
func conversation(n int, updated string, messages ...string) *pamio.Conversation {
	title := fmt.Sprint("Title ", n)
	c := &pamio.Conversation{
		ID:       normalize.ConversationID("chatgpt", fmt.Sprint(n)),
		Provider: pamio.Provider{Name: "chatgpt", ConversationID: fmt.Sprint(n)},
		Title:    &title,
		Temporal: pamio.Span{CreatedAt: "2024-01-01T00:00:00Z", UpdatedAt: updated},
	}
	for i, m := range messages {
		id, body, _ := strings.Cut(m, ":")
		msg := pamio.Message{
			ID: id, Role: "user", CreatedAt: "2024-01-01T00:00:00Z",
			Content: &pamio.Content{Type: "text", Text: &body},
		}
		if i > 0 {
			msg.ParentID = c.Messages[i-1].ID
			c.Messages[i-1].ChildrenIDs = []string{id}
		}
		c.Messages = append(c.Messages, msg)
	}
	return c
}
