package manual

import (
	"context"
	"iter"
	"regexp"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const roleAnswer = "answer"

// Claim takes every text file that is nothing else: no JSON, no markup, no table, no other format
// that begins with text.
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
		switch readable, other := judge(prefix, m.Size); {
		case other:
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: refusal(prefix)})
		case readable:
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleAnswer})
		}
	}
	return c, nil
}

// Split gives each file as one unit.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return cut.Members(ctx, c, limits, cut.File)
}

// Reads tells whether the importer, asked by its name, reads a file with these first bytes and of
// this size.
func Reads(prefix []byte, size int64) bool {
	readable, _ := judge(prefix, size)
	return readable
}

// judge tells what the first bytes of a file are: text that is read, or text of another format.
func judge(prefix []byte, size int64) (readable, other bool) {
	if !importer.IsText(prefix, size >= 0 && int64(len(prefix)) >= size) {
		return false, false
	}
	other = isOther(string(importer.HeadUTF8(prefix)))
	return !other, other
}

// refusal says why a text is not read.
func refusal(prefix []byte) string {
	if format := importer.FormatOf(prefix); format != "" {
		return format + ", and no plain text: save its words as text, and drop that"
	}
	return "JSON, markup or a table, and no plain text: it is read by the importer of its provider, or not at all"
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
	return importer.FormatOf([]byte(text)) == importer.FormatTable
}

func lineEnd(text string) int {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return i
	}
	return len(text)
}
