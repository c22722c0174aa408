package rules

import (
	"reflect"
	"strings"
	"testing"
)

// cut gives the sentences of a text, their tokens separated by bars.
func cut(text string, elisions ...string) []string {
	t := &table{elisions: map[string]bool{}}
	for _, e := range elisions {
		t.elisions[e] = true
	}
	s := scanner{}
	s.reset(text, 0, len(text), t)
	var all []string
	for s.next() {
		var tokens []string
		for _, tok := range s.tokens {
			tokens = append(tokens, text[tok.start:tok.end])
		}
		all = append(all, strings.Join(tokens, "|"))
	}
	return all
}

func TestSentencesAndWords(t *testing.T) {
	for text, want := range map[string][]string{
		"I'm here. You’re not!":             {"I'm|here|.", "You’re|not|!"},
		"It costs 3.50, or 1,000 at 10:30.": {"It|costs|3.50|,|or|1,000|at|10:30|."},
		"I use node.js and C++ in the U.S.": {"I|use|node.js|and|C++|in|the|U.S|."},
		"no stop at the end":                {"no|stop|at|the|end"},
		"one\ntwo\r\n\nthree":               {"one", "two", "three"},
		"wait... what?!":                    {"wait|...", "what|?!"},
		"a part-time job -- really":         {"a|part-time|job|-|-|really"},
		"hello.How are you":                 {"hello|.", "How|are|you"},
		"Ça va\u00a0? Oui":                  {"Ça|va|?", "Oui"},
		"e\u0301te\u0301 naïve":             {"e\u0301te\u0301|naïve"},
		"":                                  nil,
		"...":                               nil,
	} {
		if got := cut(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, want := cut("J'ai l’école d'or, aujourd'hui", "j", "l", "d"), []string{"J'|ai|l’|école|d'|or|,|aujourd'hui"}; !reflect.DeepEqual(got, want) {
		t.Errorf("elisions: %q, want %q", got, want)
	}
}

func TestAVeryLongSentenceIsCut(t *testing.T) {
	for _, s := range cut(strings.Repeat("word ", 10*maxSentence)) {
		if n := strings.Count(s, "|") + 1; n > maxSentence+1 {
			t.Fatalf("a sentence of %d tokens", n)
		}
	}
}
