package openwebui

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf16"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/toolcall"
)

// value is an attribute of the markup of a tool call.
type value struct{ key, form, text string }

// Forms of an attribute: HTML alone, or a text as JSON inside of it, with all of Unicode or with
// ASCII only.
const (
	formHTML  = "html"
	formJSON  = "json"
	formASCII = "ascii"
)

// callAttributes are those that are cut out, with the forms that they may have.
var callAttributes = map[string][]string{
	"id":        {formHTML},
	"name":      {formHTML},
	"arguments": {formASCII, formJSON, formHTML},
	"result":    {formASCII, formJSON, formHTML},
}

// cutCall cuts the attributes out of the markup of a tool call.
func cutCall(markup string) (block, bool) {
	end := strings.Index(markup, ">\n")
	if end < 0 {
		return block{}, false
	}
	b := block{}
	seen := map[string]bool{}
	from := 0
	for at := 0; at < end; {
		eq := strings.Index(markup[at:end], `="`)
		if eq < 0 {
			break
		}
		start := at + eq + 2
		n := strings.IndexByte(markup[start:end], '"')
		if n < 0 {
			return block{}, false
		}
		head := markup[at : at+eq]
		key := head[strings.LastIndexByte(head, ' ')+1:]
		at = start + n + 1
		v, ok := readAttribute(key, markup[start:start+n])
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		b.around = append(b.around, markup[from:start])
		b.values = append(b.values, v)
		from = start + n
	}
	if !seen["name"] {
		return block{}, false
	}
	b.around = append(b.around, markup[from:])
	return b, true
}

func readAttribute(key, raw string) (value, bool) {
	for _, form := range callAttributes[key] {
		v := value{key: key, form: form, text: html.UnescapeString(raw)}
		if form != formHTML {
			doc, err := jsonscan.Parse([]byte(v.text), 1)
			if err != nil || doc.Root().Kind() != jsonscan.String || doc.Root().Odd() {
				continue
			}
			v.text = doc.Root().Str()
		}
		if writeAttribute(v.text, form) == raw {
			return v, true
		}
	}
	return value{}, false
}

func writeAttribute(text, form string) string {
	switch form {
	case formJSON:
		text = pythonJSON(text, false)
	case formASCII:
		text = pythonJSON(text, true)
	}
	return escape(text)
}

// pythonJSON writes a string as Python's json.dumps does.
func pythonJSON(s string, ascii bool) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\b':
			out.WriteString(`\b`)
		case r == '\f':
			out.WriteString(`\f`)
		case r < 0x20 || ascii && r >= 0x7F && r < 0x10000:
			if r == 0x7F {
				out.WriteRune(r)
				continue
			}
			fmt.Fprintf(&out, `\u%04x`, r)
		case ascii && r >= 0x10000:
			a, b := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, a, b)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func callMarkup(n jsonscan.Node) string {
	var keys, forms []string
	for k := range n.Get("order").Items() {
		keys = append(keys, k.Str())
	}
	for f := range n.Get("forms").Items() {
		forms = append(forms, f.Str())
	}
	var out strings.Builder
	i := 0
	for piece := range n.Get("around").Items() {
		out.WriteString(piece.Str())
		if i < len(keys) && i < len(forms) {
			out.WriteString(writeAttribute(n.Get(keys[i]).Str(), forms[i]))
		}
		i++
	}
	return out.String()
}

// callOf reads a block as a tool call.
func callOf(n jsonscan.Node) (pamio.ToolCall, bool) {
	c := pamio.ToolCall{ID: n.Get("id").Str(), Name: n.Get("name").Str()}
	if a := n.Get("arguments"); a.Exists() {
		c.Input = toolcall.Argument(a.Str())
	}
	if r := n.Get("result"); r.Exists() {
		text := r.Str()
		c.Output = &text
	}
	return c, c.Name != ""
}
