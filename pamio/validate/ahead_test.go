package validate

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/pamline/pamline/pamio/extsort"
)

// manyRecords is a sorter with records of a few bytes up to more than a part has; a small budget
// puts them into a scratch file.
func manyRecords(t *testing.T, n int, budget int64) *extsort.Sorter {
	t.Helper()
	s := extsort.New(t.TempDir(), budget)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for i := range n {
		size := i % 50
		if i%1000 == 7 {
			size = 2 * aheadText
		}
		if err := s.Add(fmt.Append(nil, "key-", i*7919%n), bytes.Repeat([]byte{'v'}, size)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestRecordsThatAreSortedAheadAreTheSame(t *testing.T) {
	for _, n := range []int{0, 1, 5000} {
		for _, budget := range []int64{4 << 10, 64 << 20} {
			s := manyRecords(t, n, budget)
			var want, got bytes.Buffer
			for r, err := range s.Sorted() {
				fmt.Fprintf(&want, "%q %q %v\n", r.Key, r.Value, err)
			}
			for r, err := range sortedAhead(s) {
				fmt.Fprintf(&got, "%q %q %v\n", r.Key, r.Value, err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%d records, budget %d: they differ", n, budget)
			}
		}
	}
}

func TestSortingAheadEndsWithWhoLooks(t *testing.T) {
	for _, stop := range []int{0, 1, 2000} {
		s := manyRecords(t, 5000, 4<<10)
		n := 0
		for _, err := range sortedAhead(s) {
			if err != nil {
				t.Fatal(err)
			}
			if n == stop {
				break
			}
			n++
		}
		if err := s.Close(); err != nil { // nobody reads any more
			t.Error(err)
		}
		for _, err := range sortedAhead(s) {
			if !errors.Is(err, extsort.ErrClosed) {
				t.Errorf("of a closed sorter: %v", err)
			}
		}
	}
}
