package llm

import "unicode"

// tokens estimates how many tokens a text is: a quarter of its letters for English, more for other
// scripts, and one for each character of those that are written without spaces. It errs on the high
// side.
func tokens(text string) int64 {
	var quarters int64
	for _, r := range text {
		switch {
		case r < 0x80:
			quarters++
		case r < 0x0590: // Latin with accents, Greek, Cyrillic, Armenian
			quarters += 2
		case r >= 0x1F000:
			quarters += 8 // emoji are several bytes, and often as many tokens
		case unspaced(r):
			quarters += 4
		default:
			quarters += 3
		}
	}
	return (quarters + 3) / 4
}

// fewestTokens is how many tokens a text has at least, whatever the model's vocabulary: no
// vocabulary has words of more than some six letters on average.
func fewestTokens(text string) int64 {
	var twelfths int64
	for _, r := range text {
		switch {
		case r < 0x80:
			twelfths += 2
		case unspaced(r):
			twelfths += 4
		default:
			twelfths += 2
		}
	}
	return twelfths / 12
}

// unspaced tells whether a letter belongs to a script without spaces between words, or to one whose
// words are as short.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
