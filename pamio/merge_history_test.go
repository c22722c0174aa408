package pamio

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// history makes the exports of one made-up owner, one after the other. Nothing ever goes away.
type history struct {
	r          *rand.Rand
	exports    int
	memories   map[string]map[string]any
	relations  map[string]map[string]any
	index      map[string]map[string]any
	extensions map[string]any
}

func newHistory(seed uint64) *history {
	return &history{r: rand.New(rand.NewPCG(seed, 7)), memories: map[string]map[string]any{}, relations: map[string]map[string]any{},
		index: map[string]map[string]any{}, extensions: map[string]any{}}
}

func (h *history) time(max int) string {
	return FormatTime(time.Unix(1700000000+int64(h.r.IntN(max)), 0))
}

// grow changes some elements and adds some.
func (h *history) grow() {
	for range h.r.IntN(12) {
		id := fmt.Sprintf("m-%d", h.r.IntN(30))
		if h.r.IntN(8) == 0 {
			id = []string{"m-ä", "m-\"q", "m-\U0001F600", "m-\uE000"}[h.r.IntN(4)]
		}
		content := fmt.Sprintf("Fact %d of %s", h.r.IntN(9), id)
		h.memories[id] = map[string]any{
			"id": id, "type": "fact", "content": content, "content_hash": ContentHash(content), "status": []string{"active", "retracted", "archived"}[h.r.IntN(3)],
			"temporal":   map[string]any{"created_at": h.time(1000), "updated_at": h.time(90000000)},
			"provenance": map[string]any{"platform": "claude", "x-unknown": h.r.IntN(3)}, "metadata": map[string]any{"n": json.Number("1.50"), "none": nil},
		}
	}
	for range h.r.IntN(6) {
		id := fmt.Sprintf("r-%d", h.r.IntN(12))
		h.relations[id] = map[string]any{"id": id, "from": "m-1", "to": fmt.Sprintf("m-%d", h.r.IntN(9)), "type": "supports", "created_at": h.time(1000)}
	}
	for range h.r.IntN(6) {
		id := fmt.Sprintf("c-%d", h.r.IntN(8))
		h.index[id] = map[string]any{"id": id, "platform": "claude", "title": fmt.Sprint("Talk ", h.r.IntN(5)), "temporal": map[string]any{"created_at": h.time(1000)}}
	}
	if h.r.IntN(3) == 0 {
		h.extensions[fmt.Sprintf("x-%d", h.r.IntN(3))] = h.r.IntN(100)
	}
}

// export writes the state, in any order of members and elements.
func (h *history) export(t testing.TB) string {
	t.Helper()
	h.exports++
	list := func(set map[string]map[string]any) []any {
		all := []any{}
		for _, v := range set {
			all = append(all, v)
		}
		slices.SortFunc(all, func(a, b any) int {
			return strings.Compare(a.(map[string]any)["id"].(string), b.(map[string]any)["id"].(string))
		})
		if h.r.IntN(2) == 0 {
			h.r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		}
		return all
	}
	doc := map[string]any{
		"schema": StoreSchema, "schema_version": "1.0", "owner": map[string]any{"id": "ada"}, "export_id": fmt.Sprintf("e-%d", h.exports),
		"export_date": FormatTime(time.Unix(1700000000+int64(h.exports)*1000000, 0)), "export_type": "full",
		"memories": list(h.memories), "relations": list(h.relations), "conversations_index": list(h.index),
	}
	for k, v := range h.extensions {
		doc[k] = v
	}
	return seal(t, doc, h.r.IntN(2) == 0)
}

// seal adds the integrity block and writes a document.
func seal(t testing.TB, doc map[string]any, indent bool) string {
	t.Helper()
	var raw [][]byte
	for _, m := range doc["memories"].([]any) {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, b)
	}
	sum, err := Checksum(raw)
	if err != nil {
		t.Fatal(err)
	}
	doc["integrity"] = map[string]any{"checksum": sum, "total_memories": len(raw), "canonicalization": "RFC8785"}
	b, err := json.Marshal(doc)
	if indent && err == nil {
		b, err = json.MarshalIndent(doc, "", "  ")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// value is a document with its collections as sets.
func value(t testing.TB, doc string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err, doc)
	}
	for _, c := range collections {
		set := map[string]any{}
		list, _ := v[c].([]any)
		for _, e := range list {
			id := e.(map[string]any)["id"].(string)
			if set[id] != nil {
				t.Fatalf("%s has %s twice", c, id)
			}
			set[id] = e
		}
		v[c] = set
	}
	return v
}
