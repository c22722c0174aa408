package assemble

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// generator is an Input that makes everything when asked, and an Output that only counts.
type generator struct {
	conversations, candidates int
	doc                       func(n int) []byte
	beat                      func() // called now and then
	files, bytes              atomic.Int64
}

func (g *generator) id(n int) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)*0x9E3779B97F4A7C15) // scattered
	return uuid.UUID(b).String()
}

func (g *generator) snapshot(n int) Snapshot {
	doc := g.doc(n)
	return Snapshot{
		Conversation: g.id(n), Order: day1, Digest: hexSum(doc), Pack: fmt.Sprint("pack ", n%100), Offset: int64(n), Length: int64(len(doc)),
		Position: int64(n), Source: Source{File: "conversations.json", Checksum: pamio.ContentHash("x"), ImportedAt: day2},
		Platform: "chatgpt", CreatedAt: day1, Messages: 1,
	}
}

func (g *generator) Snapshots(context.Context) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		for n := range g.conversations {
			if n%5000 == 0 {
				g.beat()
			}
			if !yield(g.snapshot(n), nil) {
				return
			}
		}
	}
}

func (g *generator) Read(_ context.Context, s Snapshot) ([]byte, error) {
	return g.doc(int(s.Offset)), nil
}

func (g *generator) ReadPack(_ context.Context, _ string, want []Snapshot, yield func(Snapshot, []byte) error) error {
	g.beat()
	for _, s := range want {
		if err := yield(s, g.doc(int(s.Offset))); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) Candidates(context.Context) iter.Seq2[normalize.Candidate, error] {
	return func(yield func(normalize.Candidate, error) bool) {
		for n := range g.candidates {
			if n%5000 == 0 {
				g.beat()
			}
			c := candidate(fmt.Sprint("thing ", n%(g.candidates/2)), 0, day1)
			c.Evidence[0] = normalize.Evidence{Conversation: g.id(n % g.conversations), Message: "a", ObservedAt: day1}
			if n%10 == 0 {
				c.Content = "said everywhere" // one memory with a tenth of all evidence
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (g *generator) Past(context.Context) iter.Seq2[normalize.Candidate, error] {
	return each[normalize.Candidate](nil)
}
func (g *generator) Edits(context.Context) iter.Seq2[Edit, error]      { return each[Edit](nil) }
func (g *generator) Vectors(context.Context) iter.Seq2[Vector, error]  { return each[Vector](nil) }
func (g *generator) Previous(context.Context) iter.Seq2[Folded, error] { return each[Folded](nil) }

func (g *generator) Conversations(_ context.Context, files []File) error {
	g.files.Add(int64(len(files)))
	for _, f := range files {
		g.bytes.Add(int64(len(f.Body)))
	}
	return nil
}

func TestMemoryStaysBoundedWhateverTheNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: other tests run the same code")
	}
	const n = 60_000
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var peak atomic.Uint64
	calls := 0
	g := &generator{conversations: n, candidates: n}
	g.doc = func(n int) []byte {
		return fmt.Appendf(nil, `{"id":"%s","text":"%s"}`, g.id(n), strings.Repeat("x", 200))
	}
	g.beat = func() {
		if calls++; calls%16 == 0 {
			peak.Store(max(peak.Load(), heap()))
		}
	}
	before := heap()
	r, err := Assemble(context.Background(), g, g, Options{Scratch: t.TempDir(), Budget: 4 << 20, BatchBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	peak.Store(max(peak.Load(), heap()))
	if r.Index.Count != int64(n) || g.files.Load() != int64(n) || r.Memories.Count < int64(n)*4/10 {
		t.Errorf("stats %+v", r.Stats)
	}
	grown := int64(peak.Load()) - int64(before)
	t.Logf("the heap grew by %.1f MB for %d conversations and candidates (%.0f MB of sections)",
		float64(grown)/1e6, n, float64(r.Index.Size+r.Memories.Size+r.FoldIndex.Size)/1e6)
	if grown > 20<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// BenchmarkAssemble copies 6,000 snapshots of 47 KB each, all new.
func BenchmarkAssemble(b *testing.B) {
	doc := []byte(`{"schema":"portable-ai-memory-conversation","text":"` + strings.Repeat("x", 47_000) + `"}`)
	sum := hexSum(doc)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			g := &copies{generator{conversations: 6000, candidates: 2, doc: func(int) []byte { return doc }, beat: func() {}}, sum}
			b.SetBytes(int64(len(doc)) * 6000)
			b.ReportAllocs()
			for b.Loop() {
				r, err := Assemble(context.Background(), g, g, Options{Scratch: b.TempDir(), Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("sha256 alone", func(b *testing.B) {
		b.SetBytes(int64(len(doc)) * 6000)
		for b.Loop() {
			for range 6000 {
				hexSum(doc)
			}
		}
	})
}

// copies is a generator of one document under many ids.
type copies struct {
	generator
	digest string
}

func (c *copies) Snapshots(context.Context) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		for n := range c.conversations {
			s := Snapshot{
				Conversation: c.id(n), Order: day1, Digest: c.digest, Pack: fmt.Sprint("pack ", n/200), Offset: int64(n), Length: int64(len(c.doc(n))),
				Position: int64(n), Platform: "chatgpt", CreatedAt: day1, Messages: 1,
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}
