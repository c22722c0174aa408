package memorylist_test

import (
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/memorylist"
)

func TestListsOfMemoriesAreRecognized(t *testing.T) {
	for text, want := range map[string]int{
		"[2026-01-02] - Likes tea\n[2026-01-03] - Has a cat\n":                     2,
		"```\n[2026-01-02] - Likes tea\n\n[2026-01-03] - Has a cat\n```\n":         2,
		"# My memories\n\n- Likes tea\n- Has a cat\n- Lives in Turku\n":            3,
		"# About me\n1. Likes tea\n2. Has a cat\n":                                 2,
		"# Changelog\n- [2026-01-02] a fix\n- [2026-01-03] another\n":              0,
		"# Memory\n\nThe allocator of the kernel.\n\n- slab\n- slub\n\nMore of it": 0,
		"- milk\n- eggs\n": 0, "I like tea.": 0, "": 0, "[2026-01-02] - one entry": 0,
	} {
		r := importertest.Read(t, memorylist.New(), importer.Limits{}, importertest.File{Name: "notes.md", Data: []byte(text)})
		if len(r.Records()) != want {
			t.Errorf("%q: %d records, want %d", text, len(r.Records()), want)
		}
		importertest.Format{Importer: memorylist.New(), NoInverse: true}.Check(t, r)
	}
}

func FuzzList(f *testing.F) {
	f.Add("[2026-01-02] - a\n[2026-01-03] - b\n")
	f.Add("# Memories\n- a\n- b")
	f.Fuzz(func(t *testing.T, text string) {
		r := importertest.Read(t, memorylist.New(), importer.Limits{}, importertest.File{Name: "notes.md", Data: []byte(text)})
		importertest.Format{Importer: memorylist.New(), NoInverse: true}.Check(t, r)
	})
}
