package importer

import (
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// maxExact bounds the whole numbers that every reader of JSON has exactly; a document holds no
// larger ones.
const maxExact = 1 << 53

// Count reads a number of something, as bytes or tokens; nil for what is no whole number that a
// document can hold.
func Count(n jsonscan.Node) *int64 {
	if n.Kind() != jsonscan.Number {
		return nil
	}
	return count(string(n.Raw()))
}

// CountOrText is Count for providers that write some numbers as text.
func CountOrText(n jsonscan.Node) *int64 {
	if n.Kind() == jsonscan.String {
		return count(n.Str())
	}
	return Count(n)
}

func count(digits string) *int64 {
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || v < 0 || v >= maxExact || digits[0] == '-' {
		return nil
	}
	return &v
}

// FirstText is the first of some keys of an object whose value is a text that is not empty.
func FirstText(n jsonscan.Node, keys ...string) string {
	for _, k := range keys {
		if s := n.Get(k).Str(); s != "" {
			return s
		}
	}
	return ""
}

// Lexeme is an id or a time as text, whether the source has it as text or as a number; "" for
// anything else.
func Lexeme(n jsonscan.Node) string {
	switch n.Kind() {
	case jsonscan.String:
		return n.Str()
	case jsonscan.Number:
		return string(n.Raw())
	}
	return ""
}
