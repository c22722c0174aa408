package search

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrNoWords is returned for a query without a word to find.
var ErrNoWords = errors.New("there is no word to find")

// Query is what to find: every word and phrase, and none of the excluded ones.
type Query struct {
	wanted   []term
	excluded []term
}

// term is a word, or a phrase of words one after another.
type term struct {
	words []string
	// prefix: the last word may go on.
	prefix bool
	// literal: the person gave the exact words, by quotes or an asterisk, so that other forms of
	// them are not meant.
	literal bool
	// stem is the beginning of the other forms of its word; "" when there are none.
	stem string
}

// quotes are what opens a phrase, and what closes it.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '「': '」'}

// ParseQuery reads a query: words, "phrases", word* for what begins with it, -word and -"phrase"
// for what must not be there. Words that are all punctuation are ignored; a query without a word
// gives an error that wraps [ErrNoWords].
func ParseQuery(text string) (Query, error) {
	var q Query
	for rest := text; ; {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		without := false
		if after, ok := strings.CutPrefix(rest, "-"); ok {
			without, rest = true, after
		}
		var words string
		words, rest = cutTerm(rest)
		t, ok := termOf(words)
		switch {
		case !ok:
		case without:
			q.excluded = append(q.excluded, t)
		default:
			q.wanted = append(q.wanted, t)
		}
	}
	if len(q.wanted) == 0 {
		return q, fmt.Errorf("read query %q: %w", text, ErrNoWords)
	}
	return q, nil
}

// cutTerm cuts the first word or phrase off, a phrase with its opening quote. A quote that nothing
// closes goes to the end.
func cutTerm(s string) (term, rest string) {
	first, size := utf8.DecodeRuneInString(s)
	if closing, ok := quotes[first]; ok {
		if end := strings.IndexRune(s[size:], closing); end >= 0 {
			end += size
			after := end + utf8.RuneLen(closing)
			if strings.HasPrefix(s[after:], "*") {
				return s[:end] + "*", s[after+1:]
			}
			return s[:end], s[after:]
		}
		return s, ""
	}
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// termOf folds the words of a term.
func termOf(s string) (t term, ok bool) {
	first, size := utf8.DecodeRuneInString(s)
	if _, quoted := quotes[first]; quoted {
		s, t.literal = s[size:], true
	}
	if before, star := strings.CutSuffix(s, "*"); star {
		s, t.prefix, t.literal = before, true, true
	}
	var tokens []token
	eachToken(s, func(x token) { tokens = append(tokens, x) })
	if len(tokens) == 0 {
		return t, false
	}
	// What follows the last pair is unknown: the text may go on behind it. A single character is
	// the beginning of a pair, or the end of a run.
	n := len(tokens)
	if tokens[n-1].single {
		if n > 1 && tokens[n-2].end == tokens[n-1].end {
			tokens = tokens[:n-1]
		} else {
			t.prefix = true
		}
	}
	for _, x := range tokens {
		t.words = append(t.words, x.text)
	}
	t.stem = stemOf(&t)
	return t, true
}
