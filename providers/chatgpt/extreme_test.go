package chatgpt_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
)

// tree writes a conversation of n messages whose parents are given by index, -1 for the root.
func tree(n int, parent func(int) int, content func(int) string) []byte {
	var b strings.Builder
	name := func(i int) string {
		if i < 0 {
			return "root"
		}
		return fmt.Sprintf("node-%06d", i)
	}
	children := make(map[int][]string, n)
	for i := range n {
		children[parent(i)] = append(children[parent(i)], `"`+name(i)+`"`)
	}
	fmt.Fprintf(&b, `{"conversation_id":"x","id":"x","title":"t","create_time":1600000000,"mapping":{"root":{"id":"root","message":null,"parent":null,"children":[%s]}`, strings.Join(children[-1], ","))
	for i := range n {
		fmt.Fprintf(&b, `,"%[1]s":{"id":"%[1]s","message":{"id":"%[1]s","author":{"role":"user","name":null,"metadata":{}},"create_time":%[2]d.5,"content":%[3]s,"metadata":{"request_id":"%[1]s"}},"parent":"%[4]s","children":[%[5]s]}`,
			name(i), 1600000000+i, content(i), name(parent(i)), strings.Join(children[i], ","))
	}
	b.WriteString("}}")
	return []byte(b.String())
}

func plain(i int) string { return fmt.Sprintf(`{"content_type":"text","parts":["text %d"]}`, i) }

func TestExtremeTreesAreRead(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []byte
		n    int
	}{
		{"a chain", tree(1500, func(i int) int { return i - 1 }, plain), 1500},
		{"a fan under the root", tree(1500, func(int) int { return -1 }, plain), 1500},
		{"a fan under a message", tree(1500, func(i int) int { return min(i, 1) - 1 }, plain), 1500},
		{"many parts", tree(2, func(i int) int { return i - 1 }, func(int) string {
			return `{"content_type":"multimodal_text","parts":[` + strings.Repeat(`"a",{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-1","size_bytes":7,"width":80,"height":60,"fovea":null,"metadata":{"dalle":{"gen_id":"0123456789","prompt":"a long prompt"}}},`, 1500) + `null]}`
		}), 2},
		{"many citations", tree(2, func(i int) int { return i - 1 }, func(int) string {
			var refs []string
			for i := range 1000 {
				refs = append(refs, fmt.Sprintf(`"https://example.org/%d"`, i))
			}
			return `{"content_type":"text","parts":["x"]},"weight":1,"recipient":"all","metadata":{"content_references":[{"url":` + strings.Join(refs, `,"title":"a title of a page","type":"webpage","matched_text":"some text that was matched here"},{"url":`) + `}]}`
		}), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := c.raw
			if c.name == "many citations" {
				raw = []byte(strings.ReplaceAll(string(raw), `,"metadata":{"request_id":"node-000000"}`, ""))
				raw = []byte(strings.ReplaceAll(string(raw), `,"metadata":{"request_id":"node-000001"}`, ""))
			}
			if got := len(check(t, raw).Doc.Messages); got != c.n {
				t.Errorf("%d messages, want %d", got, c.n)
			}
		})
	}
}

func TestUnitErrorSaysWhere(t *testing.T) {
	_, err := decodeUnit(importer.Unit{Role: "conversations", Index: 3, Offset: 99, Raw: []byte(`{"id":`)})
	var bad *importer.UnitError
	if !errors.As(err, &bad) || bad.Index != 3 || bad.Offset != 99 || bad.Code != "syntax" || bad.Size != 6 {
		t.Errorf("got %#v", err)
	}
}
