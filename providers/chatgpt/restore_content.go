package chatgpt

import (
	"fmt"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// plainDoc is plainContent, parsed. It is only read.
var plainDoc = func() *jsonscan.Doc {
	d, err := jsonscan.Parse([]byte(plainContent), 0)
	if err != nil {
		panic(err)
	}
	return d
}()

// restoreContent writes the content: the residual with the document's parts put back into their
// places.
func restoreContent(r *object, m *pamio.Message, raw jsonscan.Node, absent shape) error {
	parts, err := documentParts(m, raw)
	if err != nil {
		return err
	}
	residual := raw.Get("content")
	if !residual.Exists() {
		if absent&noContent != 0 && len(parts) == 0 {
			return nil
		}
		if len(parts) != 1 || parts[0].Text == nil {
			r.key("content")
			r.buf = appendNewContent(r.buf, parts)
			return nil
		}
		residual = plainDoc.Root()
	}
	var slots []slot
	if explicit := raw.Get(keyTextFrom); explicit.Exists() {
		for p := range explicit.Items() {
			slots = append(slots, slot{path: p.Str(), kind: kindOf(p.Str())})
		}
	} else {
		slots = implied(nil, residual)
	}
	patches := make([]normalize.Patch, 0, len(slots)+1)
	for i, s := range slots {
		value := ""
		if i < len(parts) {
			switch p := parts[i]; {
			case p.Text != nil:
				value = *p.Text
			default:
				value = p.Ref
			}
			if parts[i].Language != "" {
				patches = append(patches, normalize.Patch{Path: "/language", Value: pamio.AppendString(nil, parts[i].Language)})
			}
		}
		patches = append(patches, normalize.Patch{Path: s.path, Value: pamio.AppendString(nil, value)})
	}
	if len(parts) > len(slots) && residual.Kind() == jsonscan.Object {
		patches = append(patches, morePatches(residual, parts[len(slots):])...)
	}
	r.key("content")
	r.buf = normalize.AppendOverlay(r.buf, residual, patches)
	return nil
}

// documentParts lists a message's parts; the input of a tool call stands for its text.
func documentParts(m *pamio.Message, raw jsonscan.Node) ([]pamio.Part, error) {
	switch {
	case m.Content != nil && m.Content.Type == "multipart":
		return m.Content.Parts, nil
	case m.Content != nil && m.Content.Text != nil:
		return []pamio.Part{{Type: "text", Text: m.Content.Text}}, nil
	case m.Content == nil && len(m.ToolCalls) > 0 && len(m.ToolCalls[0].Input) > 0:
		text, err := inputText(m.ToolCalls[0].Input, raw.Get(keyInputStyle).Str())
		if err != nil {
			return nil, fmt.Errorf("read tool call input: %w", err)
		}
		return []pamio.Part{{Type: "text", Text: &text}}, nil
	}
	return nil, nil
}

// morePatches puts parts that were added to a message behind the others.
func morePatches(residual jsonscan.Node, parts []pamio.Part) []normalize.Patch {
	list := residual.Get("parts")
	if list.Kind() != jsonscan.Array {
		var all []byte
		for _, p := range parts {
			if len(all) > 0 {
				all = append(all, ',')
			}
			all = appendPart(all, p)
		}
		return []normalize.Patch{{Path: "/parts", Value: append(append([]byte{'['}, all...), ']')}}
	}
	n := list.Len()
	var out []normalize.Patch
	for i, p := range parts {
		out = append(out, normalize.Patch{Path: "/parts/" + strconv.Itoa(n+i), Value: appendPart(nil, p)})
	}
	return out
}

// appendNewContent writes the content of a message that no source had.
func appendNewContent(dst []byte, parts []pamio.Part) []byte {
	kind := "text"
	var list []byte
	for _, p := range parts {
		if p.Text == nil {
			kind = "multimodal_text"
		}
		if len(list) > 0 {
			list = append(list, ',')
		}
		list = appendPart(list, p)
	}
	dst = append(append(append(dst, `{"content_type":"`...), kind...), `","parts":[`...)
	return append(append(dst, list...), "]}"...)
}

// appendPart writes a part as an entry of a parts list.
func appendPart(dst []byte, p pamio.Part) []byte {
	if p.Text != nil {
		return pamio.AppendString(dst, *p.Text)
	}
	kind := "image_asset_pointer"
	if p.Type == "audio" {
		kind = "audio_asset_pointer"
	}
	dst = append(append(append(dst, `{"content_type":"`...), kind...), `","asset_pointer":`...)
	return append(pamio.AppendString(dst, p.Ref), '}')
}
