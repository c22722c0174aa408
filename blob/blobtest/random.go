package blobtest

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
)

func testReaderAt(t *testing.T, s blob.Store) {
	data := noiseBytes(6, 5<<20+321)
	mustPut(t, s, "o", data)
	r, err := blob.NewReaderAt(t.Context(), s, "o")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if r.Size() != int64(len(data)) {
		t.Fatalf("size %d, want %d", r.Size(), len(data))
	}
	got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("in order: %d bytes, %v", len(got), err)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 1))
			for range 50 {
				off := rnd.IntN(len(data) + 100)
				p := make([]byte, rnd.IntN(200_000))
				n, err := r.ReadAt(p, int64(off))
				want := data[min(off, len(data)):min(off+len(p), len(data))]
				if !bytes.Equal(p[:n], want) || (len(want) < len(p)) != (err == io.EOF) || err != nil && err != io.EOF {
					t.Errorf("read %d at %d: %d bytes, %v", len(p), off, n, err)
				}
			}
		})
	}
	wg.Wait()
	if _, err := blob.NewReaderAt(t.Context(), s, "missing"); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("a missing object: %v", err)
	}
}

func testReaderAtChanged(t *testing.T, s blob.Store) {
	old := noiseBytes(7, 3<<20)
	mustPut(t, s, "o", old)
	r, err := blob.NewReaderAt(t.Context(), s, "o")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := make([]byte, 1000)
	if _, err := r.ReadAt(p, 0); err != nil || !bytes.Equal(p, old[:1000]) {
		t.Fatal("the old object is not read", err)
	}
	mustPut(t, s, "o", noiseBytes(8, 3<<20))
	// Either the old bytes or a clear error, never the new ones.
	_, err = r.ReadAt(p, 2<<20)
	if err == nil && !bytes.Equal(p, old[2<<20:2<<20+1000]) {
		t.Error("bytes of the new object were read as the old one's")
	}
	if err != nil {
		wantErr(t, "a read after the change", err, blob.ErrChanged)
	}
}
