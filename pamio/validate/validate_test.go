package validate

import (
	"context"
	"os"
	"testing"
)

func run(t *testing.T, target Target, o Options) (Report, []Finding) {
	t.Helper()
	var found []Finding
	o.OnFinding = func(f Finding) { found = append(found, f) }
	if o.Scratch == "" {
		o.Scratch = t.TempDir()
	}
	r, err := Run(context.Background(), target, o)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return r, found
}

func TestSyntheticBundleIsValid(t *testing.T) {
	for _, strict := range []bool{false, true} {
		r, found := run(t, Target{Name: "bundle", FS: os.DirFS("testdata/bundle")}, Options{Strict: strict})
		for _, f := range found {
			t.Errorf("strict %v: %v", strict, f)
		}
		if r.Verdict() != Valid || r.Checks < 50 {
			t.Errorf("strict %v: %+v", strict, r)
		}
		want := Seen{Stores: 1, Conversations: 2, EmbeddingSets: 1, Memories: 4, Relations: 2, IndexEntries: 2, Messages: 5, Embeddings: 2, Bytes: r.Seen.Bytes}
		if r.Seen != want {
			t.Errorf("seen %+v, want %+v", r.Seen, want)
		}
	}
}
