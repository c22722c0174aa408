package gate

import (
	"unicode"
	"unicode/utf8"
)

// hidden finds text that a person does not see and a machine reads: characters of the block of
// tags, runs of characters without a width or of variation selectors, and overrides of the
// direction of writing. "" when there is none. Flags made of tags, joined emoji and the directional
// marks of languages that are written from the right are as they should be.
func hidden(text string) string {
	if isPlain(text) {
		return ""
	}
	var (
		run, selectors int
		flag           bool // in a flag that is spelled with tags
		direction      bool
		fromRight      bool
	)
	for _, r := range text {
		switch {
		case r == 0x1F3F4:
			flag = true
			run, selectors = 0, 0
			continue
		case r >= 0xE0000 && r <= 0xE007F:
			if !flag {
				return "hidden-tags"
			}
			flag = r != 0xE007F
			continue
		case r == 0x202D, r == 0x202E:
			return "direction-override"
		case r >= 0x202A && r <= 0x202C, r >= 0x2066 && r <= 0x2069:
			direction = true
		case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko):
			fromRight = true
		}
		flag = false
		switch {
		case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF:
			if selectors++; selectors == 3 {
				return "hidden-selectors"
			}
		case invisible(r):
			if run++; run == 3 {
				return "hidden-characters"
			}
		default:
			run, selectors = 0, 0
		}
	}
	if direction && !fromRight {
		return "direction-override"
	}
	return ""
}

// invisible tells whether a character has no width and no meaning of its own in plain text.
func invisible(r rune) bool {
	switch {
	case r >= 0x200B && r <= 0x200F, r >= 0x2060 && r <= 0x2064, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x206F,
		r == 0xFEFF, r == 0x180E, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	}
	return false
}

// badCharacters tells whether a text has bytes that are no UTF-8 or controls other than tab and
// line ends.
func badCharacters(text string) bool {
	if !utf8.ValidString(text) {
		return true
	}
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xFFFE || r == 0xFFFF {
			return true
		}
	}
	return false
}
