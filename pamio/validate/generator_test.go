package validate

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// generate writes a store of n memories, each in canonical form, with a relation a memory and an
// index entry for every ten.
func generate(w io.Writer, n int, sum string) string {
	var checksum pamio.Checksummer
	section := func(name string, n int, item func(i int) string) {
		fmt.Fprintf(w, `,%q:[`, name)
		for i := range n {
			if i > 0 {
				io.WriteString(w, ",\n")
			}
			io.WriteString(w, item(i))
		}
		io.WriteString(w, "]")
	}
	fmt.Fprintf(w, `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"0b5b7a0e-7d3c-5a55-8a0c-1f2e3d4c5b6a"}`)
	section("memories", n, func(i int) string {
		content := fmt.Sprintf("Remembers the number %d and a few words more, so that it has a common length.", i)
		id := fmt.Sprintf("mem-%08d", i)
		text := fmt.Sprintf(`{"content":%q,"content_hash":%q,"id":%q,"provenance":{"conversation_ref":"conv-%07d","platform":"chatgpt"},"status":"active",`+
			`"tags":["number"],"temporal":{"created_at":"2026-01-02T10:00:00Z"},"type":"fact"}`, content, pamio.ContentHash(content), id, i/10)
		if err := checksum.Add(id, []byte(text)); err != nil {
			panic(err)
		}
		return text
	})
	section("relations", n, func(i int) string {
		return fmt.Sprintf(`{"created_at":"2026-01-02T10:00:00Z","from":"mem-%08d","id":"rel-%d","to":"mem-%08d","type":"related_to"}`, i, i, (i+1)%n)
	})
	section("conversations_index", n/10, func(i int) string {
		derived := ""
		for k := range 10 {
			derived += fmt.Sprintf(`,"mem-%08d"`, i*10+k)
		}
		return fmt.Sprintf(`{"derived_memories":[%s],"id":"conv-%07d","platform":"chatgpt","temporal":{"created_at":"2026-01-02T10:00:00Z"}}`, derived[1:], i)
	})
	if sum == "" {
		sum = checksum.Sum()
	}
	fmt.Fprintf(w, `,"integrity":{"checksum":%q,"total_memories":%d}}`, sum, n)
	return checksum.Sum()
}

// generated is a target whose store is made while it is read.
func generated(n int, peak *uint64) Target {
	return Document("generated", func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() {
			generate(w, n, "")
			w.Close()
		}()
		return &heapWatch{ReadCloser: r, peak: peak}, nil
	})
}

// heapWatch looks at the heap now and then while it is read.
type heapWatch struct {
	io.ReadCloser
	peak  *uint64
	reads int
}

func (h *heapWatch) Read(p []byte) (int, error) {
	if h.reads%20000 == 0 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		*h.peak = max(*h.peak, s.HeapAlloc)
	}
	h.reads++
	return h.ReadCloser.Read(p)
}

func TestMemoryDoesNotGrowWithTheStore(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	const bound = 24 << 20
	n := many
	var peak uint64
	r, found := run(t, generated(n, &peak), Options{Budget: 1 << 20})
	if len(found) > 0 || r.Verdict() != Valid || r.Seen.Memories != int64(n) || r.Seen.Relations != int64(n) {
		t.Errorf("found %v, report %+v", found, r)
	}
	if peak > bound {
		t.Errorf("the heap grew to %d MiB, the bound is %d MiB", peak>>20, bound>>20)
	}
	t.Logf("%d MB read with a heap of %d MiB", r.Seen.Bytes>>20, peak>>20)
}

func BenchmarkStore(b *testing.B) {
	var text bytes.Buffer
	generate(&text, 20_000, "")
	target := Document("generated", func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil })
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r, err := Run(b.Context(), target, Options{Scratch: b.TempDir()})
		if err != nil || r.Verdict() != Valid {
			b.Fatal(err, r)
		}
	}
}

func BenchmarkConversation(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(`{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c","provider":{"name":"claude"},` +
		`"temporal":{"created_at":"2026-01-02T10:00:00Z"},"messages":[`)
	words := strings.Repeat("Some words of a common message. ", 40)
	for i := range 5000 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"id":"m%d","role":"user","content":{"type":"text","text":%q},`+
			`"created_at":"2026-01-02T10:00:00Z","raw_metadata":{"a":[1,2,3],"b":"c"}}`, i, words)
	}
	text.WriteString("]}")
	target := Document("generated", func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil })
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r, err := Run(b.Context(), target, Options{Scratch: b.TempDir()})
		if err != nil || r.Verdict() != Valid {
			b.Fatal(err, r)
		}
	}
}
