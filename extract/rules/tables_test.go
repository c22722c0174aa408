package rules

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// said is a conversation in which the person says one thing.
func said(text string) *pamio.Conversation {
	doc := &pamio.Conversation{ID: "c"}
	doc.Provider.Name = "local"
	doc.Messages = []pamio.Message{{ID: "m", Role: "user", Content: &pamio.Content{Type: "text", Text: &text}}}
	return doc
}

// extractorOf is an extractor with one table.
func extractorOf(src *source) (*Extractor, error) {
	compiled, err := compileTable(src)
	if err != nil {
		return nil, err
	}
	b := newBook(newIndex([]*head{&src.head}), func(string) *table { return compiled })
	return &Extractor{open: func() *book { return b }}, nil
}

// TestExamplesOfEveryTable runs the examples and counter examples that stand beside the patterns:
// "sentence => content", or several contents with " | " between them.
func TestExamplesOfEveryTable(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it reads all tables, and no two goroutines take part")
	}
	names, err := tableNames()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, err := readTable(name)
		if err != nil {
			t.Error(err)
			continue
		}
		src.changes, src.changing = nil, false // the families by themselves
		x, err := extractorOf(src)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, f := range src.Families {
			t.Run(src.Language+"/"+f.Name, func(t *testing.T) {
				if len(f.Examples) == 0 {
					t.Error("there is no example")
				}
				for _, e := range f.Examples {
					sentence, want, ok := strings.Cut(e, " => ")
					if !ok {
						t.Errorf("%q is not of the form sentence => content", e)
						continue
					}
					doc := said(sentence)
					got, report := x.Extract(doc, nil)
					for w := range strings.SplitSeq(want, " | ") {
						if !has(got, f.Name, f.Inner, w) {
							t.Errorf("%q does not give %q but %s; passed over: %v", sentence, w, list(got), report.Skipped)
						}
					}
				}
				for _, sentence := range f.Counter {
					if got, _ := x.Extract(said(sentence), nil); len(got) > 0 {
						t.Errorf("%q gives %s", sentence, list(got))
					}
				}
			})
		}
	}
}

func has(all []normalize.Candidate, rule string, anyRule bool, content string) bool {
	for i := range all {
		if all[i].Content == content && (anyRule || all[i].Rule == rule) {
			return true
		}
	}
	return false
}

func list(all []normalize.Candidate) string {
	var b strings.Builder
	for i := range all {
		b.WriteString("[" + all[i].Rule + ": " + all[i].Content + "]")
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()
}
