package segment

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/pamline/pamline/extract/frozen"
	"github.com/pamline/pamline/extract/lexicon"
)

// Language tells the language of a text: "en", "es", "pt", "fr", "de", "it" or another ISO 639-1
// code; "" when that is not sure, as with texts of few words. Only the first 8 KiB are read.
func Language(text string) string {
	var t tally
	t.read(text)
	return t.winner(minMargin)
}

// Vote finds the language of a conversation from its texts, each counting by its letters: a long
// one more than a short one, but none more than maxWeight letters. The zero value is ready.
type Vote struct {
	total tally
}

// Add counts a text.
func (v *Vote) Add(text string) {
	var t tally
	t.read(text)
	v.total.add(&t)
}

// Winner is the language of most of what was added, "" when there is none.
func (v *Vote) Winner() string { return v.total.winner(0) }

const (
	// maxRead is how much of a text tells its language, in bytes.
	maxRead = 8 << 10
	// maxWeight is the most letters that one text counts for in a vote.
	maxWeight = 2000
	// minMargin is how much more than the next language the first must have, in words that are its
	// own.
	minMargin = 0.3
	// maxLanguages is how many languages the table may have.
	maxLanguages = 32
)

// languages is the table, made for looking up.
type languages struct {
	names    []string
	words    map[string]uint32 // which languages have a word
	endings  map[string]uint32
	letters  map[rune]uint32
	elisions map[string]uint32 // what stands before an apostrophe: j'habite, dell'anno
}

var latinLanguages = sync.OnceValue(func() *languages {
	l, err := frozen.Table(languagesName, compileLanguages)
	if err != nil {
		panic(err) // the table is part of the program; a test reads it
	}
	return l
})

// languagesName is the name under which the compiled table is frozen.
const languagesName = "segment-languages"

func compileLanguages() (*languages, error) {
	data, err := tables.ReadFile("tables/" + languagesFile)
	if err != nil {
		return nil, fmt.Errorf("read table of languages: %w", err)
	}
	return readLanguages(data)
}

func readLanguages(data []byte) (*languages, error) {
	var table map[string]struct {
		Words, Endings, Elisions []string
		Letters                  string
	}
	if err := yaml.Unmarshal(data, &table); err != nil {
		return nil, fmt.Errorf("read table of languages: %w", err)
	}
	if len(table) > maxLanguages {
		return nil, fmt.Errorf("read table of languages: it has %d, which is more than %d", len(table), maxLanguages)
	}
	l := &languages{words: map[string]uint32{}, endings: map[string]uint32{}, letters: map[rune]uint32{}, elisions: map[string]uint32{}}
	for name := range table {
		l.names = append(l.names, name)
	}
	slices.Sort(l.names)
	for i, name := range l.names {
		bit := uint32(1) << i
		for _, w := range table[name].Words {
			l.words[w] |= bit
		}
		for _, e := range table[name].Endings {
			l.endings[e] |= bit
		}
		for _, e := range table[name].Elisions {
			l.elisions[e] |= bit
		}
		for _, r := range table[name].Letters {
			l.letters[r] |= bit
		}
	}
	return l, nil
}

// tally is what speaks for each language. Points of Latin languages are worth a word that no other
// language has.
type tally struct {
	latin   [maxLanguages]float64
	scripts [len(scripts)]int // letters of other scripts
	letters int               // of Latin script
	// Letters that tell languages of one script apart.
	kana, ukrainian, belarusian, serbian, persian, urdu int
}

func (t *tally) add(o *tally) {
	all := o.letters
	for _, n := range o.scripts {
		all += n
	}
	if all == 0 {
		return
	}
	scale := 1.0
	if all > maxWeight {
		scale = maxWeight / float64(all)
	}
	for i, n := range o.latin {
		t.latin[i] += n * scale
	}
	for i, n := range o.scripts {
		t.scripts[i] += int(float64(n) * scale)
	}
	t.letters += int(float64(o.letters) * scale)
	t.kana += o.kana
	t.ukrainian += o.ukrainian
	t.belarusian += o.belarusian
	t.serbian += o.serbian
	t.persian += o.persian
	t.urdu += o.urdu
}

// read counts the signs in a text.
func (t *tally) read(text string) {
	if len(text) > maxRead {
		text = text[:maxRead]
	}
	l := latinLanguages()
	var buf [64]byte
	for at := 0; at < len(text); {
		if lexicon.LetterLen(text, at) == 0 {
			if c := text[at]; c == 0xc2 {
				r, n := utf8.DecodeRuneInString(text[at:])
				t.points(l.letters[r], 0.5)
				at += n
				continue
			}
			at += lexicon.CharLen(text, at)
			continue
		}
		end := tokenizer.WordEnd(text, at)
		t.word(l, text[at:end], buf[:0])
		at = end
	}
}

func (t *tally) word(l *languages, w string, buf []byte) {
	var seen uint32
	before := t.letters
	for _, r := range w {
		if r >= firstSign && r <= lastSign { // Chinese has neither capitals nor endings
			t.scripts[signs]++
			continue
		}
		if r < utf8.RuneSelf || r < 0x250 || r >= 0x1e00 && r < 0x1f00 {
			if r >= 'A' && byteClass[byte(min(r, 0x7f))]&isLetter != 0 || r >= 0xc0 {
				t.letters++
			}
			if r >= 0x80 {
				seen |= l.letters[unicode.ToLower(r)]
			}
		} else {
			t.script(r)
		}
		if len(buf) < 60 {
			if r == '’' || r == 'ʼ' {
				r = '\''
			}
			buf = utf8.AppendRune(buf, unicode.ToLower(r))
		}
	}
	if t.letters == before {
		return // no word of a table of words
	}
	t.points(seen, 0.7)
	if set := l.words[string(buf)]; set != 0 {
		t.points(set, 1)
		return
	}
	if i := bytes.IndexByte(buf, '\''); i > 0 {
		if set := l.elisions[string(buf[:i])]; set != 0 {
			t.points(set, 1)
			return
		}
	}
	for n := min(5, len(buf)-2); n >= 2 && len(buf) >= 5; n-- {
		if set := l.endings[string(buf[len(buf)-n:])]; set != 0 {
			t.points(set, 0.4)
			return
		}
	}
}

// points divides a sign among the languages that have it.
func (t *tally) points(set uint32, worth float64) {
	if set == 0 {
		return
	}
	n := bits.OnesCount32(set)
	share := worth
	if n > 1 {
		// A sign that many have still counts for each of them, but against nobody of them.
		share = worth * 0.6
	}
	if n > 3 {
		share = worth * 0.4
	}
	for ; set != 0; set &= set - 1 {
		t.latin[bits.TrailingZeros32(set)] += share
	}
}

// winner is the language with the most points, if it leads by margin.
func (t *tally) winner(margin float64) string {
	script, most := -1, 0
	for i, n := range t.scripts {
		// A character of Chinese is a word; others are letters.
		if n *= scripts[i].weight; n > most {
			script, most = i, n
		}
	}
	if script >= 0 && most > t.letters {
		return t.ofScript(script)
	}
	best, next := -1, 0.0
	for i, n := range t.latin {
		switch {
		case n > 0 && (best < 0 || n > t.latin[best]):
			if best >= 0 {
				next = t.latin[best]
			}
			best = i
		case n > next:
			next = n
		}
	}
	if best < 0 || t.latin[best]-next < margin || t.latin[best] == next {
		return ""
	}
	return latinLanguages().names[best]
}
