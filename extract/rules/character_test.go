package rules

import (
	"testing"
	"unicode"
)

func TestLettersAreThoseOfUnicode(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if got, want := isLetterRune(r), unicode.IsLetter(r); got != want {
			t.Errorf("%U: a letter is %v, want %v", r, got, want)
		}
		if got, want := lowerOf(r), unicode.ToLower(r); got != want {
			t.Errorf("%U: the small letter is %U, want %U", r, got, want)
		}
	}
}
