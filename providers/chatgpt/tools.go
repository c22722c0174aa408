package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// The text of a tool call is kept once, as the input of the call: as a JSON object when it is one
// and its text can be written again from it, else as the string it is. The output stands in the
// tool's own message; tool_result_ids names it.

// styleSpaced is JSON with a space after each comma and colon, as Python's json.dumps writes it.
const styleSpaced = "spaced"

// toolInput gives the input of a tool call for its text.
func (d *decoder) toolInput(text string, r *object) pamio.RawJSON {
	if len(text) > 1 && text[0] == '{' && d.text.Parse([]byte(text), 0) == nil && !d.text.Root().Odd() {
		root := d.text.Root()
		if compact := root.AppendCompact(nil); len(compact) == len(text) {
			return compact
		} else if string(appendSpaced(nil, root)) == text {
			r.text(keyInputStyle, styleSpaced)
			return compact
		}
	}
	return pamio.AppendString(nil, text)
}

// inputText is the inverse of toolInput.
func inputText(input pamio.RawJSON, style string) (string, error) {
	doc, err := jsonscan.Parse(input, 0)
	if err != nil {
		return "", err
	}
	root := doc.Root()
	switch {
	case root.Kind() == jsonscan.String:
		return root.Str(), nil
	case style == styleSpaced:
		return string(appendSpaced(nil, root)), nil
	}
	return string(root.AppendCompact(nil)), nil
}

func appendSpaced(dst []byte, n jsonscan.Node) []byte {
	comma := ""
	switch n.Kind() {
	case jsonscan.Array:
		dst = append(dst, '[')
		for v := range n.Items() {
			dst = appendSpaced(append(dst, comma...), v)
			comma = ", "
		}
		return append(dst, ']')
	case jsonscan.Object:
		dst = append(dst, '{')
		for k, v := range n.Fields() {
			dst = append(append(append(dst, comma...), k.Raw()...), ": "...)
			dst = appendSpaced(dst, v)
			comma = ", "
		}
		return append(dst, '}')
	}
	return append(dst, n.Raw()...)
}

// maxResults bounds the tool messages that are named as the results of one call.
const maxResults = 32

// toolResults names the tool messages below a call, down to the next message of anyone else.
func (d *decoder) toolResults(g *normalize.Graph, i int32, r *object) {
	var ids []string
	below := []int32{i}
	for len(below) > 0 && len(ids) < maxResults {
		at := below[0]
		below = below[1:]
		g.Children(at, func(c int32) bool {
			if d.nodes[c].role == normalize.RoleTool && len(ids) < maxResults {
				ids = append(ids, d.nodes[c].key)
				below = append(below, c)
			}
			return true
		})
	}
	if len(ids) == 0 {
		return
	}
	r.key(keyResults)
	r.buf = append(r.buf, '[')
	for k, id := range ids {
		if k > 0 {
			r.buf = append(r.buf, ',')
		}
		r.buf = pamio.AppendString(r.buf, id)
	}
	r.buf = append(r.buf, ']')
}
