package anythingllm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// tableRows gives the rows of a CSV file as JSON objects of texts, by the names of their columns.
// It tells whether to go on.
func tableRows(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	r, err := u.Member.Open(ctx)
	bad := func(offset, size int64, code, reason string) bool {
		b := u
		b.Offset = offset
		b.Err = &importer.UnitError{Member: u.Member.Name, Index: u.Index, Offset: offset, Size: size, Code: code, Reason: reason}
		return yield(b, nil)
	}
	if err != nil {
		if ctx.Err() != nil {
			return yield(importer.Unit{}, ctx.Err())
		}
		return bad(0, 0, cut.CodeUnread, "the file cannot be read: "+err.Error())
	}
	defer func() {
		_, _ = io.Copy(io.Discard, r) // whoever hashes what is read has all of it
		_ = r.Close()                 // only read
	}()
	lines := &recordReader{r: bufio.NewReaderSize(importer.UTF8(r), 64<<10), limit: u.Limits.MaxConversation}
	var columns []string
	for u.Index = 0; ; {
		if err := ctx.Err(); err != nil {
			return yield(importer.Unit{}, err)
		}
		offset := lines.offset
		record, size, err := lines.next()
		switch {
		case errors.Is(err, io.EOF) && size == 0:
			return true
		case err != nil && !errors.Is(err, io.EOF):
			if ctx.Err() != nil {
				return yield(importer.Unit{}, ctx.Err())
			}
			return bad(offset, 0, cut.CodeUnread, "the file cannot be read to its end: "+err.Error())
		}
		if offset == 0 {
			record = bytes.TrimPrefix(record, []byte("\xef\xbb\xbf"))
		}
		if len(bytes.TrimSpace(record)) == 0 && size <= u.Limits.MaxConversation {
			continue
		}
		parser := csv.NewReader(bytes.NewReader(record))
		parser.FieldsPerRecord = -1
		var cells []string
		more := true
		switch {
		case size > u.Limits.MaxConversation:
			more = bad(offset, size, cut.CodeTooBig, fmt.Sprintf("a row has %d bytes, more than the limit of %d; raise limits.max_conversation to read it", size, u.Limits.MaxConversation))
		case lines.unclosed:
			more = bad(offset, size, cut.CodeTruncated, "a quote that is opened in this row is not closed before the file ends")
		default:
			if cells, err = parser.Read(); err != nil {
				more = bad(offset, size, cut.CodeSyntax, "the row is not CSV: its quotes do not fit")
			} else if columns == nil {
				columns = cells
				continue
			}
		}
		if cells != nil && err == nil {
			row := u
			row.Offset, row.Raw = offset, appendRow(nil, columns, cells)
			more = yield(row, nil)
		}
		if !more {
			return false
		}
		u.Index++
	}
}

// appendRow writes a row as an object; cells beyond the columns get numbers for names.
func appendRow(dst []byte, columns, cells []string) []byte {
	dst = append(dst, '{')
	for i, c := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := "column " + digits(i+1)
		if i < len(columns) && columns[i] != "" {
			name = columns[i]
		}
		dst = append(pamio.AppendString(dst, name), ':')
		dst = appendCell(dst, c)
	}
	return append(dst, '}')
}

// appendCell writes a text whose bytes stay as they are, also where they are not UTF-8: whoever
// parses it sees them.
func appendCell(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// recordReader cuts the records of a CSV file: a line end ends one, unless it stands in quotes.
type recordReader struct {
	r        *bufio.Reader
	limit    int64
	offset   int64
	unclosed bool
}

// next gives a record, with its line end, and its size. Of one beyond the limit only the size is
// given.
func (c *recordReader) next() (record []byte, size int64, err error) {
	quoted := false
	for {
		line, err := c.r.ReadSlice('\n')
		size += int64(len(line))
		c.offset += int64(len(line))
		if size <= c.limit {
			record = append(record, line...)
		} else {
			record = nil
		}
		if bytes.Count(line, []byte{'"'})%2 == 1 {
			quoted = !quoted
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			c.unclosed = quoted
			return record, size, err
		case !quoted:
			return record, size, nil
		}
	}
}
