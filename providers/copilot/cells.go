package copilot

import (
	"bytes"
	"iter"
	"strings"
)

// rawCells gives the cells of a row one after the other, as they are written. closed is false for a
// cell whose quote is not closed in what there is of the row.
func rawCells(row []byte, delim byte) iter.Seq2[[]byte, bool] {
	return func(yield func(cell []byte, closed bool) bool) {
		for {
			end, closed := cellEnd(row, delim)
			if !yield(row[:end], closed) || end == len(row) {
				return
			}
			row = row[end+1:]
		}
	}
}

// cellEnd finds the end of the first cell.
func cellEnd(row []byte, delim byte) (end int, closed bool) {
	i := 0
	if len(row) > 0 && row[0] == '"' {
		for i = 1; ; i += 2 {
			n := bytes.IndexByte(row[i:], '"')
			if n < 0 {
				return len(row), false
			}
			i += n
			if i+1 == len(row) || row[i+1] != '"' {
				break
			}
		}
		i++
	}
	if n := bytes.IndexByte(row[i:], delim); n >= 0 {
		return i + n, true
	}
	return len(row), true
}

// unquote gives the text of a cell.
func unquote(cell string) string {
	if len(cell) < 2 || cell[0] != '"' {
		return cell
	}
	return strings.ReplaceAll(strings.TrimSuffix(cell[1:], `"`), `""`, `"`)
}

// cellsOf gives the texts of the cells of a row up to a column, and how many cells it has. Of the
// others nothing is made: a row may have as many as it has bytes.
func cellsOf(row string, delim byte, last int) (texts []string, count int) {
	at := 0
	for c := range rawCells([]byte(row), delim) {
		if count <= last {
			texts = append(texts, unquote(row[at:at+len(c)]))
		}
		at += len(c) + 1
		count++
	}
	return texts, count
}
