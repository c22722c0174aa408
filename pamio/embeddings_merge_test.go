package pamio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// vectors are the embeddings of a state, by memory.
func vectorsText(r *rand.Rand, state map[string]map[string]any, t *testing.T) string {
	t.Helper()
	list := []any{}
	for _, v := range state { // in any order
		list = append(list, v)
	}
	b, err := json.Marshal(map[string]any{"schema": EmbeddingsSchema, "schema_version": "1.0", "x-kept": r.IntN(2), "embeddings": list})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// byMemory is an embeddings file as a set.
func byMemory(t *testing.T, doc string) map[string]any {
	t.Helper()
	var v struct{ Embeddings []map[string]any }
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err, doc)
	}
	set := map[string]any{}
	for _, e := range v.Embeddings {
		if id := e["memory_id"].(string); set[id] != nil {
			t.Fatalf("%s has two embeddings", id)
		}
		set[e["memory_id"].(string)] = e
	}
	return set
}

func TestMergingADeltaOfEmbeddingsGivesTheNext(t *testing.T) {
	l := Limits{Scratch: t.TempDir(), Budget: 500}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		state := map[string]map[string]any{}
		grow := func() {
			for range r.IntN(8) {
				memory := fmt.Sprintf("m-%d", r.IntN(12))
				// A new vector of a memory may have another id.
				state[memory] = map[string]any{"id": fmt.Sprintf("e-%s-%d", memory, r.IntN(3)), "memory_id": memory, "model": "m", "dimensions": 1, "vector": []any{float64(r.IntN(9))}}
			}
		}
		grow()
		base := text("base", vectorsText(r, state, t))
		grow()
		nextText := vectorsText(r, state, t)
		var delta, merged, full, same bytes.Buffer
		if _, err := DeltaEmbeddings(&delta, &base, text("next", nextText), l, nil); err != nil {
			t.Fatal(err)
		}
		tally, err := MergeEmbeddings(&merged, &base, []Source{text("delta", delta.String())}, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := byMemory(t, nextText)
		if got := byMemory(t, merged.String()); !reflect.DeepEqual(got, want) || tally.Total != int64(len(want)) {
			t.Fatalf("seed %d: %v (%+v), want %v", seed, got, tally, want)
		}
		// Without a base the delta is everything, and is merged to the same.
		if _, err := DeltaEmbeddings(&full, nil, text("next", nextText), l, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := MergeEmbeddings(&same, nil, []Source{text("delta", full.String())}, l, Withheld{"m-1": true}); err != nil {
			t.Fatal(err)
		}
		delete(want, "m-1")
		if got := byMemory(t, same.String()); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
	var out bytes.Buffer
	wrong := text("wrong", strings.Replace(storeOf(t, full), "portable-ai-memory", "other", 1))
	if _, err := MergeEmbeddings(&out, &wrong, nil, l, nil); err == nil {
		t.Error("another document is merged as embeddings")
	}
}
