package convert_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mif"
)

const faulty = `{"mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-02T00:00:00Z","user_id":"ana"},"memories":[` +
	`{"id":"mem_aa","content":"Ana likes tea.","type":"Pattern","created_at":"2026-01-01T00:00:00Z","importance":0.25,"accessed_at":"2026-01-02T00:00:00Z","access_count":4,"decay_rate":0.1,"source":{"type":"file","agent":"x"},"embedding":{"model":"minilm-l6-v2","dimensions":384,"vector":[0.5,0.25,0.125]},"relations":{"related_memories":["mem_ab"]}},` +
	`{"id":"mem_ab","content":"Ana lives in Turku.","type":"Observation","created_at":"2026-01-01T00:00:00Z"}],` +
	`"todos":[{"id":"todo_aa","content":"Buy tea","status":"todo","created_at":"2026-01-01T00:00:00Z","due_date":"2026-02-01","project":{"id":"p","name":"home"},"comments":[{"id":"c","content":"green","type":"note","created_at":"2026-01-01T00:00:00Z"}]}]}`

// TestHolesOfOtherMIFReadersAreClosed: what a known program loses, invents or lets pass.
func TestHolesOfOtherMIFReadersAreClosed(t *testing.T) {
	t.Parallel()
	first, _, err := fromMIF(t, []byte(faulty))
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := fromMIF(t, []byte(faulty))
	if err != nil || !bytes.Equal(first["memory-store.json"].Data, second["memory-store.json"].Data) {
		t.Errorf("two readings differ: ids of records are made up: %v", err)
	}
	if first["embeddings.json"] != nil {
		t.Error("a vector whose length is not its dimension is taken as one of this store")
	}
	back, _ := toMIF(t, first, false)
	sameJSON(t, "the fields that others drop", []byte(faulty), back)
	for name, text := range map[string]string{
		"a time that is none becomes now":             strings.Replace(faulty, `"created_at":"2026-01-01T00:00:00Z","importance"`, `"created_at":"yesterday","importance"`, 1),
		"a missing time becomes now":                  strings.Replace(faulty, `"created_at":"2026-01-01T00:00:00Z","importance"`, `"importance"`, 1),
		"the second record of an id replaces another": strings.Replace(faulty, `"mem_ab","content"`, `"mem_aa","content"`, 1),
		"an unknown status passes":                    strings.Replace(faulty, `"status":"todo"`, `"status":"later"`, 1),
	} {
		d, err := mif.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out := fstest.MapFS{}
		if _, err := convert.PAMFromMIF(context.Background(), d, today, convert.Options{Scratch: t.TempDir()}, collect(out)); err == nil || len(out) > 0 {
			t.Errorf("%s: %v, %d files were written", name, err, len(out))
		}
	}
}
