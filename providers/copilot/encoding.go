package copilot

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Encodings of rows that are not UTF-8.
const (
	windows1252 = "windows-1252"
	damagedUTF8 = "damaged-utf-8"
)

// readText gives the text of a row. Bytes that are not UTF-8 are read as Windows 1252, which older
// programs of the vendor write, unless other characters of the row are UTF-8: then they become
// U+FFFD. encoding is "" for UTF-8.
func readText(row []byte) (text, encoding string) {
	if utf8.Valid(row) {
		return string(row), ""
	}
	for b := row; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		if n > 1 && r != utf8.RuneError {
			return strings.ToValidUTF8(string(row), "\uFFFD"), damagedUTF8
		}
		b = b[n:]
	}
	var out strings.Builder
	for _, b := range row {
		out.WriteRune(charmap.Windows1252.DecodeByte(b))
	}
	return out.String(), windows1252
}

// byteOrderMark may stand before the first column's name.
var byteOrderMark = []byte("\uFEFF")

func withoutMark(line []byte) []byte { return bytes.TrimPrefix(line, byteOrderMark) }
