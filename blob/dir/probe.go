//go:build unix

package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// probe tries what the store relies on, so that a file system that lacks it is refused at once and
// not found out by a lost update.
func (s *Store) probe() (err error) {
	// A time that only a file system with microseconds can keep.
	want := time.Unix(1_000_000_000, 123_457_000)
	tmp, st, err := s.stage(context.Background(), io.Reader(strings.NewReader("probe")), want, true)
	if err != nil {
		return fmt.Errorf("write a scratch file: %w", err)
	}
	defer func() { err = errors.Join(err, s.discard(tmp)) }()
	if !st.modTime.Equal(want) {
		return fmt.Errorf("the file system keeps times too coarsely for conditional writes: put the folder on another one")
	}
	second := s.scratchName()
	if err := s.fs.Link(tmp, second); err != nil {
		return fmt.Errorf("the file system cannot make hard links, which writing once relies on: put the folder on "+
			"another one: %w", err)
	}
	return s.discard(second)
}
