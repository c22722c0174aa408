package rules

import (
	"reflect"
	"testing"
)

func TestTheHeadOfATableIsThatOfTheWholeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it reads all tables, and no two goroutines take part")
	}
	heads, err := readHeads()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range heads {
		src, err := readTable("tables/" + h.Language + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*h, src.head) {
			t.Errorf("%s: the head is %+v, that of the table %+v", h.Language, *h, src.head)
		}
		if len(h.Marks.list) == 0 {
			t.Errorf("%s: no word tells the language", h.Language)
		}
	}
}

func TestAHeadHasItsKeysOnly(t *testing.T) {
	const text = "# a note\nlanguage: xx\nletters: {ä: a}\nmarks:\n  [\n    one,\n\n    two,\n  ]\n# marks: [no]\nfamilies:\n  - name: marks\n    marks: [three]\nscript: true\n"
	h, err := parseHead([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := head{Language: "xx", Marks: words{[]pair{{"one", "one"}, {"two", "two"}}}, Script: true}
	if !reflect.DeepEqual(*h, want) {
		t.Errorf("the head is %+v, want %+v", *h, want)
	}
}

// TestTablesAreOpenedWhenTheirLanguageIsMet keeps small imports fast: the tables of all languages
// together take longer to compile than such an import.
func TestTablesAreOpenedWhenTheirLanguageIsMet(t *testing.T) {
	heads, err := readHeads()
	if err != nil {
		t.Fatal(err)
	}
	var opened []string
	b := newBook(newIndex(heads), func(language string) *table {
		opened = append(opened, language)
		compiled, err := openTable(language)
		if err != nil {
			t.Fatal(err)
		}
		return compiled
	})
	x := &Extractor{open: func() *book { return b }}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"I am a nurse and I live in Leeds with my two cats.", []string{"en"}},
		{"I have worked at the harbor since the spring, and I like it.", []string{"en"}},
		{"Ich wohne seit drei Jahren in Bremen und arbeite als Tischlerin.", []string{"en", "de"}},
	} {
		x.Extract(said(c.text), nil)
		if !reflect.DeepEqual(opened, c.want) {
			t.Errorf("after %q, the tables of %v are open, want %v", c.text, opened, c.want)
		}
	}
}
