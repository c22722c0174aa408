package chatgpt

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// A slot is a place in a message's content whose value moves into the document: a text, or the
// pointer to a file. The parts of the document's content stand in the order of the slots.
//
// Where the slots were can mostly be told from what is left of the content: the residual of a text
// is a hole in parts, of a code cell a missing text field. implied says so, for every content type
// in the tables below. Decode compares it with the slots it really took; when they differ, it
// writes them down in raw_metadata.text_from. So Restore never guesses.
type slot struct {
	path string // JSON pointer inside content
	kind string // the type of the part in PAM: text, code, image, audio, video, file
	node jsonscan.Node
}

// textFields lists, for each content type, the fields that hold its text.
var textFields = map[string][]string{
	"code":                    {"text"},
	"execution_output":        {"text"},
	"tether_browsing_display": {"result"},
	"tether_quote":            {"text"},
	"system_error":            {"text"},
	"user_editable_context":   {"user_profile", "user_instructions"},
	"model_editable_context":  {"model_set_context"},
	"reasoning_recap":         {"content"},
	"sonic_webpage":           {"text"},
	"citable_code_output":     {"output_str"},
	"tool_response":           {"output"},
	"computer_output":         {"state/title", "state/url"},
	"thoughts":                nil,
	"text":                    nil,
	"multimodal_text":         nil,
	"app_pairing_content":     nil,
	"super_widget":            nil,
	"tether_browsing_code":    nil,
	"image_asset_pointer":     nil,
	"image":                   nil,
}

// looseFields are looked at in content of any other type, and in types whose text is not where it
// should be.
var looseFields = []string{"text", "result", "content"}

// pointers are the part types that stand for a file, with the field that points to it and the part
// type in PAM.
var pointers = map[string][]struct{ field, kind string }{
	"image_asset_pointer":                      {{"asset_pointer", "image"}},
	"image":                                    {{"asset_pointer", "image"}},
	"audio_asset_pointer":                      {{"asset_pointer", "audio"}},
	"video_container_asset_pointer":            {{"asset_pointer", "video"}},
	"computer_output":                          {{"screenshot/asset_pointer", "image"}},
	"real_time_user_audio_video_asset_pointer": {{"audio_asset_pointer/asset_pointer", "audio"}, {"video_container_asset_pointer/asset_pointer", "video"}},
}

// contentType is the type of a content object, "text" where the source leaves it out.
func contentType(content jsonscan.Node) string {
	ct := content.Get("content_type")
	switch {
	case ct.Is("text"):
		return "text"
	case ct.Kind() == jsonscan.String:
		return ct.Str()
	}
	return "text"
}

// findSlots collects the slots of a message's content.
func findSlots(slots []slot, content jsonscan.Node) []slot {
	switch content.Kind() {
	case jsonscan.String:
		return append(slots, slot{"", "text", content})
	case jsonscan.Object:
	default:
		return slots
	}
	ct := contentType(content)
	fields, known := textFields[ct]
	text := func(field string) {
		v := content
		for segment := range strings.SplitSeq(field, "/") {
			v = v.Get(segment)
		}
		if v.Kind() == jsonscan.String {
			slots = append(slots, slot{"/" + field, textKind(ct), v})
		}
	}
	for _, f := range fields {
		text(f)
	}
	for _, p := range pointers[ct] {
		slots = pointerSlot(slots, content, "", p.field, p.kind)
	}
	if ct == "thoughts" {
		slots = thoughtSlots(slots, content.Get("thoughts"))
	}
	if !known || len(slots) == 0 && ct != "text" && ct != "multimodal_text" {
		for _, f := range looseFields {
			text(f)
		}
	}
	before := len(slots)
	slots = partSlots(slots, content.Get("parts"))
	if len(slots) == before && before == 0 && ct == "text" {
		text("text")
	}
	return slots
}

// textKind is the part type in PAM of a content type's text.
func textKind(ct string) string {
	if ct == "code" {
		return "code"
	}
	return "text"
}

// thoughtSlots takes each thought's summary and content, and its chunks where there is no content.
func thoughtSlots(slots []slot, thoughts jsonscan.Node) []slot {
	i := 0
	for th := range thoughts.Items() {
		at := "/thoughts/" + strconv.Itoa(i)
		i++
		summary, content := th.Get("summary"), th.Get("content")
		if summary.Kind() == jsonscan.String {
			slots = append(slots, slot{at + "/summary", "text", summary})
		}
		pieces := false
		for c := range th.Get("chunks").Items() {
			pieces = pieces || c.Kind() == jsonscan.String
		}
		if content.Kind() == jsonscan.String && (!content.Is("") || !pieces) {
			slots = append(slots, slot{at + "/content", "text", content})
			continue
		}
		j := 0
		for c := range th.Get("chunks").Items() {
			if c.Kind() == jsonscan.String {
				slots = append(slots, slot{at + "/chunks/" + strconv.Itoa(j), "text", c})
			}
			j++
		}
	}
	return slots
}

// partSlots takes the texts and file pointers of a parts list.
func partSlots(slots []slot, parts jsonscan.Node) []slot {
	i := -1
	for p := range parts.Items() {
		i++
		if p.Kind() == jsonscan.String {
			slots = append(slots, slot{partPath(i), "text", p})
			continue
		}
		at := partPath(i)
		kinds := pointers[p.Get("content_type").Str()]
		for _, k := range kinds {
			slots = pointerSlot(slots, p, at, k.field, k.kind)
		}
		if len(kinds) > 0 {
			continue
		}
		if text := p.Get("text"); text.Kind() == jsonscan.String {
			slots = append(slots, slot{at + "/text", "text", text})
		} else if p.Get("asset_pointer").Kind() == jsonscan.String {
			slots = pointerSlot(slots, p, at, "asset_pointer", "file")
		}
	}
	return slots
}

func pointerSlot(slots []slot, part jsonscan.Node, at, field, kind string) []slot {
	v := part
	for segment := range strings.SplitSeq(field, "/") {
		v = v.Get(segment)
	}
	// An empty pointer points nowhere: it stays in the residual.
	if v.Kind() == jsonscan.String && !v.Is("") {
		slots = append(slots, slot{at + "/" + field, kind, v})
	}
	return slots
}

func partPath(i int) string {
	if i == 0 {
		return "/parts/0"
	}
	return "/parts/" + strconv.Itoa(i)
}
