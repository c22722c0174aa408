package cut

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// CountLines reads a member to its end and counts the lines that are not empty, for files that are counted and not kept.
func CountLines(ctx context.Context, m archive.Member) (n int, err error) {
	r, err := m.Open(ctx)
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", m.Name, err)
	}
	defer r.Close() //nolint:errcheck // only read
	br := bufio.NewReaderSize(importer.UTF8(r), 64<<10)
	full := false // the current line has more than white space
	for {
		part, err := br.ReadSlice('\n')
		for _, c := range part {
			full = full || c > ' '
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if full {
			n++
		}
		full = false
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("read %s: %w", m.Name, err)
		}
	}
}
