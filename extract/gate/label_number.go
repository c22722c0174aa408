package gate

import (
	"strings"
	"unicode/utf8"
)

// Values that are numbers: a PIN, a code, the number of a document.

// spoken are the digits as words.
var spoken = words(`zero oh one two three four five six seven eight nine null eins zwei drei vier funf sechs sieben acht neun un deux trois quatre cinq six sept huit neuf
	cero uno dos tres cuatro cinco seis siete ocho nueve um dois quatro sete oito nove due tre quattro cinque sei sette otto`)

// isPIN takes so many digits, also as words; not as many as other says.
func isPIN(least, most, other int) func(candidate) int {
	return func(v candidate) int {
		w, end := v.value()
		if all(w, digits) {
			if len(w) < least || len(w) > most || len(w) == other || followedByUnit(v.text, end) {
				return 0
			}
			return end
		}
		if n, end, count := digitRun(v.text, v.start); n > 0 && count >= least && count <= most && end >= v.wordEnd() && v.joined != byNothing {
			return end
		}
		var buf [64]byte
		n, at := 0, v.start
		for n <= most {
			start, stop, folded, ok := nextWord(v.text, at, buf[:0])
			if !ok || start-at > 2 || !spoken[string(folded)] {
				break
			}
			n, at = n+1, stop
		}
		if n < least {
			return 0
		}
		return at
	}
}

// isCode takes what is sent to confirm something: four to ten digits, or letters and digits in
// groups.
func isCode(v candidate) int {
	w, end := v.value()
	if t := strings.TrimRight(w, "#*"); t != w {
		w, end = t, end-(len(w)-len(t))
	}
	n := 0
	for i := range len(w) {
		if digits.has(w[i]) {
			n++
		}
	}
	if len(w) > 24 || n < 3 || isOther(w) || !all(w, key) || followedByUnit(v.text, end) {
		return 0
	}
	if len(w) < 4 {
		if _, end, count := digitRun(v.text, v.start); count >= 6 && count <= 8 { // "123 456"
			return end
		}
		return 0
	}
	if v.joined == byNothing && len(w) < 5 {
		return 0 // "security code 1990"
	}
	return end
}

// digitRun counts the digits from i on, with one space, dot, hyphen or slash between them, and how
// many groups they make.
func digitRun(text string, i int) (parts, end, count int) {
	end = i
	for count < 40 {
		start := i
		for i < len(text) && digits.has(text[i]) && i-start < 40 {
			i++
		}
		if i == start {
			break
		}
		parts, count, end = parts+1, count+i-start, i
		if i >= len(text) || strings.IndexByte(" .-/", text[i]) < 0 {
			break
		}
		i++
	}
	if end < len(text) && alnum.has(text[end]) {
		return 0, i, 0
	}
	return parts, end, count
}

// isNumber takes so many digits, however they are grouped, that pass the check.
func isNumber(least, most int, check func(string) bool) func(candidate) int {
	return func(v candidate) int {
		_, end, count := digitRun(v.text, v.start)
		if count < least || count > most || followedByUnit(v.text, end) {
			return 0
		}
		if check != nil {
			s := strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return r
				}
				return -1
			}, v.text[v.start:end])
			if !check(s) || strings.Trim(s, s[:1]) == "" {
				return 0
			}
		}
		return end
	}
}

// isDocument takes the number of a document: so many letters and digits, some of them digits, in
// one group or several.
func isDocument(least, most, numbers int) func(candidate) int {
	return func(v candidate) int {
		if v.start >= len(v.text) || !alnum.has(v.text[v.start]) || isOther(v.word()) {
			return 0
		}
		g := groupsAt(v.text, v.start)
		for n := g.count; n > 0; n-- {
			s, end := string(g.text[:g.upTo[n-1]]), g.ends[n-1]
			count := countDigits(s, len(s))
			switch {
			case len(s) < least || len(s) > most || count < numbers || !groupsFit(&g, n):
			case at(v.text, end) >= utf8.RuneSelf:
			case count == len(s) && v.joined == byNothing && !v.number: // a date or a year
			default:
				return end
			}
		}
		return 0
	}
}

// groupsFit tells whether each group but the first has a digit or is short: words that follow a
// number are no part of it.
func groupsFit(g *groups, n int) bool {
	for i := 1; i < n; i++ {
		s := g.text[g.upTo[i-1]:g.upTo[i]]
		if len(s) > 1 && countDigits(string(s), 1) == 0 {
			return false
		}
	}
	return true
}
