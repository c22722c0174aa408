package chatgpt_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importertest"
)

var update = importertest.Update

// TestCoverage changes every leaf of every fixture, one at a time, and records where in the
// document the change shows. A leaf whose change shows nowhere is lost. The table is the importer's
// mapping as it is, for people to read.
func TestCoverage(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var table strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := map[string]map[string]bool{}
		for _, raw := range elements(t, data) {
			check(t, raw)
			for pattern, places := range coverage(t, raw, 1) {
				if lines[pattern] == nil {
					lines[pattern] = map[string]bool{}
				}
				maps.Copy(lines[pattern], places)
			}
		}
		fmt.Fprintf(&table, "# %s\n", filepath.Base(file))
		for _, pattern := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(&table, "%s\n\t%s\n", pattern, strings.Join(slices.Sorted(maps.Keys(lines[pattern])), "\n\t"))
		}
	}
	const golden = "testdata/coverage.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if table.String() != string(want) {
		t.Errorf("the mapping has changed; look at it with -update and git diff:\n%s", firstChange(string(want), table.String()))
	}
}

func TestNoLeafOfTheSharedFixturesIsLost(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(importertest.Shared(t, "fixtures", "chatgpt"), "*", "conv*.json"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(importertest.Shared(t, "fixtures", "chatgpt"), "*real", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range elements(t, data) {
			if _, err := decode(raw); err == nil {
				coverage(t, raw, 1+len(raw)/2500)
			}
		}
	}
}

// coverage changes every n-th leaf and tells, by generalised path, where it shows.
func coverage(t *testing.T, raw []byte, n int) map[string]map[string]bool {
	t.Helper()
	src, err := jsonscan.Parse(raw, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := document(t, raw)
	out := map[string]map[string]bool{}
	k := 0
	importertest.Walk(src.Root(), nil, func(leaf jsonscan.Node, path []string) {
		if k++; k%n != 0 {
			return
		}
		changed := slices.Concat(raw[:leaf.Offset()], importertest.Mutated(leaf), raw[leaf.Offset()+len(leaf.Raw()):])
		after := document(t, changed)
		places := map[string]bool{}
		for p, v := range after {
			if before[p] != v {
				places[general(p)] = true
			}
		}
		for p := range before {
			if _, ok := after[p]; !ok {
				places[general(p)] = true
			}
		}
		if len(places) == 0 {
			t.Errorf("%s: a change of it shows nowhere", strings.Join(path, "/"))
		}
		pattern := sourcePattern(path)
		if out[pattern] == nil {
			out[pattern] = map[string]bool{}
		}
		// A change of an id moves every link; the first places say enough.
		for i, p := range slices.Sorted(maps.Keys(places)) {
			if i < 4 {
				out[pattern][p] = true
			}
		}
	})
	return out
}

// document is the document of an element, flat; a refusal counts as a document, too.
func document(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	snap, err := decode(raw)
	if err != nil {
		return map[string]string{"(refused)": err.Error()}
	}
	doc, err := jsonscan.Parse(snap.Doc.AppendJSON(nil), 0)
	if err != nil {
		t.Fatal(err)
	}
	flat := map[string]string{}
	importertest.Walk(doc.Root(), nil, func(leaf jsonscan.Node, path []string) { flat[strings.Join(path, "/")] = string(leaf.Raw()) })
	return flat
}

// general makes a document path a pattern.
func general(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "[]") {
			parts[i] = "[]"
		}
		if i > 0 && parts[i-1] == "structural_nodes" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

func sourcePattern(path []string) string {
	out := slices.Clone(path)
	for i := range out {
		switch {
		case strings.HasPrefix(out[i], "[]"):
			out[i] = "[]"
		case i == 1 && out[0] == "mapping":
			out[i] = "*"
		}
	}
	return strings.Join(out, "/")
}

// firstChange shows the first lines that differ.
func firstChange(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d: was %q, is %q", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("%d lines were, %d are", len(w), len(g))
}
