package assemble

import (
	"bytes"
	"iter"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio/extsort"
)

// cursor reads records by id.
type cursor struct {
	next func() (extsort.Record, error, bool)
	stop func()
	at   extsort.Record
	more bool
	err  error
}

func newCursor(s *extsort.Sorter) *cursor {
	c := &cursor{next: func() (r extsort.Record, err error, more bool) { return }, stop: func() {}}
	if s != nil {
		c.next, c.stop = iter.Pull2(s.Sorted())
	}
	c.at, c.err, c.more = c.next()
	return c
}

// find gives the value of an id, valid until the next is asked for. Ids must ascend.
func (c *cursor) find(id uuid.UUID) (value []byte, ok bool, err error) {
	for c.err == nil && c.more && bytes.Compare(c.at.Key, id[:]) < 0 {
		c.at, c.err, c.more = c.next()
	}
	if c.err != nil || !c.more || !bytes.Equal(c.at.Key, id[:]) {
		return nil, false, c.err
	}
	return c.at.Value, true, nil
}
