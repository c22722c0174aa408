package search

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// inputText are the strings in what a tool was asked for: searching for the escapes and brackets of
// JSON is no use.
func inputText(input pamio.RawJSON) string {
	if len(input) == 0 {
		return ""
	}
	doc, err := jsonscan.Parse(input, 0)
	if err != nil {
		return string(input) // it came from a parsed document; its text is still what can be shown
	}
	var b strings.Builder
	appendStrings(&b, doc.Root())
	return b.String()
}

func appendStrings(b *strings.Builder, n jsonscan.Node) {
	switch n.Kind() {
	case jsonscan.Object:
		for _, value := range n.Fields() {
			appendStrings(b, value)
		}
	case jsonscan.Array:
		for value := range n.Items() {
			appendStrings(b, value)
		}
	case jsonscan.String:
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(n.Str())
	}
}
