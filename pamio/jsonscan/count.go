package jsonscan

import "bytes"

// Count is how often a byte that is not a quote stands in JSON text outside of its strings. It does
// not look whether the text is JSON.
func Count(text []byte, c byte) (n int) {
	for {
		start := bytes.IndexByte(text, '"')
		if start < 0 {
			return n + bytes.Count(text, []byte{c})
		}
		n += bytes.Count(text[:start], []byte{c})
		end, _ := closingQuote(text[start+1:], false)
		if end < 0 {
			return n
		}
		text = text[start+1+end+1:]
	}
}
