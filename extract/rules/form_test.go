package rules

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
)

// firstPersons are words of the first person by language: no content of a memory has one.
var firstPersons = map[string][]string{
	"en": {"i", "i'm", "my", "me", "mine", "myself", "we", "our"}, "de": {"ich", "mein", "meine", "meinen", "mir", "mich"},
	"fr": {"je", "mon", "ma", "mes", "moi"}, "es": {"yo", "mi", "mis", "conmigo"}, "it": {"io", "mio", "mia", "miei"}, "pt": {"eu", "meu", "minha", "meus"},
}

// malformed tells what is wrong with the form of a content (docs/memories.md), "" when nothing is.
func malformed(content, language string) string {
	first, _ := utf8.DecodeRuneInString(content)
	fields := strings.FieldsFunc(strings.ToLower(content), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' })
	switch {
	case !strings.HasSuffix(content, ".") && !strings.HasSuffix(content, "。"):
		return "it does not end with a full stop"
	case unicode.IsLower(first):
		return "it begins with a small letter"
	case strings.ContainsAny(content, "\n\r\t{}"), strings.Contains(content, "  "):
		return "it is not one line of text"
	case len(fields) > maxWords:
		return "it is too long"
	case strings.Contains(content, " ,"), strings.Contains(content, ".."):
		return "its punctuation is wrong"
	}
	for _, w := range firstPersons[language] {
		for _, f := range fields {
			if f == w {
				return "it is in the first person: " + w
			}
		}
	}
	return ""
}

// topicForm is that of a tag (PAM).
var topicForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// untagged tells whether a candidate gives a memory without topics, or one with a topic that is no
// tag.
func untagged(c *normalize.Candidate) bool {
	attribute := ""
	if c.Slot != nil {
		attribute = c.Slot.Attribute
	}
	topics := normalize.Topics(c.Type, attribute, c.Sensitive)
	return len(topics) == 0 || slices.ContainsFunc(topics, func(s string) bool { return !topicForm.MatchString(s) })
}

// TestEverySlotHasATopic looks at the attributes of all tables: what no table of topics knows is
// told by its type alone.
func TestEverySlotHasATopic(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it reads all tables, and no two goroutines take part")
	}
	names, err := tableNames()
	if err != nil {
		t.Fatal(err)
	}
	check := func(s *slot) {
		if s == nil {
			return
		}
		attribute, _, _ := strings.Cut(s.Attribute, "{")
		if topics := normalize.Topics("", attribute, ""); len(topics) == 1 && topics[0] == "" {
			t.Errorf("the attribute %s has no topic", s.Attribute)
		}
	}
	for _, name := range names {
		src, err := readTable(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range src.Families {
			check(src.Families[i].Slot)
			for j := range src.Families[i].Also {
				check(src.Families[i].Also[j].Slot)
			}
		}
		if src.changes == nil {
			continue
		}
		for i := range src.changes.Transitions {
			for j := range src.changes.Transitions[i].Opens {
				check(src.changes.Transitions[i].Opens[j].Slot)
			}
		}
	}
}

// TestEveryContentHasTheFormOfAMemory reads the examples of all tables with all tables together,
// and the chatter that the benchmarks read.
func TestEveryContentHasTheFormOfAMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it reads all tables, and no two goroutines take part")
	}
	check := func(text string) {
		got, _ := New().Extract(said(text), nil)
		for i := range got {
			if fault := malformed(got[i].Content, got[i].Language); fault != "" && got[i].Act == "" {
				t.Errorf("%q gives %q: %s", text, got[i].Content, fault)
			}
			if got[i].Act == "" && untagged(&got[i]) {
				t.Errorf("%q gives %q without topics", text, got[i].Content)
			}
		}
	}
	names, err := tableNames()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, err := readTable(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range src.Families {
			for _, e := range src.Families[i].Examples {
				text, _, _ := strings.Cut(e, " => ")
				check(text)
			}
		}
	}
	got, _ := New().Extract(chatter(1, 1<<18), nil)
	for i := range got {
		if fault := malformed(got[i].Content, got[i].Language); fault != "" {
			t.Errorf("the chatter gives %q by %s %v: %s", got[i].Content, got[i].Rule, got[i].Evidence[0].Quote, fault)
		}
	}
}
