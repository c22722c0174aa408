// Package toolcall maps what tools are called with: many providers keep it as text with JSON in it.
package toolcall

import (
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// maxDepth is the nesting of arguments that are read as JSON; deeper ones stay text.
const maxDepth = 100

// Argument is the input of a call whose source is a text with JSON in it: the object, where the
// text is it in compact form, so that [Text] writes it again, else the text as a JSON string.
func Argument(text string) pamio.RawJSON {
	if doc, err := jsonscan.Parse([]byte(text), maxDepth); err == nil {
		if root := doc.Root(); root.Kind() == jsonscan.Object && !root.Odd() && string(root.AppendCompact(nil)) == text {
			return pamio.RawJSON(text)
		}
	}
	return pamio.AppendString(nil, text)
}

// Text is the form of inputs made by Argument, for [lossless.ToolInput].
var Text = lossless.Form{
	Write: func(dst []byte, v string) ([]byte, bool) {
		if strings.HasPrefix(v, `"`) {
			return append(dst, v...), true
		}
		return pamio.AppendString(dst, v), true
	},
}
