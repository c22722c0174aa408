package manual

import (
	"bytes"
	"context"
	"io"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const roleAnswer = "answer"

// Claim takes every text file that is nothing else: no JSON, no markup, no table, no other format that begins with text.
func (Importer) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	for _, m := range members {
		prefix, err := peek.Prefix(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil {
			continue // it is reported as unread
		}
		head, err := io.ReadAll(importer.UTF8(bytes.NewReader(prefix)))
		if err != nil {
			continue // no text in any encoding
		}
		head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
		whole := m.Size >= 0 && int64(len(prefix)) >= m.Size
		switch {
		case !isText(head, whole):
		case isOther(string(head)):
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "JSON, markup or a table, and no plain text: it is read by the importer of its provider, or not at all"})
		default:
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleAnswer})
		}
	}
	return c, nil
}

// Split gives each file as one unit.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return cut.Members(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
		return cut.File(ctx, u, yield)
	})
}

// isText tells whether the first bytes of a file are text with something in it. Without the whole of it, the last character
// may be cut.
func isText(head []byte, whole bool) bool {
	if !whole {
		for n := 0; n < utf8.UTFMax-1 && len(head) > 0 && !utf8.Valid(head); n++ {
			head = head[:len(head)-1]
		}
	}
	if !utf8.Valid(head) || len(bytes.TrimSpace(head)) == 0 {
		return false
	}
	return !bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' })
}

var (
	markup   = regexp.MustCompile(`(?i)^<(!doctype|!--|\?xml|html|head|body|svg|rss|feed|div|table|p>)`)
	otherTop = []string{"%PDF-", "{\\rtf", "%!PS", "BEGIN:VCARD", "BEGIN:VCALENDAR"}
)

// isOther tells whether a text is of another format.
func isOther(text string) bool {
	text = strings.TrimSpace(text)
	for _, top := range otherTop {
		if strings.HasPrefix(text, top) {
			return true
		}
	}
	switch text[0] {
	case '{':
		return true
	case '[':
		return !datedLine.MatchString(text[:lineEnd(text)])
	case '<':
		return markup.MatchString(text)
	}
	return isTable(text)
}

func lineEnd(text string) int {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return i
	}
	return len(text)
}

var (
	columnName = regexp.MustCompile(`^"?\p{L}[\p{L}\p{N}_ ]{0,30}"?$`)
	cellValue  = regexp.MustCompile(`^("|[-+]?[0-9][0-9.:/TZ+-]*$)`)
)

// isTable tells whether a text is CSV: names of columns in the first line, as many separators in the next ones, and cells
// there that are quoted, numbers or times. A list of short sentences has none of these.
func isTable(text string) bool {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if len(lines) < 2 {
		return false
	}
	for _, separator := range []string{",", ";", "\t"} {
		names := strings.Split(lines[0], separator)
		if len(names) < 2 {
			continue
		}
		table := true
		for _, n := range names {
			table = table && columnName.MatchString(strings.TrimSpace(n)) && len(strings.Fields(n)) <= 3
		}
		values := false
		for cell := range strings.SplitSeq(lines[1], separator) {
			values = values || cellValue.MatchString(strings.TrimSpace(cell))
		}
		if table && values && strings.Count(lines[1], separator) >= len(names)-1 {
			return true
		}
	}
	return false
}
