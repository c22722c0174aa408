package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/pamline/pamline/extract/lexicon"
)

// maxSentence is how many tokens a sentence has at most. A longer one is cut, so that the work on a
// text without full stops stays linear in its length.
const maxSentence = 160

// maxWord is how many bytes of a word are compared; a longer one is no word of any table.
const maxWord = 48

// What a token is.
type kind uint8

const (
	word   kind = iota
	symbol      // a sign inside a clause: a quotation mark, a slash
	comma       // ends a clause, but not always a list
	pause       // ends a clause: ; : ( ) — and signs that are no text
	stop        // ends a sentence
	query       // ends a sentence that asks
)

// token is a word or a sign of a sentence.
type token struct {
	start, end int    // bytes of the text
	id         wordID // of a word that the table knows, else 0
	kind       kind
	capital    bool // begins with a capital letter; a sign that does joins the words of a name: "Birch & Rye"
	digits     bool // is a number in digits
	quoted     bool // stands inside quotation marks
	// run tells which letters a sign is of in a language that writes names in other letters than
	// what stands between them, 0 for neither.
	run uint8
}

// scanner cuts a text into sentences of tokens. The words are looked up in one table.
type scanner struct {
	text   string
	at     int
	end    int
	quoted bool
	table  *table
	tokens []token
	fold   []byte
	meet   func(folded []byte) // is given each word; nil but where words are looked for
}

// reset lets the scanner read a range of a text.
func (s *scanner) reset(text string, start, end int, t *table) {
	s.text, s.at, s.end, s.quoted, s.table = text, start, end, false, t
}

// next reads the next sentence into s.tokens; false at the end of the range. The last token is the
// one that ended the sentence, if there is one.
func (s *scanner) next() bool {
	s.tokens = s.tokens[:0]
	for s.at < s.end {
		c := s.text[s.at]
		switch {
		case lowered[c] != 0:
			s.word()
			if len(s.tokens) >= maxSentence {
				return true
			}
			continue
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
			continue
		case c == '\n':
			s.at++
			s.quoted = false
			if len(s.tokens) > 0 {
				return true
			}
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s.text[s.at:s.end])
		}
		switch {
		case inWord(r), s.table.suffixed && (r == '\'' || isApostrophe(r)) && s.follows(s.at+n):
			s.word()
			if len(s.tokens) >= maxSentence {
				return true
			}
			continue
		case unicode.IsSpace(r):
			s.at += n
			continue
		}
		k := signOf(r)
		if r == '、' && s.table.enumerates {
			k = symbol
		}
		if k == stop && s.at+1 < s.end && r == '.' && isDigit(s.text[s.at+1]) {
			k = symbol // .5
		}
		if k == stop && r == '.' && s.ordinal() {
			k = symbol // am 3. März
		}
		joins := r == '&'
		if k == stop && r == '.' && s.endsTitle() {
			k, joins = symbol, true // St. Mary's
		}
		if isQuote(r) {
			s.quoted = !s.quoted
		}
		t := token{start: s.at, end: s.at + n, kind: k, capital: joins, quoted: s.quoted}
		s.at += n
		if k != stop && k != query {
			s.tokens = append(s.tokens, t)
			continue
		}
		if len(s.tokens) == 0 {
			continue
		}
		for s.at < s.end && strings.IndexByte(".!?", s.text[s.at]) >= 0 {
			if s.text[s.at] == '?' {
				t.kind = query
			}
			s.at++
		}
		t.end = s.at
		s.tokens = append(s.tokens, t)
		return true
	}
	return len(s.tokens) > 0
}

// word reads the word at s.at.
func (s *scanner) word() {
	start := s.at
	i := start + s.letters()
	digits, letters, marks := false, i > start, false
	for i < s.end {
		c := s.text[i]
		if c < utf8.RuneSelf {
			switch {
			case c >= 'a' && c <= 'z':
				letters = true
			case c >= 'A' && c <= 'Z':
				letters = true
				c += 'a' - 'A'
			case isDigit(c):
				digits = true
			case c == '_':
			case (c == '+' || c == '#') && i > start && i-start <= 2:
			case (c == '\'' || c == '`') && s.table.suffixed:
				if i > start || !s.follows(i+1) {
					goto done
				}
				c = '\''
			case c == '\'' || c == '`':
				if !s.follows(i+1) && !s.table.elidesWord(s.fold) {
					goto done
				}
				c = '\''
			case c == '-' || c == '&':
				if !s.follows(i + 1) {
					goto done
				}
			case c == '.' || c == ',' || c == '/' || c == ':':
				if !digits || letters || i+1 >= s.end || !isDigit(s.text[i+1]) || !isDigit(s.text[i-1]) {
					if c != '.' || !s.dotted(start, i) {
						goto done
					}
				}
			default:
				goto done
			}
			if len(s.fold) <= maxWord {
				s.fold = append(s.fold, c)
			}
			i++
			if c == '\'' && s.table.elides(s.fold) {
				goto done
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[i:s.end])
		switch {
		case lexicon.IsSign(r):
			if i > start {
				goto done
			}
			s.put(r)
			i += n
			goto done
		case isLetterRune(r):
			letters = true
			r = lowerOf(r)
		case unicode.IsDigit(r):
			digits = true
		case unicode.Is(unicode.M, r):
			marks = true
		case isApostrophe(r) && s.table.suffixed:
			if i > start || !s.follows(i+n) {
				goto done
			}
			r = '\''
		case isApostrophe(r):
			if !s.follows(i+n) && !s.table.elidesWord(s.fold) {
				goto done
			}
			r = '\''
		case r == '\u2010' || r == '\u2011':
			if !s.follows(i + n) {
				goto done
			}
			r = '-'
		default:
			goto done
		}
		s.put(r)
		i += n
		if r == '\'' && s.table.elides(s.fold) {
			break
		}
	}
done:
	if i == start { // a lone sign that may be a part of a word
		_, n := utf8.DecodeRuneInString(s.text[i:s.end])
		i += n
	}
	s.at = i
	t := token{start: start, end: i, capital: beginsUpper(s.text[start:i]), digits: digits && !letters, quoted: s.quoted, run: s.table.runOf(s.text[start:i])}
	if marks {
		s.fold = norm.NFC.Append(nil, s.fold...)
	}
	if s.meet != nil {
		s.meet(s.fold)
	}
	if len(s.fold) <= maxWord {
		t.id = s.table.lexicon.Find(s.fold)
	}
	s.proclitic(&t)
	s.tokens = append(s.tokens, t)
}

// runOf is 1 for Han, 2 for Katakana, in Japanese.
func (t *table) runOf(sign string) uint8 {
	if t.language != "ja" {
		return 0
	}
	switch r, _ := utf8.DecodeRuneInString(sign); {
	case unicode.Is(unicode.Han, r):
		return 1
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return 2
	}
	return 0
}

// proclitic cuts the word that is written together with the next one from the front of a token, if
// what is left is a word of the table.
func (s *scanner) proclitic(t *token) {
	p := s.table.proclitic
	if p == "" || t.id != 0 || len(s.fold) <= len(p) || string(s.fold[:len(p)]) != p || !strings.HasPrefix(s.text[t.start:t.end], p) {
		return
	}
	id := s.table.lexicon.Find(s.fold[len(p):])
	if id == 0 {
		return
	}
	s.tokens = append(s.tokens, token{start: t.start, end: t.start + len(p), id: s.table.lexicon.Find([]byte(p)), quoted: t.quoted})
	t.start, t.id = t.start+len(p), id
}

// letters folds the plain letters that the word at s.at begins with, and gives how many there are:
// most words have no others.
func (s *scanner) letters() int {
	if cap(s.fold) < 2*maxWord {
		s.fold = make([]byte, 0, 2*maxWord)
	}
	text := s.text[s.at:min(s.end, s.at+maxWord)]
	folded := s.fold[:maxWord]
	n := 0
	for n < len(text) {
		c := lowered[text[n]]
		if c == 0 {
			break
		}
		folded[n] = c
		n++
	}
	s.fold = folded[:n]
	return n
}

// lowered are the plain letters in lower case, 0 for all else.
var lowered = func() (t [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	return t
}()

// ordinal tells whether the full stop at s.at makes an ordinal of the number before it, for the
// next word is one that is counted so.
func (s *scanner) ordinal() bool {
	n := len(s.tokens)
	if n == 0 || !s.tokens[n-1].digits || s.tokens[n-1].end != s.at || !s.table.counts {
		return false
	}
	rest := strings.TrimLeft(s.text[s.at+1:min(s.end, s.at+1+maxWord)], " ")
	if _, _, ok := dayOfMonth(s.text[s.tokens[n-1].start:s.at]); ok && rest != "" && (rest[0] == ',' || unicode.IsLower(rune(rest[0]))) {
		return true // am 3.3. bin ich
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(rest)
	}
	id := s.table.lexicon.Find([]byte(strings.ToLower(rest[:end])))
	return id != 0 && s.table.memberOf(id).has(s.table.ordinals)
}

// beginsUpper tells whether a word begins with a capital letter.
func beginsUpper(w string) bool {
	if w[0] < utf8.RuneSelf {
		return w[0] >= 'A' && w[0] <= 'Z'
	}
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

func (s *scanner) put(r rune) {
	if len(s.fold) <= maxWord {
		s.fold = utf8.AppendRune(s.fold, r)
	}
}

// follows tells whether a letter or digit is at i.
func (s *scanner) follows(i int) bool {
	if i >= s.end {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s.text[i:s.end])
	return inWord(r) && r != '_'
}

// dotted tells whether a full stop at i is a part of the word that begins at start: u.s., node.js,
// example.org.
func (s *scanner) dotted(start, i int) bool {
	if i+1 >= s.end || !isLetter(s.text[i+1]) {
		return false
	}
	if i-start == 1 || (i >= 2 && s.text[i-2] == '.') {
		return i+2 >= s.end || !isLetter(s.text[i+2]) // one letter after the other
	}
	j := i + 1
	for j < s.end && isLetter(s.text[j]) {
		j++
	}
	switch strings.ToLower(s.text[i+1 : j]) {
	case "js", "net", "com", "org", "io", "py", "ai", "dev", "de", "fr", "es", "it", "pt", "br", "uk":
		return true
	}
	return false
}
