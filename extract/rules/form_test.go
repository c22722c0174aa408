package rules

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
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

// TestEveryContentHasTheFormOfAMemory reads the examples of all tables with all tables together, and the chatter that the
// benchmarks read.
func TestEveryContentHasTheFormOfAMemory(t *testing.T) {
	check := func(text string) {
		got, _ := New().Extract(said(text), nil)
		for i := range got {
			if fault := malformed(got[i].Content, got[i].Language); fault != "" && got[i].Act == "" {
				t.Errorf("%q gives %q: %s", text, got[i].Content, fault)
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
			t.Errorf("the chatter gives %q: %s", got[i].Content, fault)
		}
	}
}
