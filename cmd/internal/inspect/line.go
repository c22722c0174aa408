package inspect

import (
	"strings"
	"unicode"
)

// line makes any text fit to be shown on one line of a terminal: white space becomes single blanks,
// and what could move the cursor, change colours or turn the direction of writing is left out.
// Longer texts than width runes end in an ellipsis.
func line(s string, width int) string {
	var b strings.Builder
	n, blank := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = n > 0
			continue
		}
		if !unicode.IsPrint(r) {
			continue
		}
		if n++; n > width {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		if blank {
			b.WriteByte(' ')
			n, blank = n+1, false
		}
		b.WriteRune(r)
	}
	return b.String()
}
