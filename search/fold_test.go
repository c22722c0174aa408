package search

import (
	"slices"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func words(text string) (list []string) {
	eachToken(text, func(t token) { list = append(list, t.text) })
	return list
}

func TestWordsAreFolded(t *testing.T) {
	for text, want := range map[string][]string{
		"Crème BRÛLÉE, naïve!":         {"creme", "brulee", "naive"},
		"Straße İstanbul ISPARTA ılık": {"strasse", "istanbul", "isparta", "ilik"},
		"Ёлка и йод":                   {"елка", "и", "йод"},
		"Ελλάς ἀγάπη":                  {"ελλασ", "αγαπη"},
		"الكِتَابُ وكتاب ١٢٣":          {"كتاب", "وكتاب", "123"},
		"مكتبة مكتبه":                  {"مكتبه", "مكتبه"},
		"שָׁלוֹם":                      {"שלום"},
		"核桃过敏 walnut":                  {"核桃", "桃过", "过敏", "敏", "walnut"},
		"ﾊﾞｽ バス":                       {"バス", "ス", "バス", "ス"},
		"알레르기":                         {"알레", "레르", "르기", "기"},
		"ＦＵＬＬ ｗｉｄｔｈ　５":                 {"full", "width", "5"},
		"हिन्दी":                       {"हिन्दी"},
		"snake_case don't a.b":         {"snake", "case", "don", "t", "a", "b"},
		"":                             nil,
		"\xff\xfe … 🙂":                 nil,
	} {
		if got := words(text); !slices.Equal(got, want) {
			t.Errorf("words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestComposedAndDecomposedTextsAreTheSame(t *testing.T) {
	for _, text := range []string{"Crème brûlée", "Ёлка йод їжак", "알레르기", "バスが", "Việt Nam", "ἀγάπη"} {
		if a, b := words(norm.NFC.String(text)), words(norm.NFD.String(text)); !slices.Equal(a, b) {
			t.Errorf("%q gives %q composed and %q decomposed", text, a, b)
		}
	}
}

func TestPlacesOfWordsAreThoseInTheText(t *testing.T) {
	text := "Ёж, crème — 核桃过敏!"
	eachToken(text, func(x token) {
		if x.start < 0 || x.end > len(text) || x.start >= x.end {
			t.Errorf("%q is at %d-%d", x.text, x.start, x.end)
			return
		}
		if got := words(text[x.start:x.end])[0]; got != x.text {
			t.Errorf("%q is where %q stands", x.text, got)
		}
	})
}

func FuzzTokens(f *testing.F) {
	f.Add("Crème 核桃 الكِتَابُ ﾊﾞ \u0301\u0e33")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		eachToken(text, func(x token) {
			if x.start < 0 || x.start >= x.end || x.end > len(text) || x.end < end || x.text == "" {
				t.Fatalf("%q: token %q at %d-%d", text, x.text, x.start, x.end)
			}
			end = x.end
			for _, r := range x.text {
				if r < 0x80 && classOf(r) != classWord {
					t.Fatalf("%q: token %q has %q", text, x.text, r)
				}
			}
		})
	})
}
