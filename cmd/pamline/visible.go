package main

import (
	"fmt"
	"strings"
	"unicode"
)

// visible writes what could move the cursor, change colours or turn the direction of writing as \u
// escapes: names of files and members come from outside. Characters of kept stay.
func visible(s, kept string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	hidden := func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(kept, r) }
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
