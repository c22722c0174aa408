package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// aliases lets other spellings stand for words, in messages as in patterns.
func (c *compiler) aliases(list map[string]string) error {
	t := c.t
	for _, said := range sortedKeys(list) {
		ids := c.phrase(list[said])
		if len(ids) != 1 {
			return fmt.Errorf("alias %q: %q is not one word", said, list[said])
		}
		folded := fold(said)
		if _, taken := t.words[folded]; taken {
			return fmt.Errorf("alias %q: another alias stands for it", said)
		}
		t.words[folded] = ids[0]
	}
	return nil
}

// plain lets words as they are typed without their letters or accents stand for those with them.
func (c *compiler) plain(letters map[string]string) {
	t := c.t
	var typed []string
	for _, l := range sortedKeys(letters) {
		typed = append(typed, l, letters[l])
	}
	other := strings.NewReplacer(typed...)
	for _, w := range sortedKeys(t.words) {
		for _, plain := range []string{other.Replace(w), withoutAccents(w)} {
			if _, taken := t.words[plain]; !taken && utf8.RuneCountInString(plain) >= 3 {
				t.words[plain] = t.words[w]
			}
		}
	}
}

func withoutAccents(s string) string {
	var b []rune
	for _, r := range norm.NFD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			b = append(b, r)
		}
	}
	return string(b)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
