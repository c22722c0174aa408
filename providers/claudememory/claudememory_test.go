package claudememory_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/claudememory"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

const index = "# Memory\n\n- [Who Ana is](who_ana_is.md) — where she lives\n- [Tone](feedback_tone.md) — short answers\n* [Roof](notes/roof.md)\n\n- Ana's dentist is Dr. Virtanen\n"

func folder() []importertest.File {
	return importertest.Files(
		"memory/MEMORY.md", index,
		"memory/who_ana_is.md", "---\nname: Who Ana is\ndescription: home and work\ntype: user\n---\n\nLives in Turku. Works as a cellist.\n",
		"memory/feedback_tone.md", "---\nname: Tone\ntype: feedback\n---\nAnswer in two sentences.\n",
		"memory/notes/roof.md", "The roof was repaired in May.\n",
		"memory/other.md", "# Readme\nnothing of it\n",
		"README.md", "a project",
	)
}

func TestTopicsAreReadAndPointersAreNoFacts(t *testing.T) {
	r := importertest.Read(t, claudememory.New(), importer.Limits{}, folder()...)
	importertest.Format{Importer: claudememory.New(), NoInverse: true}.Check(t, r)
	if len(r.Claim.Members) != 4 || r.Skips()["pointer"] != 3 {
		t.Errorf("%d members, %v", len(r.Claim.Members), r.Skips())
	}
	var got []string
	for _, rec := range r.Records() {
		got = append(got, rec.Kind+"|"+rec.Title+"|"+rec.Text)
	}
	want := []string{"memory||# Memory\n\n\n- Ana's dentist is Dr. Virtanen", "profile|Who Ana is|Lives in Turku. Works as a cellist.", "instruction|Tone|Answer in two sentences.", "memory||The roof was repaired in May."}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestAFileOfThatNameAloneIsNotClaimed(t *testing.T) {
	for _, files := range [][]importertest.File{
		importertest.Files("MEMORY.md", "# Memory management in C\n\nUse malloc."),
		importertest.Files("docs/NOTES.md", index),
		importertest.Files("MEMORY.md", "\x00\x01"),
	} {
		if r := importertest.Read(t, claudememory.New(), importer.Limits{}, files...); len(r.Claim.Members) > 0 {
			t.Errorf("%q is claimed", files[0].Name)
		}
	}
}

func FuzzFolder(f *testing.F) {
	f.Add(index, "---\nname: x\ntype: user\n---\ny")
	f.Fuzz(func(t *testing.T, index, topic string) {
		r := importertest.Read(t, claudememory.New(), importer.Limits{}, importertest.Files("m/MEMORY.md", index, "m/t.md", topic)...)
		importertest.Format{Importer: claudememory.New(), NoInverse: true}.Check(t, r)
		for _, rec := range r.Records() {
			if strings.Contains(rec.Text, "](t.md)") && rec.ID == claudememory.IndexFile && strings.HasPrefix(strings.TrimSpace(rec.Text), "- [") {
				t.Errorf("a pointer is a fact: %q", rec.Text)
			}
		}
	})
}
