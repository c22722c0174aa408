package sensitive

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
)

// sample is one line of testdata/cases.txt.
type sample struct{ kind, language, content string }

func samples(t *testing.T) []sample {
	t.Helper()
	text, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []sample
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, "|", 3)
		if len(f) != 3 {
			t.Fatalf("%q has not three fields", line)
		}
		list = append(list, sample{f[0], f[1], f[2]})
	}
	return list
}

// `go test -v -run Figures ./extract/sensitive` prints how many of each kind are found, and how
// many harmless contents are marked.
func TestFiguresOfEachKind(t *testing.T) {
	type figure struct{ n, marked, right int }
	figures := map[string]*figure{}
	for _, c := range samples(t) {
		for _, language := range []string{c.language, ""} {
			if c.kind == "-" {
				language = c.language // without a language a mark too many is better
			}
			f := figures[c.kind]
			if f == nil {
				f = &figure{}
				figures[c.kind] = f
			}
			got := KindOf(c.content, language)
			f.n++
			if got != "" {
				f.marked++
			}
			if cmp.Or(got, "-") == c.kind {
				f.right++
			} else {
				t.Logf("%s, read as %q: %q is %q", c.kind, language, c.content, got)
			}
		}
	}
	for _, kind := range append(slices.Clone(kinds), "-") {
		f := figures[kind]
		if f == nil || f.n < 60 {
			t.Fatalf("%s has fewer than 30 samples", kind)
		}
		t.Logf("%-12s %3d contents, %3d marked, %3d as what they are", kind, f.n/2, f.marked/2, f.right/2)
		if kind == "-" && f.marked*50 > f.n || kind != "-" && f.marked*50 < f.n*49 {
			t.Errorf("%s: %d of %d are marked", kind, f.marked, f.n)
		}
	}
}

func TestAMarkIsKept(t *testing.T) {
	found := []normalize.Candidate{{Content: "Weighs 80 kg.", Sensitive: Health}, {Content: "Has asthma."}, {Content: "Has a cat."}, {Act: normalize.ActListing}}
	Mark(found)
	for i, want := range []string{Health, Health, "", ""} {
		if found[i].Sensitive != want {
			t.Errorf("%q is %q, expected %q", found[i].Content, found[i].Sensitive, want)
		}
	}
}

func TestATopicIsNoConditionUnlessItIsTheirOwn(t *testing.T) {
	for content, want := range map[string]string{
		"Works as a nurse.": "", "Studies cancer cells.": "", "Works part-time because of cancer.": Health, "Has cancer and works as a teacher.": Health,
		"Teaches a course on islam.": "", "Works as an imam.": Religion,
	} {
		if got := KindOf(content, "en"); got != want {
			t.Errorf("%q is %q, expected %q", content, got, want)
		}
	}
}

func TestAccentsAndCaseMakeNoDifference(t *testing.T) {
	for content, language := range map[string]string{"Tiene DEPRESION.": "es", "Depressão": "pt", "ŞEKER HASTASI": "tr", "Ist schwanger": "de", "HIV-positive": ""} {
		if got := KindOf(content, language); got != Health {
			t.Errorf("%q is %q", content, got)
		}
	}
}
