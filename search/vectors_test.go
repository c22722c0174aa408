package search

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// writeVectors puts vectors of memories beside a store.
func writeVectors(t *testing.T, folder string, vectors map[string][]float64) {
	t.Helper()
	var list, file bytes.Buffer
	section := pamio.NewSection(&list)
	for _, content := range slices.Sorted(keysOf(vectors)) {
		e := pamio.Embedding{ID: nameOf("v" + content), MemoryID: nameOf(content), Model: "m", Dimensions: 3, CreatedAt: "2024-01-01T00:00:00Z", Vector: vectors[content]}
		raw, err := e.AppendCanonical(nil)
		check(t, err)
		check(t, section.Add(raw))
	}
	check(t, pamio.WriteEmbeddings(&file, &list))
	check(t, os.WriteFile(filepath.Join(folder, pamio.EmbeddingsFile), file.Bytes(), 0o600))
}

func keysOf(m map[string][]float64) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestMemoriesThatMeanTheSameAreFound(t *testing.T) {
	folder, file := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "me.db")
	memories := []remembered{{"Is allergic to walnuts.", "fact", "active", "2024-03-05"}, {"Gets a rash from nuts.", "fact", "active", "2023-03-05"}, {"Keeps bees.", "fact", "active", "2023-01-01"}}
	write(t, folder, nil, memories)
	vectors := map[string][]float64{"Is allergic to walnuts.": {1, 0.1, 0}, "Gets a rash from nuts.": {0.95, 0.2, 0}, "Keeps bees.": {0, 0, 1}}
	writeVectors(t, folder, vectors)
	x, b, _ := updated(t, file, folder)
	ask := func(text string, o Options) (found []string) {
		t.Helper()
		q, err := ParseQuery(text)
		check(t, err)
		r, err := x.Find(t.Context(), b, q, o)
		check(t, err)
		for _, h := range r.Hits {
			found = append(found, h.Text+" "+h.Match)
		}
		return found
	}
	near := &Vector{Model: "m", Numbers: []float32{1, 0.12, 0}}
	for name, c := range map[string]struct {
		text string
		o    Options
		want []string
	}{
		"words and meaning":   {"walnuts", Options{Vector: near}, []string{"Is allergic to walnuts. words", "Gets a rash from nuts. meaning"}},
		"meaning alone":       {"intolerance", Options{Vector: near}, []string{"Is allergic to walnuts. meaning", "Gets a rash from nuts. meaning"}},
		"words alone":         {"walnuts", Options{}, []string{"Is allergic to walnuts. words"}},
		"without a word":      {"intolerance -rash", Options{Vector: near}, []string{"Is allergic to walnuts. meaning"}},
		"within a time":       {"intolerance", Options{Vector: near, Since: unixTime("2024-01-01T00:00:00Z")}, []string{"Is allergic to walnuts. meaning"}},
		"of another model":    {"intolerance", Options{Vector: &Vector{"other", near.Numbers}}, nil},
		"of another length":   {"intolerance", Options{Vector: &Vector{"m", []float32{1}}}, nil},
		"of another provider": {"intolerance", Options{Vector: near, Provider: "elsewhere"}, nil},
		"messages only":       {"intolerance", Options{Vector: near, In: []string{KindMessage}}, nil},
		"nowhere":             {"intolerance", Options{Vector: &Vector{"m", []float32{0, 0, 0}}}, nil},
	} {
		if got := ask(c.text, c.o); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// A vector that goes, and one that changes.
	write(t, folder, nil, memories[:2])
	writeVectors(t, folder, map[string][]float64{"Is allergic to walnuts.": {0, 1, 0}, "Gets a rash from nuts.": {0.95, 0.2, 0}, "Of nobody.": {1, 0, 0}})
	check(t, x.Close())
	x, b, _ = updated(t, file, folder)
	if got := ask("intolerance", Options{Vector: near}); !slices.Equal(got, []string{"Gets a rash from nuts. meaning"}) {
		t.Errorf("after an update: %q", got)
	}
	var n int
	check(t, x.conn.QueryRowContext(t.Context(), `SELECT count(*) FROM vectors`).Scan(&n))
	if n != 2 {
		t.Errorf("%d vectors", n)
	}
}
