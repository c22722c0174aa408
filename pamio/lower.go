package pamio

import (
	"strings"
	"unicode"
)

// lower is the full lower-casing of Unicode (SpecialCasing without a locale). The standard
// library's differs in two letters: İ has a lower-case form of two code points, and Σ becomes ς at
// the end of a word.
func lower(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	sigma := strings.Contains(s, "Σ")
	afterCased := false // the last letter that is not case-ignorable is cased
	for i, r := range s {
		switch r {
		case 'İ':
			b.WriteString("i\u0307")
		case 'Σ':
			if afterCased && !beforeCased(s[i+len("Σ"):]) {
				b.WriteRune('ς')
			} else {
				b.WriteRune('σ')
			}
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		if sigma && !caseIgnorable(r) {
			afterCased = cased(r)
		}
	}
	return b.String()
}

// beforeCased tells whether the first letter of s that is not case-ignorable is cased.
func beforeCased(s string) bool {
	for _, r := range s {
		if !caseIgnorable(r) {
			return cased(r)
		}
	}
	return false
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// wordMarks have Word_Break MidLetter, MidNumLet or Single_Quote (UAX #29), which makes them
// case-ignorable.
const wordMarks = "'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a"

func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune(wordMarks, r)
}
