package lexicon

// FoldRune takes the accent off a Latin letter, in lower case; a combining mark becomes nothing. ok
// is false for a rune that stays as it is.
func FoldRune(r rune) (plain string, ok bool) {
	if r >= 0x300 && r <= 0x36f {
		return "", true
	}
	if r < 0xc0 || r > 0x17f {
		return "", false
	}
	s := latin[r-0xc0]
	return s, s != ""
}

// latin are the letters U+00C0 to U+017F without their accents, "" where there is none to take off.
var latin = func() (t [0x180 - 0xc0]string) {
	for plain, letters := range map[string]string{
		"a": "àáâãåāăąÀÁÂÃÅĀĂĄäÄ", "c": "çćĉċčÇĆĈĊČ", "d": "ďđĎĐ", "e": "èéêëēĕėęěÈÉÊËĒĔĖĘĚ", "g": "ĝğġģĜĞĠĢ", "i": "ìíîïĩīĭįıÌÍÎÏĨĪĬĮİ",
		"l": "ĺļľłĹĻĽŁ", "n": "ñńņňÑŃŅŇ", "o": "òóôõöøōŏőÒÓÔÕÖØŌŎŐ", "r": "ŕŗřŔŖŘ", "s": "śŝşšŚŜŞŠ", "t": "ţťŢŤ", "u": "ùúûüũūŭůűųÙÚÛÜŨŪŬŮŰŲ",
		"y": "ýÿŷÝŸŶ", "z": "źżžŹŻŽ", "ss": "ß", "ae": "æÆ", "oe": "œŒ",
	} {
		for _, r := range letters {
			t[r-0xc0] = plain
		}
	}
	return t
}()
