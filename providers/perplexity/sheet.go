package perplexity

import (
	"cmp"
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

// cell is a cell that was written, with or without a value.
type cell struct {
	column int
	isText bool
	text   string
	json   []byte // of a value that is no text
}

func (c *cell) empty() bool { return !c.isText && c.json == nil }

func (c *cell) size() int64 { return int64(len(c.text) + len(c.json)) }

// append writes the value as JSON.
func (c *cell) append(dst []byte) []byte {
	if c.isText {
		return pamio.AppendString(dst, c.text)
	}
	return append(dst, c.json...)
}

// row is a row of a sheet.
type row struct {
	offset int64  // in the part of the sheet
	cells  []cell // in the order of their columns, once it is sorted: a row of few bytes may have a cell in the last one
	// places are where the cells of the columns are, when they came in another order; nil while
	// they come in this one.
	places map[int]int
}

// put takes a cell; a later one of the same column counts.
func (r *row) put(c cell) {
	if n := len(r.cells); r.places == nil && (n == 0 || r.cells[n-1].column < c.column) {
		r.cells = append(r.cells, c)
		return
	}
	if r.places == nil {
		r.places = map[int]int{}
		for i, before := range r.cells {
			r.places[before.column] = i
		}
	}
	if i, there := r.places[c.column]; there {
		r.cells[i] = c
		return
	}
	r.places[c.column] = len(r.cells)
	r.cells = append(r.cells, c)
}

// sort puts the cells into the order of their columns.
func (r *row) sort() {
	if r.places != nil {
		slices.SortFunc(r.cells, func(a, b cell) int { return cmp.Compare(a.column, b.column) })
		r.places = nil
	}
}

// rows gives the rows of a sheet that have a value, in order. After an error there are no more. A
// *badBook as error is what a person is told.
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
				v := b.value(&c)
				v.column = c.column
				// Cells share texts, so that a small row may stand for a large one.
				if c.values += v.size(); c.values > b.limits.MaxConversation {
					return b.rowTooBig(s, at)
				}
				if cap(c.text) > keptText {
					c.text = nil
				}
				at.put(v)
				r.meter.before = c.values
				if err := r.meter.wait(); err != nil {
					return err
				}
			case "row":
				at.sort()
				if slices.ContainsFunc(at.cells, func(c cell) bool { return !c.empty() }) && !visit(at) {
					return nil
				}
				at = row{}
				r.meter.before = 0
			}
		}
	}
}

// keptText is how much room for the text of a cell is used again for the next, in bytes.
const keptText = 1 << 20

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
	return cell{isText: true, text: strings.ToValidUTF8(s, "\uFFFD")}
}

// header is the names of the columns, which the first row with a value has.
type header []string

func headerOf(r row) header {
	var h header
	for _, c := range r.cells {
		h = append(h, make([]string, c.column-len(h))...)
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

// object appends a row as a JSON object: a field for each cell that has a value. What the column
// OUTPUT_STR holds is JSON in a text, and so is the value of the memory without a key: these are
// put in as the values they are.
func (h header) object(dst []byte, r row) []byte {
	nameless := true
	for _, c := range r.cells {
		if h.at(c.column) == "MEMORY_KEY" && c.text != "" {
			nameless = false
		}
	}
	dst = append(dst, '{')
	some := false
	for _, c := range r.cells {
		if c.empty() {
			continue
		}
		name := h.at(c.column)
		inside := name == "OUTPUT_STR" || name == "MEMORY_VALUE" && nameless
		if name == "" {
			name = "column " + strconv.Itoa(c.column+1)
		}
		if some {
			dst = append(dst, ',')
		}
		some = true
		dst = append(pamio.AppendString(dst, name), ':')
		if inside {
			if doc, err := jsonscan.Parse([]byte(c.text), maxXMLDepth); err == nil && doc.Root().Kind() == jsonscan.Object && !doc.Root().Odd() {
				dst = doc.Root().AppendCompact(dst)
				continue
			}
		}
		dst = c.append(dst)
	}
	return append(dst, '}')
}

// at is the name of a column, "" for none.
func (h header) at(column int) string {
	if column < len(h) {
		return h[column]
	}
	return ""
}
