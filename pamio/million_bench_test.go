package pamio

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// BenchmarkStoreOfAMillionMemories writes, reads and checksums a store of a million memories and
// reports the greatest heap it saw on the way, which does not depend on the number.
func BenchmarkStoreOfAMillionMemories(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		peak := uint64(0)
		look := func(i int) {
			if i%50_000 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
		}
		size := millionMemories(b, n, look)
		b.SetBytes(size)
		b.ReportMetric(float64(peak)/1e6, "peak-heap-MB")
	}
}

func millionMemories(b *testing.B, n int, look func(int)) (size int64) {
	folder := b.TempDir()
	spool, err := os.Create(filepath.Join(folder, "memories"))
	if err != nil {
		b.Fatal(err)
	}
	defer spool.Close()
	w := bufio.NewWriterSize(spool, 256<<10)
	section := NewSection(w)
	var buf []byte
	for i := range n {
		content := fmt.Sprintf("User has told the assistant fact number %d, which is worth remembering for a while.", i)
		m := Memory{
			ID: fmt.Sprintf("%08x-0000-5000-8000-000000000000", i), Type: "fact", Status: "active", Content: content, ContentHash: ContentHash(content),
			Temporal: Temporal{CreatedAt: "2026-01-01T00:00:00Z"}, Provenance: Provenance{Platform: "chatgpt", ExtractionMethod: "api_export"},
			Confidence: &Confidence{Initial: .9, Current: .9, DecayModel: "none"},
		}
		if buf, err = m.AppendCanonical(buf[:0]); err == nil {
			err = section.AddOrdered(m.ID, buf)
		}
		if err != nil {
			b.Fatal(err)
		}
		look(i)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if _, err := spool.Seek(0, 0); err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(filepath.Join(folder, "memory-store.json"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 256<<10)
	if err := WriteStore(out, Header{Owner: Owner{ID: "me"}}, spool, nil, nil, section.Integrity(), nil); err != nil {
		b.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if size, err = file.Seek(0, 1); err == nil {
		_, err = file.Seek(0, 0)
	}
	if err != nil {
		b.Fatal(err)
	}
	var sum Checksummer
	err = ReadStore(bufio.NewReaderSize(file, 256<<10), Visitor{Memory: func(e Element) error {
		look(e.Index)
		m, err := ParseMemory(e.Raw)
		if err != nil {
			return err
		}
		canonical, err := Canonicalize(e.Raw)
		if err != nil {
			return err
		}
		return sum.Add(m.ID, canonical)
	}})
	if err != nil {
		b.Fatal(err)
	}
	if sum.Sum() != section.Integrity().Checksum || sum.Count() != int64(n) {
		b.Fatalf("read %d memories with checksum %s, wrote %s", sum.Count(), sum.Sum(), section.Integrity().Checksum)
	}
	return size
}
