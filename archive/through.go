package archive

import (
	"context"
	"io"
)

// Through gives the member with wrap around everything that is read from it: to count it, or to
// hash it on the way.
func (m Member) Through(wrap func(io.ReadCloser) io.ReadCloser) Member {
	open := m.open
	m.open = func(ctx context.Context) (io.ReadCloser, error) {
		r, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return wrap(r), nil
	}
	return m
}
