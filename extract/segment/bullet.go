package segment

import "strings"

// afterBullet passes over blanks, and over a bullet or the number of an item.
func afterBullet(s string, at int) int {
	for at < len(s) && (byteClass[s[at]]&isBlank != 0 || s[at] == '\n') {
		at++
	}
	if n := bullet(s[at:]); n > 0 {
		at += n
		for at < len(s) && byteClass[s[at]]&isBlank != 0 {
			at++
		}
	}
	return at
}

// bullet is the length of a bullet or item number with the blank behind it, 0 when s opens with
// none.
func bullet(s string) int {
	if s == "" {
		return 0
	}
	n := 0
	switch {
	case s[0] == '-' || s[0] == '*' || s[0] == '+' || s[0] == '>' || s[0] == '#':
		for n < len(s) && s[n] == s[0] {
			n++
		}
	case strings.HasPrefix(s, "•"), strings.HasPrefix(s, "–"), strings.HasPrefix(s, "—"), strings.HasPrefix(s, "●"), strings.HasPrefix(s, "▪"), strings.HasPrefix(s, "◦"), strings.HasPrefix(s, "→"), strings.HasPrefix(s, "‣"):
		n = 3
	case strings.HasPrefix(s, "·"):
		n = 2
	default:
		for n < len(s) && n < 3 && byteClass[s[n]]&isDigit != 0 {
			n++
		}
		if n == 0 && len(s) > 1 && byteClass[s[0]]&isLetter != 0 && s[1] == ')' {
			n = 1
		}
		if n == 0 || n >= len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	if n < len(s) && (s[n] == ' ' || s[n] == '\t') {
		return n + 1
	}
	return 0
}

// wrappedWidth is from which width on a line may have been broken by a program and not by the
// person.
const wrappedWidth = 55

// wrapped tells whether a line feed only wraps a line: the line is long, and the next goes on in
// lower case.
func wrapped(s string, begin, at int) bool {
	from := max(begin, strings.LastIndexByte(s[max(begin, at-wrappedWidth):at], '\n')+1+max(begin, at-wrappedWidth))
	if at-from < wrappedWidth-1 || at+1 >= len(s) {
		return false
	}
	c := s[at+1]
	return c >= 'a' && c <= 'z' && !strings.HasPrefix(s[at+1:], "i ") && !strings.HasPrefix(s[at+1:], "i'") && bullet(s[at+1:]) == 0
}
