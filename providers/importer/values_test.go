package importer_test

import (
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

func TestValuesOfManyForms(t *testing.T) {
	for raw, want := range map[string]struct {
		count, loose int64 // -1: none
		lexeme       string
	}{
		`0`:                   {0, 0, "0"},
		`12`:                  {12, 12, "12"},
		`"12"`:                {-1, 12, "12"},
		`-0`:                  {-1, -1, "-0"},
		`-1`:                  {-1, -1, "-1"},
		`1.5`:                 {-1, -1, "1.5"},
		`1e3`:                 {-1, -1, "1e3"},
		`9007199254740991`:    {9007199254740991, 9007199254740991, "9007199254740991"},
		`9007199254740992`:    {-1, -1, "9007199254740992"},
		`"99999999999999999"`: {-1, -1, "99999999999999999"},
		`""`:                  {-1, -1, ""},
		`null`:                {-1, -1, ""},
		`{"a":1}`:             {-1, -1, ""},
	} {
		doc, err := jsonscan.Parse([]byte(raw), 0)
		if err != nil {
			t.Fatal(err)
		}
		n := doc.Root()
		if got := orNone(importer.Count(n)); got != want.count {
			t.Errorf("Count of %s is %d, want %d", raw, got, want.count)
		}
		if got := orNone(importer.CountOrText(n)); got != want.loose {
			t.Errorf("CountOrText of %s is %d, want %d", raw, got, want.loose)
		}
		if got := importer.Lexeme(n); got != want.lexeme {
			t.Errorf("Lexeme of %s is %q, want %q", raw, got, want.lexeme)
		}
	}
}

func orNone(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

func TestTheFirstTextThatIsNotEmptyCounts(t *testing.T) {
	doc, err := jsonscan.Parse([]byte(`{"a":"","b":7,"c":"tea","d":"milk"}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := importer.FirstText(doc.Root(), "x", "a", "b", "c", "d"); got != "tea" {
		t.Errorf("got %q", got)
	}
	if got := importer.FirstText(doc.Root(), "x", "a", "b"); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestTypesOfAttachments(t *testing.T) {
	for name, want := range map[string]string{"a.PNG": "image", "b.opus": "audio", "c.mov": "video", "d.tar.gz": "file", "e.csv": "document", "": "file"} {
		if got := importer.NamedType(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	for mime, want := range map[string]string{"image/png": "image", "audio/x": "audio", "video/": "video", "image": "", "text/plain": "", "": ""} {
		if got := importer.MediaType(mime); got != want {
			t.Errorf("%q is %q, want %q", mime, got, want)
		}
	}
}
