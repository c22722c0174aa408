package lexicon

import (
	"strings"
	"testing"
)

func TestTokenizersDifferInApostrophesAndSigns(t *testing.T) {
	for text, want := range map[string][3]string{
		"Don't say “l’Été” IT'S":    {"don't say l'ete it's", "dont say l ete its", "don t say l ete it s"},
		"l'amico dell'11 d'accord":  {"l'amico dell'11 d'accord", "l amico dell 11 d accord", "l amico dell 11 d accord"},
		"U\u0308ber Straße, \u0308": {"uber strasse", "uber strasse", "uber strasse"},
		"日本語のhiv検査":                 {"日本語のhiv検査", "日本語のhiv検査", "日 本 語 の hiv 検 査"},
		"❤\ufe0f a-b c_d 3.5":       {"a b c d 3 5", "a b c d 3 5", "a b c d 3 5"},
		"'' ... ":                   {"", "", ""},
	} {
		for tokenizer, want := range want {
			got := strings.Join(NewBuilder(Tokenizer(tokenizer)).SplitText(text), " ") //nolint:gosec // three
			if got != want {
				t.Errorf("tokenizer %d, %q: %q, want %q", tokenizer, text, got, want)
			}
		}
	}
}

func TestMarksAreStripped(t *testing.T) {
	for text, want := range map[string]string{"Été": "Été", "Ёлка й": "Елка и", "ＨＩＶ ﬁ": "HIV fi", "ガン": "ガン", "한국": "한국", "أُم": "ام", "": ""} {
		if got := StripMarks(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzTokenizers(f *testing.F) {
	for _, s := range []string{"don't", "l'\u0301", "\xff'a", "日'本", "ʼʼa", "a\u0300\u0300'b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tokenizer := range []Tokenizer{KeepApostrophes, DropApostrophes, SplitApostrophes} {
			for at := 0; ; {
				start, end, folded := tokenizer.NextFolded(text, at, nil)
				if start == end {
					break
				}
				if start < at || end > len(text) || string(folded) != string(tokenizer.AppendFolded(nil, text[start:end])) {
					t.Fatalf("%d: %q at %d: %d to %d, %q", tokenizer, text, at, start, end, folded)
				}
				at = end
			}
		}
	})
}
