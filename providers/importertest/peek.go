package importertest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/archive"
)

func peek(ctx context.Context, m archive.Member) ([]byte, error) {
	r, err := m.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", m.Name, err)
	}
	defer r.Close() //nolint:errcheck // only read
	buf := make([]byte, 64<<10)
	n, err := io.ReadFull(r, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return buf[:n], err
}
