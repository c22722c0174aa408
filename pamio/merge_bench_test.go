package pamio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkMerge merges a delta of 1 % into a store of 450 MB and reports the greatest heap that it
// saw on the way. PAMIO_MB chooses another size of the store.
func BenchmarkMerge(b *testing.B) {
	size := 450
	if n, err := strconv.Atoi(os.Getenv("PAMIO_MB")); err == nil {
		size = n
	}
	base, next := filepath.Join(b.TempDir(), "base.json"), filepath.Join(b.TempDir(), "next.json")
	writeLarge(b, base, size, "e-1", 0)
	writeLarge(b, next, size, "e-2", 100)
	var delta bytes.Buffer
	writeDelta := func() error {
		delta.Reset()
		_, err := Delta(&delta, fileSource(base), fileSource(next), DeltaOptions{Limits: Limits{Scratch: b.TempDir(), Budget: 16 << 20}})
		return err
	}
	b.Run("Delta", func(b *testing.B) { measure(b, base, writeDelta) })
	b.Run("Merge", func(b *testing.B) {
		if delta.Len() == 0 {
			if err := writeDelta(); err != nil { // Delta was not selected
				b.Fatal(err)
			}
		}
		source := Source{Name: "delta", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(delta.Bytes())), nil }}
		measure(b, base, func() error {
			out, err := os.Create(filepath.Join(b.TempDir(), "out.json"))
			if err != nil {
				return err
			}
			_, err = Merge(out, fileSource(base), []Source{source}, MergeOptions{Limits: Limits{Scratch: b.TempDir(), Budget: 16 << 20}})
			if err != nil {
				return err
			}
			return out.Close()
		})
	})
	b.Run("ReadIntegrity", func(b *testing.B) {
		measure(b, base, func() error {
			_, _, err := ReadIntegrity(fileSource(base), Limits{})
			return err
		})
	})
}

// measure runs what reads the file and looks at the heap meanwhile.
func measure(b *testing.B, file string, run func() error) {
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	var peak atomic.Uint64
	done := make(chan struct{})
	go func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-done:
				return
			case <-tick.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak.Store(max(peak.Load(), m.HeapInuse))
			}
		}
	}()
	b.SetBytes(info.Size())
	for b.Loop() {
		if err := run(); err != nil {
			b.Fatal(err)
		}
	}
	close(done)
	b.ReportMetric(float64(peak.Load())/1e6, "peak-heap-MB")
}

func fileSource(name string) Source {
	return Source{Name: filepath.Base(name), Open: func() (io.ReadCloser, error) { return os.Open(name) }}
}

// writeLarge writes a store of about size MB; one memory in every is another than elsewhere.
func writeLarge(b *testing.B, name string, size int, export string, every int) {
	memories, relations := filepath.Join(b.TempDir(), "memories"), filepath.Join(b.TempDir(), "relations")
	var in Integrity
	total := 0
	section := func(file string, share int, element func(i int) (string, []byte)) {
		f, err := os.Create(file)
		if err != nil {
			b.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 256<<10)
		s := NewSection(w)
		for total = 0; s.Size() < int64(size)*10000*int64(share); total++ {
			id, raw := element(total)
			if err := s.AddOrdered(id, raw); err != nil {
				b.Fatal(err)
			}
		}
		if share > 50 {
			in = s.Integrity()
		}
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			b.Fatal(err)
		}
	}
	section(memories, 85, func(i int) (string, []byte) {
		content := fmt.Sprintf("User has told the assistant fact number %d, which is worth remembering for a while.", i)
		m := Memory{
			ID: fmt.Sprintf("%08x-0000-5000-8000-000000000000", i), Type: "fact", Status: "active", Content: content, ContentHash: ContentHash(content),
			Temporal: Temporal{CreatedAt: "2026-01-01T00:00:00Z"}, Confidence: &Confidence{Initial: .9, Current: .9, DecayModel: "none"},
			Provenance: Provenance{Platform: "chatgpt", ConversationRef: fmt.Sprintf("%08x-0000-5000-8000-000000000000", i/9), ExtractionMethod: "api_export"},
		}
		if every > 0 && i%every == 0 {
			m.Status, m.Temporal.UpdatedAt = "archived", "2026-02-01T00:00:00Z"
		}
		raw, err := m.AppendCanonical(nil)
		if err != nil {
			b.Fatal(err)
		}
		return m.ID, raw
	})
	section(relations, 15, func(i int) (string, []byte) {
		r := Relation{ID: fmt.Sprintf("%08x-1111-5000-8000-000000000000", i), From: fmt.Sprintf("%08x-0000-5000-8000-000000000000", i),
			To: fmt.Sprintf("%08x-0000-5000-8000-000000000000", i+1), Type: "related_to", CreatedAt: "2026-01-01T00:00:00Z"}
		raw, err := r.AppendCanonical(nil)
		if err != nil {
			b.Fatal(err)
		}
		return r.ID, raw
	})
	open := func(name string) *os.File {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		return f
	}
	m, r := open(memories), open(relations)
	defer m.Close()
	defer r.Close()
	out, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	h := Header{Owner: Owner{ID: "me"}, ExportID: export, ExportDate: "2026-01-15T00:00:00Z"}
	if err := WriteStore(out, h, m, r, nil, in, nil); err != nil {
		b.Fatal(err)
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
}
