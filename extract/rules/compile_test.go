package rules

import (
	"strings"
	"testing"
)

const smallTable = `
language: xx
fillers: [well]
marks: [i, my]
classes:
  kin: {mom: mother}
families:
  - name: fact.first
    type: fact
    confidence: 0.5
    content: "Has {x}."
    patterns: ["i have {x}"]
`

func TestATableThatIsWrongSaysWhere(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"unknown key":       {"fillers:", "filers:", "field filers not found"},
		"no language":       {"language: xx", "", "language is missing"},
		"pattern":           {`"i have {x}"`, `"i have {x"`, `tables/xx.yaml: family fact.first: pattern "i have {x": { is not closed`},
		"class":             {`"i have {x}"`, `"@nix {x}"`, "there is no class nix"},
		"capture":           {`"i have {x}"`, `"i have [{x}] it"`, "does not always bind {x}"},
		"choice":            {`"i have {x}"`, `"i have ({x}|it)"`, "does not always bind {x}"},
		"type":              {"type: fact", "type: hunch", `type "hunch"`},
		"confidence":        {"confidence: 0.5", "confidence: 5", "confidence 5"},
		"content":           {`"Has {x}."`, `"Has {x}"`, "full stop"},
		"template":          {`"Has {x}."`, `"Has {x.loud}."`, "{x.loud}"},
		"no patterns":       {`patterns: ["i have {x}"]`, "patterns: []", "patterns are missing"},
		"an empty pattern":  {`"i have {x}"`, `"[i]"`, "may be empty"},
		"an empty word":     {"fillers: [well]", `fillers: ["!"]`, `class fillers: "!" has no word`},
		"a class twice":     {"kin:", "fillers:", "class fillers: the name is taken"},
		"class of a scalar": {"kin: {mom: mother}", "kin: mom", "neither a list nor a map"},
		"two documents":     {"language: xx", "language: xx\n---\nlanguage: yy", "more than one document"},
		"without":           {"content:", "without: [to it]\n    content:", "not one word"},
		"sensitive":         {"content:", "sensitive: shoes\n    content:", `sensitive "shoes"`},
		"act":               {"content:", "act: shout\n    content:", `act "shout"`},
		"slot":              {"content:", "slot: {attribute: a}\n    content:", "a slot has"},
	} {
		text := strings.Replace(smallTable, c.from, c.to, 1)
		src, err := parseTable([]byte(text))
		if err == nil {
			_, err = compileTable(src)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want an error with %q", name, err, c.want)
		}
	}
}

func TestTwoFamiliesWithOnePattern(t *testing.T) {
	twice := smallTable + strings.Replace(smallTable[strings.Index(smallTable, "  - name"):], "fact.first", "fact.second", 1)
	src, err := parseTable([]byte(twice))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compileTable(src); err == nil || !strings.Contains(err.Error(), "the same words are a pattern of family fact.first") {
		t.Errorf("compiled with %v", err)
	}
}

func FuzzParseTable(f *testing.F) {
	f.Add(smallTable)
	f.Add("language: xx\nfamilies: [{name: a, patterns: ['{x}']}]")
	f.Fuzz(func(t *testing.T, text string) {
		src, err := parseTable([]byte(text))
		if err != nil {
			return
		}
		if x, err := extractorOf(src); err == nil {
			doc := talked("I have a dog, well and my mom has one")
			got, _ := x.Extract(doc, nil)
			spansHold(t, doc, got)
		}
	})
}
