package blob_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
)

var epoch = time.Unix(1_000_000_000, 0)

const mib = 1 << 20

// pattern gives bytes of which no two kilobytes are equal.
func pattern(n int) []byte {
	data := make([]byte, n)
	for i := 0; i+8 <= n; i += 1024 {
		binary.BigEndian.PutUint64(data[i:], uint64(i)+1)
	}
	return data
}

func readerAt(t *testing.T, size int) (*blob.ReaderAt, *memory, []byte) {
	t.Helper()
	m, data := newMemory(), pattern(size)
	if _, err := m.Put(t.Context(), "o", bytes.NewReader(data), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	r, err := blob.NewReaderAt(t.Context(), m, "o")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, m, data
}

func TestReadingInOrderTakesFewGets(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	r, m, data := readerAt(t, 100*mib+17)
	buf := make([]byte, 32<<10)
	var sum bytes.Buffer
	sum.Grow(len(data))
	if _, err := io.CopyBuffer(struct{ io.Writer }{&sum}, struct{ io.Reader }{io.NewSectionReader(r, 0, r.Size())}, buf); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(sum.Bytes(), data) {
		t.Fatal("other bytes came back")
	}
	// 1 + 4 + 16 + 64 MiB and the rest.
	if len(m.gets) != 5 {
		t.Errorf("%d gets: %+v", len(m.gets), m.gets)
	}
}

func TestReadersInOrderSideBySideDoNotDisturbEachOther(t *testing.T) {
	r, m, data := readerAt(t, 60*mib)
	// Three members of 20 MiB, read in turns.
	for at := 0; at < 20*mib; at += 256 << 10 {
		for member := range 3 {
			p := make([]byte, 256<<10)
			off := member*20*mib + at
			if _, err := r.ReadAt(p, int64(off)); err != nil || !bytes.Equal(p, data[off:off+len(p)]) {
				t.Fatalf("at %d: %v", off, err)
			}
		}
	}
	if len(m.gets) > 12 {
		t.Errorf("%d gets for three members: %+v", len(m.gets), m.gets)
	}
}

func TestNearbyReadsComeFromMemory(t *testing.T) {
	r, m, data := readerAt(t, 3*mib)
	for off := 2*mib + 500_000; off > 2*mib; off -= 1000 {
		p := make([]byte, 300)
		if _, err := r.ReadAt(p, int64(off)); err != nil || !bytes.Equal(p, data[off:off+300]) {
			t.Fatal(off, err)
		}
	}
	if len(m.gets) != 1 {
		t.Errorf("%d gets", len(m.gets))
	}
}

func TestMemoryOfAReaderIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	r, m, _ := readerAt(t, 80*mib)
	p := make([]byte, 1)
	for range 2 {
		for off := int64(0); off < r.Size(); off += 2 * mib { // never in order
			if _, err := r.ReadAt(p, off); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Forty blocks are read twice; what was kept of the first round is gone when the second comes.
	if len(m.gets) != 80 {
		t.Errorf("%d gets: blocks are kept beyond the limit, or not at all", len(m.gets))
	}
}

// Who reads in order does not come back: few blocks are kept behind it, and those are still there.
func TestBlocksThatWereReadInOrderAreNotKept(t *testing.T) {
	r, m, _ := readerAt(t, 40*mib)
	p := make([]byte, 1)
	read := func(off int64) (gets int) {
		t.Helper()
		before := len(m.gets)
		if _, err := r.ReadAt(p, off); err != nil {
			t.Fatal(err)
		}
		return len(m.gets) - before
	}
	for off := int64(0); off < r.Size(); off += mib {
		read(off)
	}
	for off, want := range map[int64]int{39 * mib: 0, 36 * mib: 0, 35 * mib: 1, 20 * mib: 1} {
		if gets := read(off); gets != want {
			t.Errorf("%d gets for the block at %d MiB, want %d", gets, off/mib, want)
		}
	}
}

func TestReadAtTheEnd(t *testing.T) {
	r, _, data := readerAt(t, mib+10)
	p := make([]byte, 20)
	for off, want := range map[int64]int{mib: 10, mib + 9: 1, mib + 10: 0, 5 * mib: 0} {
		n, err := r.ReadAt(p, off)
		if n != want || err != io.EOF || !bytes.Equal(p[:n], data[min(off, mib+10):][:n]) {
			t.Errorf("at %d: %d, %v", off, n, err)
		}
	}
	if _, err := r.ReadAt(p, -1); err == nil || err == io.EOF {
		t.Errorf("at -1: %v", err)
	}
	if n, err := r.ReadAt(nil, 3); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
}

func TestFailureIsNotRemembered(t *testing.T) {
	r, m, data := readerAt(t, 2*mib)
	broken := errors.New("broken")
	m.getErr = func(n int) error {
		if n == 1 {
			return broken
		}
		return nil
	}
	p := make([]byte, 10)
	if _, err := r.ReadAt(p, 5); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := r.ReadAt(p, 5); err != nil || !bytes.Equal(p, data[5:15]) {
		t.Errorf("again: %v", err)
	}
}

func TestEarlyEndIsAFailure(t *testing.T) {
	r, m, _ := readerAt(t, 2*mib)
	m.cutShort = 1
	if _, err := r.ReadAt(make([]byte, 10), 0); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func TestDeletedObjectIsAChangedOne(t *testing.T) {
	r, m, _ := readerAt(t, 2*mib)
	if err := m.Delete(t.Context(), "o"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadAt(make([]byte, 10), 0); !errors.Is(err, blob.ErrChanged) {
		t.Errorf("got %v", err)
	}
}

func TestClosedReaderSaysSo(t *testing.T) {
	r, _, _ := readerAt(t, 10)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadAt(make([]byte, 1), 0); err == nil {
		t.Error("a closed reader reads")
	}
}

func BenchmarkReadInOrder(b *testing.B) {
	m, data := newMemory(), pattern(64*mib)
	if _, err := m.Put(b.Context(), "o", bytes.NewReader(data), blob.PutOptions{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := blob.NewReaderAt(b.Context(), m, "o")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, io.NewSectionReader(r, 0, r.Size())); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
