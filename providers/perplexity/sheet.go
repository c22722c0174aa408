package perplexity

import (
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
)

// maxColumns is that of the format; cells behind it are counted as broken.
const maxColumns = 16_384

// cell is the value of a cell as JSON, "" for none.
type cell struct {
	json []byte
	text string // of a text
}

// row is a row of a sheet.
type row struct {
	offset int64 // in the part of the sheet
	cells  []cell
}

// rows gives the rows of a sheet that have a value, in order. After an error there are no more. A *badBook as error is what
// a person is told.
func (b *book) rows(ctx context.Context, s sheet, visit func(row) bool) error {
	r, err := b.read(ctx, s.part)
	if err != nil {
		return err
	}
	defer r.Close()
	var at row
	var c reading
	for {
		t, err := r.next()
		if err != nil || t == nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				if err := ctx.Err(); err != nil {
					return err
				}
				at = row{offset: r.offset}
				c = reading{column: -1}
			case "c":
				c.begin(t)
			}
		case xml.CharData:
			if r.inText("is") || len(r.path) > 0 && r.path[len(r.path)-1] == "v" {
				c.text = append(c.text, t...)
			}
			if c.size += int64(len(t)); c.size > b.limits.MaxConversation {
				return b.rowTooBig(s, at)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "c":
				if c.column < 0 || c.column >= maxColumns {
					return &badBook{cut.CodeSyntax, fmt.Sprintf("%s: a cell of the row at byte %d is in no column", s.part, at.offset)}
				}
				if grow := c.column + 1 - len(at.cells); grow > 0 {
					at.cells = append(at.cells, make([]cell, grow)...)
				}
				v := b.value(&c)
				// Cells share texts, so that a small row may stand for a large one.
				if c.values += int64(len(v.json)); c.values > b.limits.MaxConversation {
					return b.rowTooBig(s, at)
				}
				at.cells[c.column] = v
			case "row":
				if slices.ContainsFunc(at.cells, func(c cell) bool { return c.json != nil }) && !visit(at) {
					return nil
				}
				at = row{}
			}
		}
	}
}

func (b *book) rowTooBig(s sheet, at row) error {
	return &badBook{cut.CodeTooBig, fmt.Sprintf("%s: the row at byte %d has more bytes than the limit of %d; raise limits.max_conversation to read it", s.part, at.offset, b.limits.MaxConversation)}
}

// reading is the cell that is being read.
type reading struct {
	column int
	kind   string
	text   []byte
	size   int64 // of the row so far, as the sheet has it
	values int64 // of the values of the row so far
}

// begin starts a cell. One without a reference is in the column behind the one before.
func (c *reading) begin(e xml.StartElement) {
	c.column++
	if ref := attribute(e, "r"); ref != "" {
		n := 0
		for i := 0; i < len(ref) && ref[i] >= 'A' && ref[i] <= 'Z' && n <= maxColumns; i++ {
			n = n*26 + int(ref[i]-'A') + 1
		}
		c.column = n - 1
	}
	c.kind, c.text = attribute(e, "t"), c.text[:0]
}

// value makes JSON of a cell: a text, a number with the digits that the sheet has, or a boolean.
func (b *book) value(c *reading) cell {
	s := string(c.text)
	switch c.kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || i < 0 || i >= len(b.texts) {
			return cell{}
		}
		return textCell(b.texts[i])
	case "b":
		return cell{json: strconv.AppendBool(nil, isTrue(strings.TrimSpace(s)))}
	case "", "n":
		if s = strings.TrimSpace(s); s == "" {
			return cell{}
		}
		if doc, err := jsonscan.Parse([]byte(s), 1); err == nil && doc.Root().Kind() == jsonscan.Number {
			return cell{json: []byte(s)}
		}
	case "inlineStr", "str":
		s = unescape(s)
	}
	return textCell(s)
}

func textCell(s string) cell {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return cell{json: pamio.AppendString(nil, s), text: s}
}

// header is the names of the columns, which the first row with a value has.
type header []string

func headerOf(r row) header {
	var h header
	for _, c := range r.cells {
		h = append(h, strings.TrimSpace(c.text))
	}
	return h
}

func (h header) has(names ...string) bool {
	for _, n := range names {
		if !slices.Contains(h, n) {
			return false
		}
	}
	return true
}

// object makes a JSON object of a row: a field for each cell that has a value. What the column OUTPUT_STR holds is JSON in a
// text, and so is the value of the memory without a key: these are put in as the values they are.
func (h header) object(r row) []byte {
	out := []byte{'{'}
	nameless := true
	for i, c := range r.cells {
		if i < len(h) && h[i] == "MEMORY_KEY" && c.text != "" {
			nameless = false
		}
	}
	for i, c := range r.cells {
		if c.json == nil {
			continue
		}
		name := ""
		if i < len(h) {
			name = h[i]
		}
		value := c.json
		if name == "OUTPUT_STR" || name == "MEMORY_VALUE" && nameless {
			if doc, err := jsonscan.Parse([]byte(c.text), maxXMLDepth); err == nil && doc.Root().Kind() == jsonscan.Object && !doc.Root().Odd() {
				value = doc.Root().AppendCompact(nil)
			}
		}
		if name == "" {
			name = "column " + strconv.Itoa(i+1)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(pamio.AppendString(out, name), ':'), value...)
	}
	return append(out, '}')
}
