package lossless

import (
	"strconv"

	"github.com/pamline/pamline/pamio"
)

// object writes a JSON object.
type object struct {
	buf  []byte
	more bool
}

func (o *object) open() { o.buf = append(o.buf, '{') }

func (o *object) close() []byte {
	o.buf = append(o.buf, '}')
	return o.buf
}

func (o *object) put(key string, value []byte) {
	if o.more {
		o.buf = append(o.buf, ',')
	}
	o.more = true
	o.buf = append(pamio.AppendString(o.buf, key), ':')
	o.buf = append(o.buf, value...)
}

func (o *object) text(key, value string) { o.put(key, pamio.AppendString(nil, value)) }

// exceptions writes what the rules alone would get wrong.
func (o *object) exceptions(except []string, order turns, others []byte) {
	if len(except) > 0 {
		list := []byte{'['}
		for i, p := range except {
			if i > 0 {
				list = append(list, ',')
			}
			list = pamio.AppendString(list, p)
		}
		o.put(keyExcept, append(list, ']'))
	}
	var s object
	s.open()
	for slot, values := range order {
		if values == nil {
			continue
		}
		list := []byte{'['}
		for i, n := range values {
			if i > 0 {
				list = append(list, ',')
			}
			list = strconv.AppendInt(list, int64(n), 10)
		}
		s.put(slotNames[Text+Slot(slot)], append(list, ']'))
	}
	if text := s.close(); !bare(text) {
		o.put(keyOrder, text)
	}
	if len(others) > 0 {
		o.put(keyOthers, append(append([]byte{'{'}, others...), '}'))
	}
}

// slotNames are the names of sequences in a document; they never change.
var slotNames = map[Slot]string{
	Text: "text", Language: "language", AttachName: "attachment_name", AttachID: "attachment_id", AttachMime: "attachment_mime",
	AttachSize: "attachment_size", CiteURL: "citation_url", CiteTitle: "citation_title", CiteSnippet: "citation_snippet",
	ToolID: "tool_id", ToolName: "tool_name", ToolInput: "tool_input", ToolOutput: "tool_output",
	MessageModel: "model", MessageCreated: "created_at",
}
