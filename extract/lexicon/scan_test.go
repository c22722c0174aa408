package lexicon

import (
	"fmt"
	"strings"
	"testing"
)

// found gives what phrases of one tokenizer find in a text: the number and the words of each.
func found(p *Phrases, text string) (all []string) {
	s := p.Scan(text)
	defer s.Release()
	for s.Next() {
		from := s.Token(s.Word()).Start
		for _, h := range s.Hits() {
			all = append(all, fmt.Sprint(h.Phrase, " ", text[from:s.Token(h.To-1).End]))
		}
	}
	return all
}

func wordsOf(b *Builder, phrase string) (ids []ID) {
	for w := range strings.FieldsSeq(phrase) {
		bare := strings.Trim(w, "*")
		if bare == w {
			ids = append(ids, b.Word(w))
			continue
		}
		ids = append(ids, b.OpenWord(bare, w[0] == '*', w[len(w)-1] == '*'))
	}
	return ids
}

func TestPhrasesOfWords(t *testing.T) {
	for _, c := range []struct {
		tokenizer Tokenizer
		text      string
		want      string
	}{
		{KeepApostrophes, "Can you, can-you can  you can. you can     you", "1 Can|2 Can you|1 can|2 can-you|1 can|2 can  you|1 can|1 can"},
		{SplitApostrophes, "can! you preschool schools unschooled school", "1 can|2 can! you|3 preschool|4 schools|4 school"},
		{SplitApostrophes, "神を信じ 神 を 神、を", "5 神を|5 神 を"},
		{DropApostrophes, "", ""},
	} {
		b := NewBuilder(c.tokenizer)
		for i, phrase := range []string{"can", "can you", "*school", "school*", "神 を", "can you"} {
			if n := b.AddWords(wordsOf(b, phrase)); n != i%5+1 && phrase != "can you" {
				t.Errorf("%q is %d", phrase, n)
			}
		}
		p := b.Phrases()
		if got := strings.Join(found(&p, c.text), "|"); got != c.want {
			t.Errorf("%d: %q: %s, want %s", c.tokenizer, c.text, got, c.want)
		}
	}
}

func TestPhrasesShareNothingBehindAStepOfSeveralWords(t *testing.T) {
	b := NewBuilder(DropApostrophes)
	step := func(s Step, words string) Step { s.Words = wordsOf(b, words); return s }
	for i, steps := range [][]Step{
		{step(Step{}, "a b"), step(Step{}, "c"), step(Step{}, "d")},
		{step(Step{}, "a"), step(Step{}, "c"), step(Step{}, "e")},
		{step(Step{Optional: true}, "x"), step(Step{}, "a"), step(Step{Gap: 2}, "e")},
		{step(Step{}, "b"), step(Step{End: true}, "")},
	} {
		if n, err := b.Add(steps); err != nil || n != i+1 {
			t.Errorf("phrase %d: %d, %v", i, n, err)
		}
	}
	if _, err := b.Add([]Step{step(Step{}, "a"), step(Step{Gap: maxSpan}, "b")}); err == nil {
		t.Error("a phrase of any length is added")
	}
	p := b.Phrases()
	for text, want := range map[string]string{
		"a c d": "1 a c d", "b c d": "1 b c d", "a c e": "2 a c e|3 a c e", "b c e": "", "x a 1 2 e": "3 x a 1 2 e|3 a 1 2 e", "a 1 2 3 e": "", "b, b": "4 b|4 b", "a 1. e": "",
	} {
		if got := strings.Join(found(&p, text), "|"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestProcliticsAreLeftOut(t *testing.T) {
	b := NewBuilder(SplitApostrophes)
	b.Proclitics = []string{"وال", "و"}
	b.AddWords([]ID{b.Word("قلب")})
	p := b.Phrases()
	if got := fmt.Sprint(found(&p, "والقلب وقلب وا")); got != "[1 والقلب 1 وقلب]" {
		t.Error(got)
	}
}

func TestAScanGoesOnFromAWord(t *testing.T) {
	b := NewBuilder(KeepApostrophes)
	b.AddWords(wordsOf(b, "a b"))
	b.AddWords(wordsOf(b, "b"))
	p := b.Phrases()
	s := p.Scan("")
	defer s.Release()
	s.Reset("a b c a b", 0)
	for _, c := range []struct{ at, phrase int }{{0, 1}, {2, 2}, {4, 0}, {6, 1}, {0, 1}, {8, 2}} {
		hits := s.HitsAt(c.at)
		if got := len(hits); got != min(c.phrase, 1) || got == 1 && hits[0].Phrase != c.phrase {
			t.Errorf("at %d: %v, want phrase %d", c.at, hits, c.phrase)
		}
	}
	if hits := s.HitsAt(9); hits != nil {
		t.Errorf("behind the end: %v", hits)
	}
}

func TestASetHasItsWords(t *testing.T) {
	var s IDs
	for _, id := range []ID{200, 64, 1, 63, 1} {
		s.Add(id)
	}
	for id := range ID(1000) {
		if want := id == 1 || id == 63 || id == 64 || id == 200; s.Has(id) != want {
			t.Errorf("word %d: %v", id, s.Has(id))
		}
	}
}

// A word of any length has the open words that stand at its real ends.
func TestOpenWordsAreFoundInLongWords(t *testing.T) {
	b := NewBuilder(KeepApostrophes)
	b.AddWords([]ID{b.OpenWord("statin", true, false)})
	p := b.Phrases()
	for word, want := range map[string]int{
		"atorvastatin": 1, strings.Repeat("a", 60) + "statin": 1, strings.Repeat("ж", 30) + "statin": 1,
		strings.Repeat("a", MaxWord-6) + "statin" + "xyz": 0, "statinen": 0,
	} {
		s := p.Scan(word)
		if found := s.Next() && len(s.Hits()) > 0; found != (want > 0) {
			t.Errorf("%s: %v", word, found)
		}
		s.Release()
	}
	if _, err := b.Add([]Step{{Words: []ID{b.OpenWord("statin", true, false)}, Optional: true}, {Words: []ID{b.Word("x")}}}); err == nil {
		t.Error("an open word in an optional step was accepted")
	}
}
