package validate

import (
	"encoding/binary"
	"iter"

	"github.com/pamline/pamline/pamio/extsort"
)

// How many bytes of records are sorted ahead of those that are looked at, and in how many parts.
const (
	aheadText  = 64 << 10
	aheadParts = 4
)

// aheadPart is a run of sorted records: the lengths of key and value, and both.
type aheadPart struct {
	text fields
	err  error // behind the records
}

// sortedAhead gives what the sorter gives, which is merged by a goroutine of its own. It does not
// end before that does.
func sortedAhead(s *extsort.Sorter) iter.Seq2[extsort.Record, error] {
	return func(yield func(extsort.Record, error) bool) {
		parts, free, quit := make(chan aheadPart, aheadParts), make(chan fields, aheadParts), make(chan struct{})
		for range aheadParts {
			free <- nil
		}
		go fillAhead(s, parts, free, quit)
		defer func() {
			close(quit)
			for range parts { //nolint:revive // what is on its way has no taker
			}
		}()
		for p := range parts {
			for f := p.text; len(f) > 0; {
				key, value := f.length(), f.length()
				if !yield(extsort.Record{Key: f[:key:key], Value: f[key : key+value : key+value]}, nil) {
					return
				}
				f = f[key+value:]
			}
			if p.err != nil {
				yield(extsort.Record{}, p.err)
				return
			}
			free <- p.text[:0]
		}
	}
}

// fillAhead fills parts with the sorted records.
func fillAhead(s *extsort.Sorter, parts chan<- aheadPart, free <-chan fields, quit <-chan struct{}) {
	defer close(parts)
	text := <-free
	for r, err := range s.Sorted() {
		if err != nil {
			parts <- aheadPart{text, err}
			return
		}
		text = binary.AppendUvarint(text, uint64(len(r.Key)))
		text = binary.AppendUvarint(text, uint64(len(r.Value)))
		text = append(append(text, r.Key...), r.Value...)
		if len(text) < aheadText {
			continue
		}
		parts <- aheadPart{text: text}
		select {
		case text = <-free:
		case <-quit:
			return
		}
	}
	parts <- aheadPart{text: text}
}
