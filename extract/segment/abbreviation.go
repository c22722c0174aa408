package segment

import "strings"

// abbreviations are words before a full stop that end no sentence, in lower case.
var abbreviations = func() map[string]bool {
	t := map[string]bool{}
	for _, w := range strings.Fields(`
		mr mrs ms dr prof rev hon st jr sr gen col sgt capt lt gov sen rep vs e.g i.e eg ie cf ca approx dept est inc ltd corp no vol pp fig ed
		a.m p.m jan feb mar apr jun jul aug sept oct nov dec mt ave blvd ph.d u.s u.k
		z.b d.h u.a bzw ggf evtl usw inkl exkl zzgl ca str nr tel hr fr frl dipl ing mind max o.ä u.u v.a z.t i.d.r geb verh abt
		m mme mlle mm me env p.ex ex c.-à-d av bd art chap éd
		sra srta d dña ud uds vd vds pág núm tel aprox p.ej ee.uu av avda
		sig dott prof ing avv geom pag ecc es sig.ra dott.ssa
		exmo exma profa eng p av r séc
		т.е т.к т.д т.п г ул д кв им др`) {
		t[w] = true
	}
	return t
}()

// mayEnd are abbreviations that do end a sentence when a capital letter follows.
var mayEnd = map[string]bool{"a.m": true, "p.m": true, "inc": true, "ltd": true, "corp": true, "usw": true, "ecc": true, "u.s": true, "u.k": true, "jr": true,
	"no": true, "me": true, "es": true, "ed": true, "max": true, "mind": true, "art": true, "fig": true, "est": true, "ex": true, "ing": true, "dec": true, "mar": true, "sig": true}

// months follow the number of a day in German.
var months = map[string]bool{"januar": true, "februar": true, "märz": true, "april": true, "mai": true, "juni": true, "juli": true, "august": true, "september": true,
	"oktober": true, "november": true, "dezember": true, "klasse": true, "jahrhundert": true, "geburtstag": true, "semester": true, "stock": true}

// abbreviated tells whether the single full stop at a place, with a blank at stop behind it,
// belongs to its word: to an abbreviation, an initial, the number of an item or of a day.
func abbreviated(s string, begin, at, stop int) bool {
	word := lastWord(s, begin, at)
	if word == "" {
		return false
	}
	following := strings.TrimLeft(s[stop:min(len(s), stop+40)], " \t")
	if strings.HasPrefix(following, "\n") || following == "" {
		return false
	}
	if isNumber(word) {
		next, _, _ := strings.Cut(following, " ")
		return at-len(word) == begin || len(word) <= 2 && months[strings.ToLower(strings.TrimRight(next, ".,!?"))]
	}
	low := strings.ToLower(word)
	if abbreviations[low] {
		if mayEnd[low] {
			return !startsUpper(s, stop)
		}
		return true
	}
	if len(word) == 1 && byteClass[word[0]]&isLetter != 0 && (strings.HasPrefix(following[1:], ".") || at-begin > 3 && s[at-3] == '.' && !startsUpper(s, stop)) {
		return true // z. B., d. h.
	}
	// An initial: one capital letter, but not the pronoun at the end of a sentence.
	return len(word) == 1 && byteClass[word[0]]&isUpper != 0 && word != "I" && startsUpper(s, stop)
}

func isNumber(s string) bool {
	for i := range len(s) {
		if byteClass[s[i]]&isDigit == 0 {
			return false
		}
	}
	return s != ""
}
