package lexicon

import (
	"sync"
	"unicode/utf8"
)

// Token is a word of a text.
type Token struct {
	Start, End    int
	ID            ID    // 0 for a word that no phrase has
	also, alsoEnd int32 // the open words that it is one of, in Scan.also
	Clause        bool  // behind a comma, colon, bracket or stronger, or the first
	Sentence      bool  // the end of a sentence or a line does
	apart         bool  // no phrase goes on with it
	sign          bool
}

// Hit is a phrase that begins at a word of a scan.
type Hit struct {
	Phrase int
	To     int // the word behind it
}

// Scan reads the words of a text one after the other and finds the phrases that begin at each. It
// holds a few words at a time, however long the text is, and the numbers of all open words in it.
type Scan struct {
	phrases *Phrases
	text    string
	at      int // where the next word is looked for
	read    int // words so far
	word    int
	tokens  [atHand]Token // the last that were read
	hits    []Hit
	also    []ID
	buf     [MaxWord + utf8.UTFMax]byte
}

// atHand is how many words are held, a power of two: those of the longest phrase, and some before.
const atHand = 64

var scans = sync.Pool{New: func() any { return new(Scan) }}

// Scan begins to read a text. Release ends it.
func (p *Phrases) Scan(text string) *Scan {
	s, _ := scans.Get().(*Scan)
	s.phrases = p
	s.Reset(text, 0)
	return s
}

// Release makes the scan free for other texts.
func (s *Scan) Release() {
	s.phrases, s.text = nil, ""
	if cap(s.also) <= atHand*atHand { // of a long text
		scans.Put(s)
	}
}

// Reset goes to a byte of a text: before the first word there.
func (s *Scan) Reset(text string, at int) {
	s.text, s.at, s.read, s.word, s.also = text, at, 0, -1, s.also[:0]
}

// Next goes to the next word and tells whether there is one.
func (s *Scan) Next() bool {
	s.word++
	return s.Token(s.word) != nil
}

// Word is the number of the word that Next went to, from 0 on.
func (s *Scan) Word() int { return s.word }

// Token gives a word by its number: one of the longest phrase here, or one of the atHand - maxSpan
// before. It is nil behind the end of the text, and valid until Next.
func (s *Scan) Token(i int) *Token {
	if i >= s.read && !s.readTo(i) {
		return nil
	}
	return &s.tokens[i&(atHand-1)]
}

func (s *Scan) readTo(i int) bool {
	for i >= s.read {
		if !s.readToken() {
			return false
		}
	}
	return true
}

// HitsAt goes on to the word that begins at a byte of the text and gives its hits.
func (s *Scan) HitsAt(at int) []Hit {
	for s.word++; s.word < s.read && s.tokens[s.word&(atHand-1)].Start < at; s.word++ {
	}
	if s.word >= s.read || s.tokens[s.word&(atHand-1)].Start != at {
		s.at, s.read, s.word, s.also = at, 0, 0, s.also[:0]
		if !s.readToken() {
			return nil
		}
	}
	return s.Hits()
}

// Hits gives the phrases that begin at the word, in the order in which they were added; of each,
// only the first way to its end. They are valid until Next.
func (s *Scan) Hits() []Hit {
	s.hits = s.hits[:0]
	if t := s.Token(s.word); t.ID != 0 || t.also < t.alsoEnd {
		s.walk(0, s.word)
	}
	return s.hits
}

func (s *Scan) addHit(phrase, to int) {
	at := len(s.hits)
	for at > 0 && s.hits[at-1].Phrase >= phrase {
		at--
	}
	if at < len(s.hits) && s.hits[at].Phrase == phrase {
		return
	}
	s.hits = append(s.hits, Hit{})
	copy(s.hits[at+1:], s.hits[at:])
	s.hits[at] = Hit{phrase, to}
}

func (s *Scan) readToken() bool {
	start := skipGap(s.text, s.at)
	if start == len(s.text) {
		s.at = start
		return false
	}
	p := s.phrases
	end, folded := p.tokenizer.readWord(s.text, start, s.buf[:0])
	gap := gapOf(s.text[s.at:start])
	if s.read == 0 {
		gap |= endsClause | endsSentence
	}
	t := &s.tokens[s.read&(atHand-1)]
	*t = Token{Start: start, End: end, Clause: gap&endsClause != 0, Sentence: gap&endsSentence != 0}
	switch p.tokenizer {
	case KeepApostrophes:
		t.apart = gap&parts != 0 || start-s.at > maxGap
	case SplitApostrophes:
		r, _ := utf8.DecodeRuneInString(s.text[start:])
		t.sign = IsSign(r)
		t.apart = gap != 0 && (t.sign || s.read > 0 && s.tokens[(s.read-1)&(atHand-1)].sign)
	}
	if len(p.proclitics) > 0 && s.text[start] >= utf8.RuneSelf {
		folded = cutProclitic(folded, p.proclitics)
	}
	t.ID = p.words.Find(folded)
	if len(p.open.list) > 0 {
		if end-start >= MaxWord { // its end counts, too
			folded = cutProclitic(p.tokenizer.appendUpTo(nil, s.text[start:end], maxOpen), p.proclitics)
		}
		t.also = int32(len(s.also)) //nolint:gosec // a text
		s.also = p.open.appendIDs(s.also, folded)
		t.alsoEnd = int32(len(s.also)) //nolint:gosec // a text
	}
	s.at = t.End
	s.read++
	return true
}

// What stands between two words.
const (
	endsSentence = 1 << iota
	endsClause
	parts // what is not a blank, comma or hyphen
	tight // what is not a space
)

// maxGap is how many blanks, commas and hyphens stand between the words of a phrase at most, where
// phrases do not pass other signs.
const maxGap = 3

var gapBits = func() (t [256]uint8) {
	for c := range t {
		t[c] = parts | tight
	}
	t[' '] = 0
	for _, c := range []byte("\t\r-,") {
		t[c] = tight
	}
	for _, c := range []byte(",:()[]\"<>|=") {
		t[c] |= endsClause
	}
	for _, c := range []byte(".!?;\n") {
		t[c] |= endsClause | endsSentence
	}
	return t
}()

func gapOf(s string) (bits uint8) {
	for i := range len(s) {
		bits |= gapBits[s[i]]
	}
	return bits
}
