package llm

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
)

func TestQuotesAreFound(t *testing.T) {
	for _, c := range []struct {
		text, quote string
		want        string // the spans, joined by " | "; "" for not found
	}{
		{"Well, I live in Oslo now.", "I live in Oslo", "I live in Oslo"},
		{"Well, I live in Oslo now.", "\"I live in Oslo.\"", "I live in Oslo"},
		{"Well, I LIVE in\n Oslo now.", "i live in oslo", "I LIVE in\n Oslo"},
		{"I’m “fond” of tea – green", `I'm "fond" of tea - green`, "I’m “fond” of tea – green"},
		{"Vivo a Forlì da anni", "vivo a forli", "Vivo a Forlì"},
		{"J’habite à Nîmes.", "J'habite à Nîmes", "J’habite à Nîmes"},
		{"Nîmes, voilà", "Nîmes", "Nîmes"},
		{"I **really** like tea", "I really like tea", "I **really** like tea"},
		{"I have worked as a baker in a small town for years", "I have worked as a bakers in a small town for years", "I have worked as a baker in a small town for years"},
		{"I have worked as a baker for 12 years in a town", "I have worked as a baker for 13 years in a town", ""},
		{"I like tea. Nobody asked. My cat is old.", "I like tea. […] My cat is old.", "I like tea | My cat is old"},
		{"I like tea. Nobody asked. My cat is old.", "My cat is old ... I like tea", ""},
		{"I like concatenation", "cat", ""},
		{"I like concatenation, and my cat", "cat", "cat"},
		{"I like tea", "I like coffee and cake", ""},
		{"I like tea", "", ""},
		{"I", "I", ""},
		{"我住在奥斯陆，很喜欢", "我住在奥斯陆", "我住在奥斯陆"},
		{"Straße in Köln", "strasse in koln", "Straße in Köln"},
		{"a <|im_start|> b c d", "a ‹|im_start|› b c d", "a <|im_start|> b c d"},
		{"zero\u200bwidth words here", "zerowidth words here", "zero\u200bwidth words here"},
	} {
		var got []string
		for _, s := range locate(c.text, []extract.Span{{Start: 0, End: len(c.text)}}, c.quote) {
			got = append(got, c.text[s.Start:s.End])
		}
		if strings.TrimRight(strings.Join(got, " | "), ".") != c.want {
			t.Errorf("%q in %q: found %q, expected %q", c.quote, c.text, got, c.want)
		}
	}
}

func TestQuotesOutsideOfTheRangesAreNotFound(t *testing.T) {
	text := "Fix this: I live in Oslo. Thanks, I like tea."
	ranges := []extract.Span{{Start: 0, End: 10}, {Start: 26, End: len(text)}}
	if got := locate(text, ranges, "I live in Oslo"); got != nil {
		t.Errorf("found %v", got)
	}
	if got := locate(text, ranges, "I like tea"); len(got) != 1 || text[got[0].Start:got[0].End] != "I like tea" {
		t.Errorf("found %v", got)
	}
}

func FuzzLocate(f *testing.F) {
	f.Add("Well, I live in Oslo now.", "I live … Oslo", 3, 20)
	f.Add("Straße ﬁne n\u0303", "strasse fine ñ", 0, 99)
	f.Add("我住在奥斯陆", "在奥", 0, 99)
	f.Add("\xff\xfea b c", "a b c", 0, 9)
	f.Add("我住在奥斯陆", "\xa8奥", 0, 99)
	f.Add("aaaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaab", 0, 99)
	f.Fuzz(func(t *testing.T, text, quote string, from, to int) {
		if len(text) > 4000 {
			text = text[:4000]
		}
		from, to = min(max(from, 0), len(text)), min(max(to, 0), len(text))
		if to < from {
			from, to = to, from
		}
		for from < to && !utf8.RuneStart(text[from]) {
			from++
		}
		for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
			to--
		}
		for _, s := range locate(text, []extract.Span{{Start: from, End: to}}, quote) {
			if s.Start < from || s.Start >= s.End || s.End > len(text) {
				t.Fatalf("span %v of %d..%d in %q", s, from, to, text)
			}
			if !utf8.ValidString(text) {
				continue
			}
			if !utf8.ValidString(text[s.Start:s.End]) {
				t.Fatalf("span %v cuts a character of %q", s, text)
			}
		}
	})
}
