package gate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract/lexicon"
)

func TestTablesAreRead(t *testing.T) {
	p, err := readTables()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.text.phrases) < 180 || len(p.talk.phrases) < 200 {
		t.Errorf("%d and %d phrases", len(p.text.phrases), len(p.talk.phrases))
	}
	topics := map[string]bool{}
	for _, b := range []*book{p.text, p.talk} {
		for _, ph := range b.phrases {
			topics[ph.topic] = true
		}
	}
	if len(topics) != len(knownTopics)+len(labels) {
		t.Errorf("phrases of %d topics, want %d", len(topics), len(knownTopics)+len(labels))
	}
}

func TestFaultsOfATableNameTheirLine(t *testing.T) {
	for table, want := range map[string]string{
		"# fine\noverride x":        "line 2",
		"nonsense: x":               "no topic",
		"override: @missing":        "no class @missing",
		"@a = @b":                   "no class @b",
		"override: Upper":           "lower case",
		"override: d'accord":        "lower case",
		"override: été":             "without accents",
		"override: a ..0 b":         "1 to 12",
		"override: a ..13 b":        "1 to 12",
		"override: ..2 b":           "1 to 12",
		"override: a ..2":           "begins and ends",
		"override: $":               "begins and ends",
		"override: ^":               "begins and ends",
		"override: a? b?":           "may be missing",
		"override: a? b|$":          "may be missing",
		"\n\n@a = b\noverride: @a'": "line 4",
	} {
		if err := newBook(topicOverride).addTable("t", table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", table, err, want)
		}
	}
}

func TestPhrases(t *testing.T) {
	for _, c := range []struct{ phrase, text, want string }{
		{"a b", "a b, A  B; ab a-b", "a b|A  B|a-b"},
		{"a b|c", "a c a d a b", "a c|a b"},
		{"a x? b", "a b a x b a y b", "a b|a x b"},
		{"x? a", "x a a", "x a|a|a"},
		{"a ..2 b", "a b. a 1 b. a 1 2 b. a 1 2 3 b", "a b|a 1 b|a 1 2 b"},
		{"a ..2 b", "a 1. b", ""},
		{"^ a", "a a", "a"},
		{"^ a", "b a", ""},
		{"a $", "a b a, b a", "a|a"},
		{"a b|$", "a c a b a", "a b|a"},
		{"dont a", "don't a don\u2019t a", "don't a"},
		{"l a", "l'a L'A", "l'a|L'A"},
		{"uber", "Über uber", "Über|uber"},
		{"uber", "U\u0308ber \u0308 uber", "U\u0308ber|uber"},
	} {
		b := newBook(topicOverride)
		if err := b.addTable("t", "override: "+c.phrase); err != nil {
			t.Fatal(err)
		}
		b.close()
		var got []string
		b.each(c.text, func(_ phrase, words *lexicon.Scan, from, to int) bool {
			got = append(got, c.text[words.Token(from).Start:words.Token(to-1).End])
			return true
		})
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q in %q: %q, want %q", c.phrase, c.text, strings.Join(got, "|"), c.want)
		}
	}
}

// TestPhrasesAreFoundAnywhere puts one across the ends of the runs of words that are held at a
// time.
func TestPhrasesAreFoundAnywhere(t *testing.T) {
	b := newBook(topicOverride)
	if err := b.addTable("t", "override: begin ..5 finish $\noverride: ^ begin"); err != nil {
		t.Fatal(err)
	}
	b.close()
	for _, before := range []int{1, 7, few - 3, few - 1, few, few + 1, few + 8, 2*few - 2, 2*few + 5, block, block + 1, 3 * block} {
		for _, after := range []int{0, 1, 5, 9, 2 * block} {
			text := strings.Repeat("x ", before) + "begin a b c finish." + strings.Repeat(" y", after)
			var got []string
			b.each(text, func(_ phrase, words *lexicon.Scan, from, to int) bool {
				got = append(got, text[words.Token(from).Start:words.Token(to-1).End])
				return true
			})
			if fmt.Sprint(got) != "[begin a b c finish]" {
				t.Errorf("%d words before, %d after: %q", before, after, got)
			}
		}
	}
}
