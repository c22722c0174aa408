package gate

import "strings"

var (
	card        = &kind{name: "card", reason: Payment}
	iban        = &kind{name: "iban", reason: Payment}
	ssn         = &kind{name: "us-social-security", reason: Identity}
	nino        = &kind{name: "uk-national-insurance", reason: Identity}
	germanTax   = &kind{name: "german-tax-id", reason: Identity}
	frenchNIR   = &kind{name: "french-social-security", reason: Identity}
	spanishID   = &kind{name: "spanish-id", reason: Identity}
	italianCode = &kind{name: "italian-tax-code", reason: Identity}
	brazilianID = &kind{name: "brazilian-id", reason: Identity}
	digits      = class("0-9")
)

// numbers finds the numbers of cards, accounts and persons, each by its check digits. Those that
// would be mistaken for a telephone number too often are found behind their name only (label.go).
func numbers(text string) []value {
	if countDigits(text, fewestDigits) < fewestDigits {
		return nil
	}
	var found []value
	for i := 0; i < len(text); i++ {
		if !alnum.has(text[i]) {
			continue
		}
		if i > 0 && (text[i-1] == '+' || text[i-1] == '_') || !mayBegin(text, i) {
			i = endOf(text, i) - 1
			continue
		}
		g := groupsAt(text, i)
		i = g.ends[0] - 1 // what is behind the first separator is tried anew
		if countDigits(string(g.text[:g.length]), fewestDigits) < fewestDigits {
			continue
		}
		if k, end := number(&g, text); k != nil {
			found = append(found, value{g.start, end, k})
			i = end - 1
		}
	}
	return found
}

// fewestDigits is how many digits each of the numbers has at least; an Italian code may have
// letters in the place of most of its own, which only tell namesakes apart.
const fewestDigits = 6

func countDigits(s string, enough int) int {
	n := 0
	for i := 0; i < len(s) && n < enough; i++ {
		if digits.has(s[i]) {
			n++
		}
	}
	return n
}

// mayBegin tells whether a number may begin with the group at i: it has a digit, or one to three
// letters with more behind a separator.
func mayBegin(text string, i int) bool {
	for n := i; n < len(text) && alnum.has(text[n]); n++ {
		if digits.has(text[n]) {
			return true
		}
		if n-i >= 6 {
			return false
		}
	}
	end := i
	for end < len(text) && alnum.has(text[end]) {
		end++
	}
	return end-i == 3 || end-i < 3 && digits.has(at(text, end+1))
}

// endOf is where the letters and digits from i on end.
func endOf(text string, i int) int {
	for i < len(text) && alnum.has(text[i]) {
		i++
	}
	return i
}

// groups is a run of letters and digits in groups that one equal sign separates.
type groups struct {
	start  int
	count  int
	ends   [mostGroups]int // of each group
	upTo   [mostGroups]int // length of text after each group
	text   [64]byte        // of all groups, without separators
	length int
}

// mostGroups is how many groups a number has at most: nine of an IBAN.
const mostGroups = 9

func groupsAt(text string, i int) groups {
	g := groups{start: i}
	var first byte
	for g.count < mostGroups && g.length < len(g.text) {
		end := i
		for end < len(text) && alnum.has(text[end]) {
			if g.length < len(g.text) {
				g.text[g.length] = text[end]
				g.length++
			}
			end++
		}
		if end == i {
			break
		}
		g.ends[g.count], g.upTo[g.count] = end, g.length
		g.count++
		sep := at(text, end)
		if sep != ' ' && sep != '-' && sep != '.' && sep != '/' || first != 0 && sep != first && sep != '-' && sep != '/' {
			break
		}
		if first == 0 {
			first = sep
		}
		i = end + 1
	}
	return g
}

// number tells what the groups are from the first on, and where it ends; more groups win.
func number(g *groups, text string) (*kind, int) {
	for n := g.count; n > 0; n-- {
		length := g.upTo[n-1]
		if length < 9 || length > 34 {
			continue
		}
		s, end := string(g.text[:length]), g.ends[n-1]
		raw := text[g.start:end]
		if strings.Contains(raw, "/") && !strings.Contains(raw, ".") {
			continue
		}
		switch {
		case all(s, digits):
			if k := digitNumber(s, raw, n); k != nil {
				return k, end
			}
		case isIBAN(s) && (n == 1 || groupedByFour(raw)):
			return iban, end
		case isNINO(s) && n <= 5:
			return nino, end
		case isSpanishID(s) && n <= 4:
			return spanishID, end
		case isItalianCode(s):
			return italianCode, end
		case length == 15 && isNIR(s):
			return frenchNIR, end
		}
	}
	return nil, 0
}

func digitNumber(s, raw string, n int) *kind {
	switch {
	case n == 3 && isSSN(s) && raw[3] == '-' && len(raw) == 11 && raw[6] == '-':
		return ssn
	case isCard(s, raw, n):
		return card
	case len(s) == 15 && isNIR(s):
		return frenchNIR
	case len(s) == 11 && (n == 1 || n == 4 && len(raw) == 14 && (raw[2] == ' ' || raw[2] == '.')) && isGermanTaxID(s):
		return germanTax
	case len(s) == 11 && n == 4 && len(raw) == 14 && raw[3] == '.' && raw[11] == '-' && isCPF(s):
		return brazilianID
	case len(s) == 14 && n == 5 && len(raw) == 18 && raw[10] == '/' && raw[15] == '-' && isCNPJ(s):
		return brazilianID
	}
	return nil
}
