package fold

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// random makes n snapshots that share an id: messages come and go, values change, links and times
// are partly missing.
func random(rng *rand.Rand, n int) []*pamio.Conversation {
	linked := rng.IntN(3) > 0
	size := 1 + rng.IntN(8)
	parents := make([]int, size)
	for i := range parents {
		parents[i] = rng.IntN(i+1) - 1
	}
	value := func(options ...string) string { return options[rng.IntN(len(options))] }
	raw := func() pamio.RawJSON {
		return []byte(value("", "", `{"k":1}`, `{"k":1.0,"o":{"a":"x","b":[1]}}`, `{"o":{"a":"y"},"k":null}`, `{"o":3}`,
			`{"created_at_source":"none"}`, `{"nodes":[{"id":"x","v":1}]}`, `{"nodes":[{"id":"y"},{"id":"x","v":2}]}`))
	}
	var out []*pamio.Conversation
	for s := range n {
		c := doc(fmt.Sprintf("2024-01-01T00:00:%02dZ", 10+s+rng.IntN(2)))
		c.RawMetadata = raw()
		c.Model = value("", "m1", "m2")
		if rng.IntN(2) == 0 {
			title := value("A", "B", "")
			c.Title = &title
		}
		there := make([]bool, size)
		for i := range there {
			there[i] = rng.IntN(4) > 0
		}
		order := rng.Perm(size)
		slices.SortFunc(order, func(a, b int) int { // parents first, siblings in any order
			depth := func(i int) (d int) {
				for ; i >= 0; i = parents[i] {
					d++
				}
				return d
			}
			return depth(a) - depth(b)
		})
		for _, i := range order {
			if !there[i] {
				continue
			}
			text := value("hello", "hallo")
			m := pamio.Message{
				ID: fmt.Sprint("m", i), Role: "user", CreatedAt: value("2024-01-01T00:00:01Z", "2024-01-01T00:00:02Z"),
				Model: value("", "m1", "m2"), RawMetadata: raw(),
			}
			if rng.IntN(4) > 0 {
				m.Content = &pamio.Content{Type: "text", Text: &text}
			}
			p := parents[i]
			for p >= 0 && !there[p] {
				p = parents[p]
			}
			if linked && p >= 0 {
				m.ParentID = fmt.Sprint("m", p)
			}
			c.Messages = append(c.Messages, m)
		}
		for i := range c.Messages {
			for j := range c.Messages {
				if c.Messages[j].ParentID == c.Messages[i].ID {
					c.Messages[i].ChildrenIDs = append(c.Messages[i].ChildrenIDs, c.Messages[j].ID)
				}
			}
		}
		for i := range c.Messages {
			if len(c.Messages[i].RawMetadata) == 0 {
				c.Messages[i].RawMetadata = nil
			}
		}
		if len(c.RawMetadata) == 0 {
			c.RawMetadata = nil
		}
		out = append(out, c)
	}
	return out
}

// leaves flattens a document into pointer → JSON text; messages are keyed by id instead of by
// index, links and times are left out.
func leaves(t testing.TB, c *pamio.Conversation) map[string]any {
	t.Helper()
	out := map[string]any{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				walk(at+"/"+escape(k), x)
			}
			return
		case []any:
			if strings.HasSuffix(at, "/messages") || strings.HasSuffix(at, "/nodes") {
				for _, x := range v {
					walk(at+"/"+x.(map[string]any)["id"].(string), x)
				}
				return
			}
		}
		for _, skip := range []string{"/parent_id", "/children_ids", "/created_at", "/created_at_source", "/import_metadata"} {
			if strings.HasSuffix(at, skip) {
				return
			}
		}
		out[at] = v
	}
	var doc any
	if err := json.Unmarshal(c.AppendJSON(nil), &doc); err != nil {
		t.Fatal(err)
	}
	walk("", doc)
	return out
}

func TestNothingIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 13))
	for round := range 400 {
		docs := random(rng, 2+rng.IntN(4))
		got := folded(t, docs...)
		kept := leaves(t, got)
		var raw struct {
			Conflicts []struct {
				Pointer string
				Value   any
			}
		}
		if got.RawMetadata != nil {
			if err := json.Unmarshal(got.RawMetadata, &raw); err != nil {
				t.Fatal(err)
			}
		}
		lost := map[string][]any{}
		for _, c := range raw.Conflicts {
			at := c.Pointer
			if rest, ok := strings.CutPrefix(at, "/messages/"); ok {
				index, field, _ := strings.Cut(rest, "/")
				var i int
				fmt.Sscan(index, &i)
				at = "/messages/" + got.Messages[i].ID + "/" + field
			}
			// Our lists of nodes have x behind y, or alone.
			if head, rest, ok := strings.Cut(at, "/nodes/"); ok {
				_, field, _ := strings.Cut(rest, "/")
				at = head + "/nodes/x/" + field
			}
			lost[at] = append(lost[at], c.Value)
		}
		for _, d := range docs {
			for at, v := range leaves(t, d) {
				if x, ok := kept[at]; ok && reflect.DeepEqual(x, v) {
					continue
				}
				if !explains(lost, at, v) {
					t.Fatalf("round %d: %s = %v is neither in the fold nor in its conflicts:\n%s", round, at, v, got.AppendJSON(nil))
				}
			}
		}
	}
}

// explains tells whether a conflict at the place, or at one above it, holds the value.
func explains(lost map[string][]any, at string, v any) bool {
	for above := at; above != ""; above = above[:strings.LastIndexByte(above, '/')] {
		for _, x := range lost[above] {
			found := true
			for _, key := range strings.Split(strings.TrimPrefix(at[len(above):], "/"), "/") {
				if key == "" {
					continue
				}
				m, ok := x.(map[string]any)
				if !ok {
					found = false
					break
				}
				x = m[key]
			}
			if found && reflect.DeepEqual(x, v) {
				return true
			}
		}
	}
	return false
}

func TestEveryMessageSurvivesWithClosedLinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 19))
	for range 300 {
		docs := random(rng, 1+rng.IntN(5))
		got := folded(t, docs...) // Check holds the links
		have := map[string]bool{}
		for _, m := range got.Messages {
			have[m.ID] = true
		}
		linked := 0
		for _, d := range docs {
			for _, m := range d.Messages {
				if !have[m.ID] {
					t.Fatalf("message %s is gone", m.ID)
				}
				if m.ParentID != "" {
					linked++
				}
			}
		}
		if linked > 0 && len(got.Messages) > 1 && !slices.ContainsFunc(got.Messages, func(m pamio.Message) bool { return m.ParentID != "" }) {
			t.Fatal("the links are gone")
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, raw := range []string{`{"a":1}`, `{"a":{"b":[{"id":"x"}]}}`, `{"conflicts":[1]}`, `{"created_at_source":"none"}`} {
		f.Add(raw, `{"a":2}`, uint64(1))
	}
	f.Fuzz(func(t *testing.T, raw1, raw2 string, seed uint64) {
		docs := random(rand.New(rand.NewPCG(seed, 1)), 3)
		docs[0].RawMetadata, docs[1].RawMetadata = []byte(raw1), []byte(raw2)
		for _, d := range docs {
			if d.Check() != nil {
				return // not two documents
			}
		}
		first := folded(t, docs...)
		if again := folded(t, docs...); !bytes.Equal(first.AppendJSON(nil), again.AppendJSON(nil)) {
			t.Error("two folds of the same differ")
		}
	})
}
