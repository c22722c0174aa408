package segment

import (
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// afterStop looks at what follows stops of Latin, Greek and Cyrillic script.
func afterStop(s string, begin, at int) (stop, next int) {
	if before := s[begin:at]; before != "" && (strings.IndexByte(".!?", before[len(before)-1]) >= 0 || strings.HasSuffix(before, "…")) {
		return 0, 0 // a run of stops is looked at once, from its first
	}
	end, dots, strong := at, 0, false
	for end < len(s) {
		switch {
		case s[end] == '.':
			dots++
			end++
			continue
		case s[end] == '!' || s[end] == '?':
			strong = true
			end++
			continue
		case strings.HasPrefix(s[end:], "…"):
			dots += 3
			end += len("…")
			continue
		}
		break
	}
	stop = closers(s, end)
	if stop >= len(s) {
		return stop, stop
	}
	if c := s[stop]; c != ' ' && c != '\t' && c != '\n' && c != '\r' && !strings.HasPrefix(s[stop:], "\u00a0") {
		if strong && stop == end && byteClass[c]&isUpper != 0 && !inAddress(s, begin, at) || !strong && dots == 1 && gluedStop(s, begin, at) {
			return stop, stop
		}
		return 0, 0
	}
	if strong {
		return stop, stop
	}
	if dots > 1 { // an ellipsis ends a sentence only before a capital letter
		if startsUpper(s, stop) {
			return stop, stop
		}
		return 0, 0
	}
	if abbreviated(s, begin, at, stop) {
		return 0, 0
	}
	return stop, stop
}

// closers passes over quote marks and brackets that belong to the sentence before.
func closers(s string, at int) int {
	for at < len(s) {
		switch c := s[at]; {
		case c == '"' || c == '\'' || c == ')' || c == ']' || c == '*':
			at++
		case strings.HasPrefix(s[at:], "”"), strings.HasPrefix(s[at:], "’"), strings.HasPrefix(s[at:], "」"), strings.HasPrefix(s[at:], "）"), strings.HasPrefix(s[at:], "“"):
			at += 3
		case strings.HasPrefix(s[at:], "»"):
			at += 2
		default:
			return at
		}
	}
	return at
}

// startsUpper tells whether the next word begins with a capital letter or is a number.
func startsUpper(s string, at int) bool {
	for at < len(s) && lexicon.LetterLen(s, at) == 0 {
		if s[at] == '\n' {
			return true
		}
		at += lexicon.CharLen(s, at)
	}
	if at >= len(s) {
		return true
	}
	if s[at] < 0x80 {
		return byteClass[s[at]]&isUpper != 0
	}
	var buf [8]byte
	n := lexicon.CharLen(s, at)
	folded := tokenizer.AppendFolded(buf[:0], s[at:at+n])
	return string(folded) != s[at:at+n] && !strings.ContainsAny(s[at:at+n], "àâäáãåçéèêëíìîïñóòôöõúùûüýÿšžčřěůłńśźżąęœæøßґєії")
}

// gluedStop tells whether a stop without a blank behind it ends a sentence: "a nurse.I live".
func gluedStop(s string, begin, at int) bool {
	if at-begin < 2 || byteClass[s[at-1]]&(isLetter|isUpper) != isLetter || byteClass[s[at-2]]&(isLetter|isUpper) != isLetter {
		return false
	}
	if at+2 >= len(s) || byteClass[s[at+1]]&isUpper == 0 || byteClass[s[at+2]]&isUpper != 0 || byteClass[s[at+2]]&isDigit != 0 {
		return false
	}
	word := lastWord(s, begin, at)
	return len(word) > 1 && !abbreviations[strings.ToLower(word)] && !inAddress(s, begin, at)
}

// inAddress tells whether a place lies in a link, a mail address or a path.
func inAddress(s string, begin, at int) bool {
	from := at
	for from > begin && at-from < 200 && s[from-1] > ' ' {
		from--
	}
	return strings.ContainsAny(s[from:at], "/@\\=&") || strings.HasPrefix(s[from:at], "www.")
}

// lastWord is the word right before a place.
func lastWord(s string, begin, at int) string {
	from := at
	for from > begin && at-from < 30 && s[from-1] > ' ' && s[from-1] != '(' && s[from-1] != '"' {
		from--
	}
	return s[from:at]
}
