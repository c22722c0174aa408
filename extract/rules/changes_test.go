package rules

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
)

// changeTables are the languages that there is a table of changes for.
func changeTables(t *testing.T) []*changes {
	t.Helper()
	entries, err := changeFiles.ReadDir("changes")
	if err != nil {
		t.Fatal(err)
	}
	var all []*changes
	for _, e := range entries {
		c, err := readChanges(strings.TrimSuffix(e.Name(), ".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// checkExample runs one example, "sentence => what it gives": contents, which end with a full stop,
// and endings as transitions write them, with " | " between them.
func checkExample(t *testing.T, x *Extractor, example string) {
	t.Helper()
	sentence, want, ok := strings.Cut(example, " => ")
	if !ok {
		t.Errorf("%q is not of the form sentence => what it gives", example)
		return
	}
	got, report := x.Extract(talked(sentence), nil)
	for w := range strings.SplitSeq(want, " | ") {
		if !gives(got, w) {
			t.Errorf("%q does not give %q but %s; passed over: %v", sentence, w, listEnds(got), report.Skipped)
		}
	}
}

func gives(all []normalize.Candidate, want string) bool {
	for i := range all {
		c := &all[i]
		if c.Content == want && c.Act == "" {
			return true
		}
		for _, e := range c.Ends {
			if writtenEnding(&e) == want {
				return true
			}
		}
	}
	return false
}

func writtenEnding(e *normalize.Ending) string {
	switch {
	case e.Name != "":
		return e.Attribute + "~" + e.Name
	case e.Value != "":
		return e.Attribute + "=" + e.Value
	}
	return e.Attribute
}

func listEnds(all []normalize.Candidate) string {
	var b strings.Builder
	for i := range all {
		b.WriteString("[" + all[i].Act + " " + all[i].Rule + ": " + all[i].Content)
		for _, e := range all[i].Ends {
			b.WriteString(" -" + writtenEnding(&e))
		}
		b.WriteString("]")
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()
}

func TestExamplesOfEveryTableOfChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it reads all tables, and no two goroutines take part")
	}
	for _, c := range changeTables(t) {
		src, err := readTable("tables/" + c.Language + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		x, err := extractorOf(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range c.Transitions {
			t.Run(c.Language+"/"+tr.Name, func(t *testing.T) {
				if len(tr.Examples) == 0 {
					t.Error("there is no example")
				}
				for _, e := range tr.Examples {
					checkExample(t, x, e)
				}
				for _, sentence := range tr.Counter {
					got, _ := x.Extract(talked(sentence), nil)
					for i := range got {
						if got[i].Rule == tr.Name {
							t.Errorf("%q gives %s", sentence, listEnds(got))
						}
					}
				}
			})
		}
		t.Run(c.Language+"/forget", func(t *testing.T) {
			for _, e := range c.Forget.Examples {
				checkExample(t, x, e)
				sentence, _, _ := strings.Cut(e, " => ")
				got, _ := x.Extract(talked(sentence), nil)
				for i := range got {
					if got[i].Act == "" {
						t.Errorf("%q states %q", sentence, got[i].Content)
					}
				}
			}
			for _, sentence := range c.Forget.Counter {
				got, _ := x.Extract(talked(sentence), nil)
				for i := range got {
					if got[i].Act == normalize.ActRetract {
						t.Errorf("%q takes back %s", sentence, listEnds(got))
					}
				}
			}
		})
	}
}
