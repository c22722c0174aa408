package rules

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

// TestLongLinesAreBounded reads lines without a full stop that begin patterns, lists and carried
// clauses everywhere. What is counted are steps of the matcher, for they do not depend on the
// machine.
func TestLongLinesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	for name, unit := range map[string]string{
		"clauses":  "i like cats and i like dogs ",
		"joins":    "i and and or and i ",
		"lists":    "i like a, b, c, d, and e, f ",
		"fillers":  "well so also and but yes hi ",
		"mentions": "my wife my dog my car ",
		"captures": "red is my favorite blue is my favorite ",
		"one word": "i like" + strings.Repeat("x", 1000),
		"signs":    "i \" ' / % my ",
		"tongues":  "io yo je ich eu i ",
	} {
		const size = 128 << 10
		text := strings.Repeat(unit, size/len(unit))
		doc := talked(text)
		r := newReader(standard(), doc)
		turns, _ := extract.Turns(doc)
		r.read(turns)
		spansHold(t, doc, r.out[:min(len(r.out), 3)])
		words := len(strings.Fields(text))
		if r.work > 400*(words+100) {
			t.Errorf("%s: %d steps for %d words", name, r.work, words)
		}
		if len(r.out) > 4*maxStatements {
			t.Errorf("%s: %d candidates of one message", name, len(r.out))
		}
	}
}

func TestTenMegabytesInOneLine(t *testing.T) {
	size := 10 << 20
	if testing.Short() {
		size = 100 << 10
	}
	doc := talked(strings.Repeat("the river is long and i think the town is old so ", size/50))
	if got, _ := New().Extract(doc, nil); len(got) > 4*maxStatements {
		t.Errorf("%d candidates", len(got))
	}
}
