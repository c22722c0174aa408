package importer

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
)

// HeadUTF8 gives the first bytes of a file in UTF-8, without the mark of the byte order.
func HeadUTF8(prefix []byte) []byte {
	return bytes.TrimPrefix(decodeHead(prefix), []byte("\xef\xbb\xbf"))
}

// decodeHead gives the first bytes of a file in UTF-8.
func decodeHead(prefix []byte) []byte {
	head, err := io.ReadAll(UTF8(bytes.NewReader(prefix)))
	if err != nil {
		return prefix // no text in any encoding
	}
	return head
}

// lineLength is where the first line of a text ends.
func lineLength(text string) int {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return i
	}
	return len(text)
}

var mailField = lazyPattern(`^([A-Za-z][A-Za-z0-9-]*):(\s|$)`)

// isMail tells whether a text begins with the header of a mail: fields up to an empty line, one of
// them the sender or the route, and another one that mails have.
func isMail(text string) bool {
	sender, other := false, false
	for line := range strings.SplitSeq(strings.TrimLeft(text, "\r\n"), "\n") {
		line = strings.TrimRight(line, "\r")
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			continue // goes on with the field above
		}
		m := mailField().FindStringSubmatch(line)
		if m == nil {
			return false
		}
		switch strings.ToLower(m[1]) {
		case "from", "return-path", "received", "delivered-to":
			sender = true
		case "to", "subject", "date", "message-id", "mime-version":
			other = true
		}
	}
	return sender && other
}

var (
	columnName = lazyPattern(`^"?\p{L}[\p{L}\p{N}_ ]{0,30}"?$`)
	cellValue  = lazyPattern(`^("|[-+]?[0-9][0-9.:/TZ+-]*$)`)
)

// isTable tells whether a text is CSV: names of columns in the first line, as many separators in
// the next ones, and cells there that are quoted, numbers or times. A list of short sentences has
// none of these.
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
			table = table && columnName().MatchString(strings.TrimSpace(n)) && len(strings.Fields(n)) <= 3
		}
		values := false
		for cell := range strings.SplitSeq(lines[1], separator) {
			values = values || cellValue().MatchString(strings.TrimSpace(cell))
		}
		if table && values && strings.Count(lines[1], separator) >= len(names)-1 {
			return true
		}
	}
	return false
}

var (
	codeStart = lazyPattern(`^(import [\w."'{*@]|from \S+ import |package \w+;?$|func |def \w+|class \w+|#include|#define|#!|const \w+|let \w+ ?=|var \w+|return\b|public |private |protected |static |using [\w.]+;|namespace |fn \w+|pub |impl |struct \w+|export |module\.exports|interface \w+|@\w+|if ?\(|for ?\(|while ?\(|else\b|try\b|catch ?\(|switch ?\(|CREATE TABLE|INSERT INTO|SELECT .* FROM|//|/\*|\*/)`)
	codeEnd   = lazyPattern(`([;{}]|\);?|\):|=>|,\s*\\)$`)
	codeWord  = lazyPattern(`[(){}\[\]=;<>]|\w\.\w+\(`)
)

// Lines of source code: at least this many, and this share of all.
const (
	minCodeLines  = 3
	codeShare     = 2 // of 5
	maxCodeJudged = 200
)

// isCode tells whether the lines of a text mostly look like those of a program. A text with an
// interpreter in its first line is a program.
func isCode(text string) bool {
	if strings.HasPrefix(text, "#!/") {
		return true
	}
	lines, code := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if lines++; lines > maxCodeJudged {
			break
		}
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "# ") {
			continue // Markdown, or a comment
		}
		if codeStart().MatchString(line) || codeEnd().MatchString(line) && codeWord().MatchString(line) {
			code++
		}
	}
	return code >= minCodeLines && 5*code >= codeShare*lines
}

// lazyPattern compiles a pattern at its first use: most runs of a program meet none of them.
func lazyPattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
