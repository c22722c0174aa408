package chatgpt_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"

	"github.com/pamline/pamline/providers/chatgpt"
)

// ordinary is a conversation as exports mostly have them: a chain of messages of some hundred
// words, every key present.
func ordinary(r *rand.Rand, messages int) []byte {
	words := strings.Fields("the of and to in is you that it he was for on are as with his they I at über naïve 東京 😀 café señor code \"quoted\" back\\slash line\nbreak tab\tstop")
	id := func() string {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.Uint32()&0xFFFF, r.Uint32()&0xFFF, r.Uint32()&0xFFF, r.Uint64()&0xFFFFFFFFFFFF)
	}
	ids := []string{id()}
	for range messages {
		ids = append(ids, id())
	}
	var b []byte
	b = fmt.Appendf(b, `{"title": "a title", "create_time": 1680000000.0, "update_time": 1680009999.123456, "mapping": {"%s": {"id": "%s", "message": null, "parent": null, "children": ["%s"]}`, ids[0], ids[0], ids[1])
	for i := 1; i < len(ids); i++ {
		role, n := "user", 20
		if i%2 == 0 {
			role, n = "assistant", 250
		}
		var text strings.Builder
		for range n {
			text.WriteString(words[r.IntN(len(words))] + " ")
		}
		child := ""
		if i+1 < len(ids) {
			child = `"` + ids[i+1] + `"`
		}
		b = fmt.Appendf(b, `, "%[1]s": {"id": "%[1]s", "message": {"id": "%[1]s", "author": {"role": "%[2]s", "name": null, "metadata": {}}, "create_time": %.6[3]f, "update_time": null, "content": {"content_type": "text", "parts": [%[4]s]}, "status": "finished_successfully", "end_turn": true, "weight": 1.0, "metadata": {"model_slug": "gpt-4o", "request_id": "%[1]s", "timestamp_": "absolute", "citations": [], "content_references": []}, "recipient": "all", "channel": null}, "parent": "%[5]s", "children": [%[6]s]}`,
			ids[i], role, 1680000000+float64(i)*13.37, pamio.AppendString(nil, text.String()), ids[i-1], child)
	}
	return fmt.Appendf(b, `}, "moderation_results": [], "current_node": "%s", "plugin_ids": null, "conversation_id": "%[2]s", "conversation_template_id": null, "gizmo_id": null, "is_archived": false, "safe_urls": [], "default_model_slug": "gpt-4o", "id": "%[2]s"}`, ids[len(ids)-1], ids[0])
}

func benchmarkInput() ([][]byte, int64) {
	r := rand.New(rand.NewPCG(7, 7))
	var all [][]byte
	var size int64
	for range 40 {
		raw := ordinary(r, 4+r.IntN(56))
		all = append(all, raw)
		size += int64(len(raw))
	}
	return all, size
}

func BenchmarkDecode(b *testing.B) {
	all, size := benchmarkInput()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, raw := range all {
			if _, err := decode(raw); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkDecodeAndWrite(b *testing.B) {
	all, size := benchmarkInput()
	b.SetBytes(size)
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		for _, raw := range all {
			s, err := decode(raw)
			if err != nil {
				b.Fatal(err)
			}
			out = s.Doc.AppendJSON(out[:0])
		}
	}
}

func BenchmarkRestore(b *testing.B) {
	all, size := benchmarkInput()
	b.SetBytes(size)
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		b.StopTimer()
		for _, raw := range all {
			s, err := decode(raw)
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if out, err = chatgpt.New().Restore(out[:0], s.Doc); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
		}
		b.StartTimer()
	}
}
