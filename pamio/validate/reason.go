package validate

import (
	"errors"
	"io/fs"
	"strings"
	"unicode"
)

// reason is what an error of a file says, without the path of this machine and without bytes that a
// terminal should not get: names inside of a zip are anybody's.
func reason(err error) string {
	text := err.Error()
	var p *fs.PathError
	if errors.As(err, &p) {
		text = p.Op + ": " + p.Err.Error()
	}
	return printable(text)
}

// printable is a text that a terminal can be given, of a length that a line holds.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
	const most = 200
	if cut := []rune(s); len(cut) > most {
		s = string(cut[:most]) + "…"
	}
	return s
}
