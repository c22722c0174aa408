package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASampleIsTheSameForTheSameSeedAndShowsOnlyWhatAStoreShows(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "memory-store.json")
	lines := filepath.Join(dir, "candidates.jsonl")
	for file, text := range map[string]string{
		store: `{"memories":[{"content":"A.","status":"active","metadata":{"evidence":[{"quote":"a"}]}},{"content":"B.","status":"archived","metadata":{"evidence":[{"quote":"b"}]}}]}`,
		lines: `{"content":"C.","quote":"c","confidence":0.6}` + "\n" + `{"content":"D.","quote":"d","confidence":0.4}` + "\n" +
			`{"content":"C.","quote":"c","confidence":0.9}` + "\n" + `{"content":"E.","quote":"e","confidence":1,"act":"retract"}` + "\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sample := func(n, seed int) string {
		var b strings.Builder
		if err := writeSample(&b, []string{store, lines}, n, seed); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	all := sample(10, 1)
	if all != sample(10, 1) || strings.Count(all, "\n") != 2 || !strings.Contains(all, "A.  [a]") || !strings.Contains(all, "C.  [c]") {
		t.Errorf("the sample is\n%s", all)
	}
	if one := sample(1, 1); !strings.HasPrefix(all, one) || strings.Count(one, "\n") != 1 {
		t.Errorf("one of them is %q", one)
	}
}
