package extsort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

type pair struct{ key, value string }

func comparePairs(a, b pair) int {
	if c := bytes.Compare([]byte(a.key), []byte(b.key)); c != 0 {
		return c
	}
	return bytes.Compare([]byte(a.value), []byte(b.value))
}

func collect(t testing.TB, s *Sorter) []pair {
	t.Helper()
	var out []pair
	for r, err := range s.Sorted() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pair{string(r.Key), string(r.Value)})
	}
	return out
}

func randomPairs(rng *rand.Rand, n, maxLen int) []pair {
	text := func() string {
		b := make([]byte, rng.IntN(maxLen+1))
		for i := range b {
			b[i] = "\x00ab\xff"[rng.IntN(4)]
		}
		return string(b)
	}
	out := make([]pair, n)
	for i := range out {
		out[i] = pair{text(), text()}
	}
	return out
}

func TestSortedEqualsSliceSortWhateverTheBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, budget := range []int64{1, 200, 1000, 10_000, 200_000, 1 << 20} {
		for _, n := range []int{0, 1, 2, 17, 300, 3000} {
			t.Run(fmt.Sprintf("budget %d, %d records", budget, n), func(t *testing.T) {
				want := randomPairs(rng, n, 20)
				dir := t.TempDir()
				s := New(dir, budget)
				for _, p := range want {
					if err := s.Add([]byte(p.key), []byte(p.value)); err != nil {
						t.Fatal(err)
					}
				}
				slices.SortFunc(want, comparePairs)
				for range 2 { // it can be read twice
					if got := collect(t, s); !slices.Equal(got, want) {
						t.Fatal("the records do not come sorted, or not all of them")
					}
				}
				if s.Len() != int64(n) {
					t.Errorf("Len = %d, want %d", s.Len(), n)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("scratch folder holds %v after Close (%v)", left, err)
				}
			})
		}
	}
}

func TestRecordsLargerThanTheBudgetAndTheBuffers(t *testing.T) {
	s := New(t.TempDir(), 1000)
	defer s.Close()
	var want []pair
	for i := range 20 {
		p := pair{fmt.Sprintf("%02d", 19-i), string(bytes.Repeat([]byte{byte(i)}, i*9000))}
		want = append(want, p)
		if err := s.Add([]byte(p.key), []byte(p.value)); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(want, comparePairs)
	if !slices.Equal(collect(t, s), want) {
		t.Error("big records came back changed")
	}
}

func TestAddCopies(t *testing.T) {
	s := New(t.TempDir(), 0)
	defer s.Close()
	b := []byte("first")
	if err := s.Add(b, b); err != nil {
		t.Fatal(err)
	}
	copy(b, "other")
	if got := collect(t, s); got[0] != (pair{"first", "first"}) {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsAppendedToARecordDoesNotReachTheNext(t *testing.T) {
	for _, budget := range []int64{0, 100} {
		s := New(t.TempDir(), budget)
		want := []pair{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}
		for _, p := range want {
			if err := s.Add([]byte(p.key), []byte(p.value)); err != nil {
				t.Fatal(err)
			}
		}
		var got []pair
		for r, err := range s.Sorted() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, pair{string(r.Key), string(r.Value)})
			_, _ = append(r.Key, "xxxxxxxxxx"...), append(r.Value, "yyyyyyyyyy"...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("budget %d: got %q", budget, got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAddAfterSortedIsAnError(t *testing.T) {
	s := New(t.TempDir(), 0)
	defer s.Close()
	collect(t, s)
	if err := s.Add(nil, nil); !errors.Is(err, ErrSealed) {
		t.Errorf("err = %v", err)
	}
}

func TestReadingAfterCloseIsAnErrorNotAnEmptyResult(t *testing.T) {
	s := New(t.TempDir(), 0)
	if err := s.Add([]byte("a"), nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, err := range s.Sorted() {
		if n++; !errors.Is(err, ErrClosed) {
			t.Errorf("err = %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d steps", n)
	}
}

func TestStoppingEarlyLeavesTheSorterUsable(t *testing.T) {
	s := New(t.TempDir(), 300)
	defer s.Close()
	for i := range 100 {
		if err := s.Add(fmt.Appendf(nil, "%03d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	for range s.Sorted() {
		break
	}
	if got := collect(t, s); len(got) != 100 || got[0].key != "000" {
		t.Errorf("%d records, the first is %q", len(got), got[0].key)
	}
}

func TestScratchErrorsAreReturned(t *testing.T) {
	fill := func(s *Sorter) (err error) {
		for i := 0; i < 100 && err == nil; i++ {
			err = s.Add(fmt.Appendf(nil, "%03d", i), make([]byte, 100))
		}
		return err
	}
	t.Run("no folder", func(t *testing.T) {
		s := New(filepath.Join(t.TempDir(), "absent"), 500)
		defer s.Close()
		if err := fill(s); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("write fails", func(t *testing.T) {
		s := New(t.TempDir(), 500)
		var err error
		if s.spilled, err = newScratch(s.dir); err != nil {
			t.Fatal(err)
		}
		s.spilled.file.Close()
		if err := fill(s); !errors.Is(err, os.ErrClosed) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("file cut short", func(t *testing.T) {
		s := New(t.TempDir(), 500)
		defer s.Close()
		if err := fill(s); err != nil {
			t.Fatal(err)
		}
		if err := s.spilled.file.Truncate(s.spilled.size / 2); err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range s.Sorted() {
			last = err
		}
		if !errors.Is(last, io.ErrUnexpectedEOF) {
			t.Errorf("err = %v", last)
		}
	})
}

func TestMemoryStaysWithinTheBudget(t *testing.T) {
	const budget, records, size = 1 << 20, 200_000, 64
	s := New(t.TempDir(), budget)
	defer s.Close()
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, peak := heap(), uint64(0)
	value := make([]byte, size)
	rng := rand.New(rand.NewPCG(3, 4))
	var key [8]byte
	for i := range records {
		binary.BigEndian.PutUint64(key[:], rng.Uint64())
		if err := s.Add(key[:], value); err != nil {
			t.Fatal(err)
		}
		if i%20_000 == 0 {
			peak = max(peak, heap())
		}
	}
	n := 0
	for _, err := range s.Sorted() {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%20_000 == 0 {
			peak = max(peak, heap())
		}
	}
	if n != records {
		t.Fatalf("%d records, want %d", n, records)
	}
	if grown := int64(peak) - int64(before); grown > 3*budget {
		t.Errorf("the heap grew by %d bytes with a budget of %d (%d bytes of records)", grown, budget, records*size)
	}
}

func FuzzSorted(f *testing.F) {
	f.Add([]byte("b\x00a\x00a\x01ccc\x00"), uint16(1))
	f.Add([]byte(""), uint16(9))
	f.Fuzz(func(t *testing.T, data []byte, budget uint16) {
		s := New(t.TempDir(), int64(budget))
		defer s.Close()
		var want []pair
		for i, field := range bytes.Split(data, []byte{0}) {
			cut := 0
			if len(field) > 0 {
				cut = (i * 7) % (len(field) + 1)
			}
			want = append(want, pair{string(field[:cut]), string(field[cut:])})
			if err := s.Add(field[:cut], field[cut:]); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortFunc(want, comparePairs)
		if !slices.Equal(collect(t, s), want) {
			t.Error("not sorted")
		}
	})
}

func BenchmarkSort(b *testing.B) {
	const records, size = 200_000, 100
	for _, budget := range []int64{1 << 20, 4 << 20, 64 << 20} {
		b.Run(fmt.Sprintf("budget=%dMiB", budget>>20), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(records * (16 + size))
			value := make([]byte, size)
			var key [16]byte
			for b.Loop() {
				rng := rand.New(rand.NewPCG(5, 6))
				s := New(b.TempDir(), budget)
				for range records {
					binary.BigEndian.PutUint64(key[:], rng.Uint64())
					if err := s.Add(key[:], value); err != nil {
						b.Fatal(err)
					}
				}
				for _, err := range s.Sorted() {
					if err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
