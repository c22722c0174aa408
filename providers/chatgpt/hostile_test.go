package chatgpt_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// hostile writes random conversation elements: mostly of the right form, with every deviation that
// a producer, a script or a bad disk could have made.
type hostile struct {
	r *rand.Rand
}

func (h *hostile) chance(n int) bool    { return h.r.IntN(n) == 0 }
func pick[T any](h *hostile, of ...T) T { return of[h.r.IntN(len(of))] }

func (h *hostile) text() string {
	return pick(h, `""`, `"hello"`, `"a \"b\" \\ \n"`, `"\u00e9é😀"`, `"\ud83d"`, `"x\udc00y\ufffdz"`, `"\ud83d\ude00"`, `"�"`, `"{\"a\":1}"`,
		`"{\"a\": 1, \"b\": [1, 2]}"`, `"{\"a\" :1}"`, `"\u0000\u001f"`, `"\ue200cite\ue202turn0search1\ue201"`, "\"\xff\xfe bad\"", "\"\xed\xa0\xbd\xed\xb8\x82\"", "\"\xed\xa0\xbd\"",
		`"`+strings.Repeat("long text ", 1+h.r.IntN(40))+`"`)
}

func (h *hostile) number() string {
	return pick(h, "0", "-1", "1", "1.0", "1e3", "12345678901234567890", "0.1", "-0", "1E-7", "3.14159265358979323846", "9007199254740993")
}

func (h *hostile) time() string {
	return pick(h, "1695326273.968528", "1695326273.96852", "1695326273", "1695326273.0", "1.695326273e9", "null", "0", "-5", "1695326273.1234567", "1695326273968", "1695326273968123", `"2024-05-01T10:00:00Z"`,
		`"2024-05-01T10:00:00.5+02:00"`, `"not a time"`, "1e400", "99999999999", "253402300800", "0.0000001", "true", "{}")
}

func (h *hostile) value(depth int) string {
	switch n := h.r.IntN(9); {
	case n == 0 && depth > 0:
		var parts []string
		for range h.r.IntN(4) {
			parts = append(parts, h.value(depth-1))
		}
		return "[" + strings.Join(parts, pick(h, ",", " , ")) + "]"
	case n <= 2 && depth > 0:
		return h.object(depth - 1)
	case n == 3:
		return "null"
	case n == 4:
		return pick(h, "true", "false")
	case n == 5:
		return h.number()
	}
	return h.text()
}

func (h *hostile) object(depth int) string {
	var fields []string
	for range h.r.IntN(4) {
		fields = append(fields, pick(h, `"a"`, `"b"`, `"url"`, `"title"`, `"~1/x"`, `"\u0061"`, `"\ud800"`, `""`, `"text"`, `"node"`, `"verbatim"`)+":"+h.value(depth))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// fields joins the fields it is given, some left out, some twice, some with a value of any kind.
func (h *hostile) fields(odds int, fields ...string) string {
	var out []string
	for i := 0; i < len(fields); i += 2 {
		key, value := fields[i], fields[i+1]
		switch {
		case h.chance(odds):
			continue
		case h.chance(odds * 2):
			value = h.value(2)
		case h.chance(odds * 6):
			out = append(out, fmt.Sprintf("%q:%s", key, h.value(1)))
		case h.chance(odds * 3):
			value = "null"
		}
		out = append(out, fmt.Sprintf("%q:%s", key, value))
	}
	if h.chance(odds) {
		out = append(out, fmt.Sprintf("%q:%s", pick(h, "unknown", "absent", "node", "created_at_source", "shadowed", "verbatim", "text_from", "structural_nodes", "feedback", "text", "conflicts"), h.value(2)))
	}
	h.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return "{" + strings.Join(out, pick(h, ",", ", ")) + "}"
}

func (h *hostile) part() string {
	return pick(h, h.text(), h.text(), h.text(), "null", "3", "{}", h.value(2),
		h.fields(8, "content_type", `"image_asset_pointer"`, "asset_pointer", pick(h, `"file-service://file-abc"`, `"sediment://file_00#x"`, `""`, h.text()), "size_bytes", h.number(), "width", "8", "metadata", h.value(2)),
		h.fields(8, "content_type", `"audio_transcription"`, "text", h.text(), "direction", `"in"`),
		h.fields(8, "content_type", `"audio_asset_pointer"`, "asset_pointer", `"sediment://file_1"`, "format", `"wav"`),
		h.fields(8, "content_type", `"real_time_user_audio_video_asset_pointer"`, "frames_asset_pointers", "[]", "video_container_asset_pointer", pick(h, "null", `{"asset_pointer":"sediment://v"}`), "audio_asset_pointer", pick(h, "null", `{"asset_pointer":"sediment://a","size_bytes":4}`)),
		`{"text":`+h.text()+`}`, `{"asset_pointer":"x://y"}`)
}

func (h *hostile) list(n int, item func() string) string {
	var out []string
	for range h.r.IntN(n) {
		out = append(out, item())
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (h *hostile) content() string {
	if h.chance(25) {
		return h.value(2)
	}
	if h.chance(3) {
		return h.fields(20, "content_type", `"text"`, "parts", h.list(3, h.part))
	}
	return h.fields(12,
		"content_type", pick(h, `"text"`, `"multimodal_text"`, `"code"`, `"execution_output"`, `"tether_browsing_display"`, `"tether_quote"`, `"system_error"`, `"user_editable_context"`, `"model_editable_context"`, `"thoughts"`, `"reasoning_recap"`, `"sonic_webpage"`, `"citable_code_output"`, `"computer_output"`, `"app_pairing_content"`, `"super_widget"`, `"tool_response"`, `"image_asset_pointer"`, `"brand_new"`, h.text()),
		"parts", h.list(4, h.part), "text", h.text(), "language", pick(h, `"python"`, `"unknown"`, `""`, "null", h.text()), "result", h.text(), "content", h.text(),
		"user_profile", h.text(), "user_instructions", h.text(), "model_set_context", h.text(), "output_str", h.text(), "output", h.text(),
		"thoughts", h.list(3, func() string {
			return h.fields(6, "summary", h.text(), "content", pick(h, `""`, h.text()), "chunks", h.list(3, h.text), "finished", "true")
		}),
		"state", h.fields(6, "url", h.text(), "title", h.text()), "url", pick(h, `"https://example.org/x"`, `"file-abc"`, h.text()), "title", h.text(), "asset_pointer", h.text())
}

func (h *hostile) reference(depth int) string {
	var nested string
	if depth > 0 {
		nested = h.list(3, func() string { return h.reference(depth - 1) })
	} else {
		nested = h.value(1)
	}
	return h.fields(6, "type", `"webpage"`, "url", pick(h, `"https://example.org/a"`, `"https://example.org/`+fmt.Sprint(h.r.IntN(9))+`"`, `"file"`, h.text()), "title", h.text(), "snippet", h.text(), "text", h.text(),
		pick(h, "items", "sources", "fallback_items", "supporting_websites", "refs"), nested)
}

func (h *hostile) metadata() string {
	return h.fields(5, "model_slug", pick(h, `"gpt-4o"`, h.text()), "resolved_model_slug", pick(h, `"gpt-5"`, h.text()), "request_id", h.text(),
		"attachments", h.list(4, func() string {
			return h.fields(6, "id", h.text(), "name", h.text(), "mime_type", pick(h, `"image/png"`, h.text()), "mimeType", h.text(), "size", pick(h, "42", h.number()), "width", "8")
		}),
		"citations", h.list(3, func() string { return h.fields(4, "start_ix", "1", "metadata", h.reference(0)) }),
		"content_references", h.list(4, func() string { return h.reference(2) }),
		"user_context_message_data", h.fields(4, "about_user_message", h.text(), "about_model_message", h.text()), "usage", h.fields(4, "completion_tokens", h.number()))
}

func (h *hostile) element() string {
	n := h.r.IntN(9)
	key := func() string {
		return pick(h, "root", "client-created-root", "a", "b", "c", "d", "e", "f~1/g", "missing", fmt.Sprint("n", h.r.IntN(n+1)))
	}
	quoted := func() string { return fmt.Sprintf("%q", key()) }
	odds := pick(h, 4, 12, 60, 1000)
	var nodes []string
	prev := "root"
	nodes = append(nodes, h.node(odds, "root", "null", "null", h.list(3, quoted)))
	for range n {
		k := key()
		parent := fmt.Sprintf("%q", prev)
		if h.chance(5) {
			parent = quoted()
		}
		message := h.fields(odds, "id", pick(h, fmt.Sprintf("%q", k), h.text()), "author", h.fields(odds, "role", pick(h, `"user"`, `"assistant"`, `"system"`, `"tool"`, `"function"`, `"critic"`, h.text()), "name", pick(h, "null", `"bio"`), "metadata", pick(h, "{}", h.value(1))),
			"create_time", h.time(), "update_time", h.time(), "content", h.content(), "status", `"finished_successfully"`, "end_turn", pick(h, "true", "null"), "weight", pick(h, "1.0", "0"), "metadata", pick(h, "{}", h.metadata()),
			"recipient", pick(h, `"all"`, `"bio"`, `"python"`, `"assistant"`, h.text()), "channel", "null")
		if h.chance(8) {
			message = pick(h, "null", `"text"`, "[]", "{}")
		}
		nodes = append(nodes, h.node(odds, k, message, parent, h.list(3, quoted)))
		prev = k
	}
	h.r.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	mapping := "{" + strings.Join(nodes, ",") + "}"
	return h.fields(odds*3, "title", pick(h, `"A title"`, `""`, h.text()), "create_time", h.time(), "update_time", h.time(), "mapping", mapping, "current_node", quoted(), "conversation_id", pick(h, `"conv"`, h.text()), "id", pick(h, `"conv"`, h.text()),
		"is_archived", pick(h, "true", "false", "null"), "default_model_slug", pick(h, `"gpt-4o"`, "null", h.text()), "is_starred", pick(h, "true", "null"), "moderation_results", "[]", "voice", h.value(1))
}

func (h *hostile) node(odds int, key, message, parent, children string) string {
	if h.chance(60) {
		return fmt.Sprintf("%q:%s", key, h.value(2))
	}
	return fmt.Sprintf("%q:%s", key, h.fields(odds*2, "id", fmt.Sprintf("%q", key), "message", message, "parent", parent, "children", children))
}

func TestHostileElementsComeBackWhole(t *testing.T) {
	decoded, failed := 0, 0
	for seed := range uint64(300) {
		h := &hostile{r: rand.New(rand.NewPCG(seed, 11))}
		raw := []byte(h.element())
		snap, err := decode(raw)
		if err != nil {
			continue
		}
		decoded++
		if err := sound(raw, snap); err != nil {
			if failed++; failed > 8 {
				t.Fatal("more follow")
			}
			t.Errorf("seed %d (%d bytes): %v", seed, len(raw), err)
		}
	}
	if decoded < 150 {
		t.Fatalf("only %d elements could be decoded: the generator makes too much nonsense", decoded)
	}
}
