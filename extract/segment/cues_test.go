package segment

import (
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"
)

func TestEachLanguageHasEachClass(t *testing.T) {
	for _, language := range []string{"en", "es", "pt", "fr", "de", "it"} {
		data, err := tables.ReadFile("tables/" + language + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var table map[string][]string
		if err := yaml.Unmarshal(data, &table); err != nil {
			t.Fatal(err)
		}
		for name := range classNames {
			if len(table[name]) == 0 {
				t.Errorf("%s has no phrases of class %s", language, name)
			}
		}
	}
	if _, err := readCues(tables); err != nil {
		t.Error(err)
	}
}

func TestPhrasesAreFoundWithoutAccentsAndInAnyCase(t *testing.T) {
	for _, text := range []string{"Réécris ce mail :", "REECRIS ce mail :", "réecris ce mail :", "RÉÉCRIS CE MAIL :", "peux-tu réécrire ce mail :", "peux tu reecrire ce mail :"} {
		got := Message(text+" Je suis malade.", nil)
		if len(got) != 2 || got[0].Kind != Prose || got[1].Kind != Payload || got[1].Start != len(text) {
			t.Errorf("%q:\n%s", text, show(text+" Je suis malade.", got))
		}
	}
	for _, text := range []string{"I'm", "i’m", "Iʼm", "IM"} {
		if !hasFirstPerson("well " + text + " here") {
			t.Errorf("%q is not of the first person", text)
		}
	}
	if hasFirstPerson("imposing items, mystery, iconic") {
		t.Error("parts of words are taken for words")
	}
}

func TestBadTablesAreRefused(t *testing.T) {
	for content, want := range map[string]string{
		"fillr: [please]": `there is no class "fillr"`,
		"filler: ['...']": "it has no word",
		"filler: {a: b}":  "read cue table tables/xx.yaml",
		"filler: [" + strings.Repeat("long", 20) + "]": "longer than",
	} {
		_, err := readCues(fstest.MapFS{"tables/xx.yaml": {Data: []byte(content)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", content, err, want)
		}
	}
	if _, err := readLanguages([]byte("en: 3")); err == nil {
		t.Error("a table of languages without lists is read")
	}
}

func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for k := Prose; k <= Injected; k++ {
		seen[k.String()] = true
	}
	if len(seen) != 10 || seen["unknown"] || Kind(99).String() != "unknown" {
		t.Errorf("got %v", seen)
	}
}
