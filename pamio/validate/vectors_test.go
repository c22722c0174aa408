package validate

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestVerdictVectors(t *testing.T) {
	data, err := os.ReadFile("../testdata/vectors/verdicts.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Note, Document, Verdict, Strict string
		Findings                        []string
	}
	if err := json.Unmarshal(data, &list); err != nil || len(list) < 40 {
		t.Fatalf("%d vectors: %v", len(list), err)
	}
	for _, v := range list {
		for _, strict := range []bool{false, true} {
			target := Document("store.json", func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(v.Document)), nil })
			r, found := run(t, target, Options{Strict: strict})
			want := v.Verdict
			if strict {
				want = v.Strict
			}
			if got := ids(found); !slices.Equal(got, v.Findings) && len(got)+len(v.Findings) > 0 || r.Verdict().String() != want {
				t.Errorf("%s (strict %v): %v with %v, want %s with %v", v.Note, strict, r.Verdict(), found, want, v.Findings)
			}
		}
	}
}
