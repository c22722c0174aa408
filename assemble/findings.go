package assemble

import (
	"bytes"
	"iter"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio/extsort"
)

// findings are the first of each kind about a component; nil for none.
type findings struct{ superseded, retracted, replaced, started []byte }

// finder reads findings by component.
type finder struct {
	next func() (extsort.Record, error, bool)
	stop func()
	at   extsort.Record
	more bool
	err  error
}

func newFinder(s *extsort.Sorter) *finder {
	f := new(finder)
	f.next, f.stop = iter.Pull2(s.Sorted())
	f.at, f.err, f.more = f.next()
	return f
}

// about gives the findings about a component. Components that are asked for must ascend.
func (f *finder) about(id uuid.UUID) (found findings, err error) {
	for f.err == nil && f.more && bytes.Compare(f.at.Key[:idSize], id[:]) <= 0 {
		if bytes.Equal(f.at.Key[:idSize], id[:]) {
			keep := func(to *[]byte) {
				if *to == nil {
					*to = bytes.Clone(f.at.Value)
				}
			}
			switch f.at.Key[idSize] {
			case supersededRecord:
				keep(&found.superseded)
			case retractedRecord:
				keep(&found.retracted)
			case replacedRecord:
				keep(&found.replaced)
			case startedRecord:
				keep(&found.started)
			}
		}
		f.at, f.err, f.more = f.next()
	}
	return found, f.err
}
