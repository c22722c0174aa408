package validate

import (
	"errors"
	"io"
)

// errTooBig is what a reader gives when the file is longer than its limit.
var errTooBig = errors.New("file longer than the limit")

const byteOrderMark = "\xEF\xBB\xBF"

// meter reads a file, measures it and notes how it starts.
type meter struct {
	r     io.Reader
	limit int64
	size  int64
	head  []byte // the first bytes, at most as many as a byte order mark has
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if missing := len(byteOrderMark) - len(m.head); missing > 0 {
		m.head = append(m.head, p[:min(n, missing)]...)
	}
	m.size += int64(n)
	if m.size > m.limit {
		return 0, errTooBig
	}
	return n, err
}

func (m *meter) marked() bool { return string(m.head) == byteOrderMark }
