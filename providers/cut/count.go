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

// Counted yields one unit, made from u, for a file that is counted and not kept. Its Context is the
// account of it, an importer.Skip; where that has no count, the lines that are not empty are
// counted. It tells whether to go on.
func Counted(ctx context.Context, u importer.Unit, account importer.Skip, yield func(importer.Unit, error) bool) bool {
	if account.Count == 0 {
		n, err := CountLines(ctx, u.Member)
		if ctx.Err() != nil {
			return yield(importer.Unit{}, ctx.Err())
		}
		if err != nil {
			u.Err = &importer.UnitError{Member: u.Member.Name, Code: CodeUnread, Reason: "the file cannot be read to its end: " + err.Error()}
			return yield(u, nil)
		}
		account.Count = max(n, 1)
	}
	u.Context = account
	return yield(u, nil)
}

// CountLines reads a member to its end and counts the lines that are not empty, for files that are
// counted and not kept.
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
