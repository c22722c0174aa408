package render

import (
	"strings"
	"unicode"
)

// Line makes one line of a text: white space and control characters become one space, and
// characters that hide or reorder others go. A text cannot open a heading, a block of code or the
// turn of another speaker then, because it stands behind the mark of its list.
func Line(text string) string {
	var b strings.Builder
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = b.Len() > 0
			continue
		case isHidden(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isHidden tells of characters that are not seen and that texts do not need: marks of direction,
// the space without width, the byte order mark, and tags. The joiners stay: scripts and emoji need
// them.
func isHidden(r rune) bool {
	switch {
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return r == 0x200B || r == 0x200E || r == 0x200F || r == 0x2060 || r == 0xFEFF || r == 0xFFFD
}

// quoted is a line as a string of JSON without <, > and &: no mark of a chat template can stand in
// it.
func quoted(line string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range line {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '<':
			b.WriteString(`\u003c`)
		case '>':
			b.WriteString(`\u003e`)
		case '&':
			b.WriteString(`\u0026`)
		case '`':
			b.WriteString(`\u0060`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// escaped is a line in which Markdown sees no markup: no link, image, code, raw HTML or wiki link.
func escaped(line string) string {
	var b strings.Builder
	for i, r := range line {
		if strings.ContainsRune("\\`*_[]<>#|!~$", r) || i == 0 && strings.ContainsRune("-+=:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
