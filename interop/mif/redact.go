package mif

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Span is a piece of personal data in a text: code points from Start to End of the redacted text,
// and how many code points the original had (the redactions of MIF).
type Span struct {
	Type           string `json:"type"`
	OriginalLength int    `json:"original_length"`
	Start          int    `json:"start"`
	End            int    `json:"end"`
}

// pattern finds candidates of a type; valid judges one, nil takes all.
type pattern struct {
	name  string
	form  *regexp.Regexp
	valid func(string) bool
}

// patterns are tried in this order: what one has taken is not looked at by the next. Group 1 is
// what is redacted, if there is one.
var patterns = []pattern{
	{"private_key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), nil},
	{"token", regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}|\bsk-[\w-]{16,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bxox[abprs]-[\w-]{10,}|\bglpat-[\w-]{16,}|\bAIza[\w-]{30,}`), nil},
	{"secret", regexp.MustCompile(`(?i)\b(?:api[ _-]?key|secret|token|password|passwort|passcode|pin)\b\s*(?:[:=]|\bis\b)\s*["']?([^\s"',;]{4,})`), hasNoPlainWord},
	{"email", regexp.MustCompile(`[\w.%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b`), nil},
	{"iban", regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b`), isIBAN},
	{"card", regexp.MustCompile(`\b\d(?:[ -]?\d){12,18}\b`), isCard},
	{"ssn", regexp.MustCompile(`\b\d{3}-\d{2}-\d{4}\b`), isSSN},
	{"ssn", regexp.MustCompile(`(?i)\b(?:ssn|social security(?: number)?)\b\D{0,6}(\d{9})\b`), isSSN},
	{"phone", regexp.MustCompile(`\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}\b|\(\d{3}\) ?\d{3}[-. ]\d{4}\b|\b\d{3}[-.]\d{3}[-.]\d{4}\b|\b0\d{2,4} \d{3,4} ?\d{3,4}\b`), isPhone},
	{"ip_address", regexp.MustCompile(`\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b`), nil},
}

// Redact replaces personal data and secrets of a text by [type], and says where.
func Redact(text string) (string, []Span) {
	type match struct {
		from, to int
		name     string
	}
	var found []match
	for _, p := range patterns {
		for _, at := range p.form.FindAllStringSubmatchIndex(text, -1) {
			m := match{at[0], at[1], p.name}
			if len(at) > 3 && at[2] >= 0 {
				m.from, m.to = at[2], at[3]
			}
			overlaps := slices.ContainsFunc(found, func(o match) bool { return m.from < o.to && o.from < m.to })
			if !overlaps && (p.valid == nil || p.valid(text[m.from:m.to])) {
				found = append(found, m)
			}
		}
	}
	slices.SortFunc(found, func(a, b match) int { return a.from - b.from })
	var out strings.Builder
	var spans []Span
	last, length := 0, 0
	for _, m := range found {
		mark := "[" + m.name + "]"
		length += utf8.RuneCountInString(text[last:m.from])
		spans = append(spans, Span{m.name, utf8.RuneCountInString(text[m.from:m.to]), length, length + len(mark)})
		out.WriteString(text[last:m.from] + mark)
		last, length = m.to, length+len(mark)
	}
	out.WriteString(text[last:])
	return out.String(), spans
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// isCard tells whether the digits have the check digit of a payment card (Luhn).
func isCard(s string) bool {
	d := digitsOf(s)
	sum := 0
	for i := range d {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return len(d) >= 13 && sum%10 == 0 && strings.Trim(d, "0") != ""
}

// isIBAN tells whether the check digits of an account number are right (ISO 13616).
func isIBAN(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	rest := 0
	for _, r := range s[4:] + s[:4] {
		if r >= '0' && r <= '9' {
			rest = (rest*10 + int(r-'0')) % 97
		} else {
			rest = (rest*100 + int(r-'A') + 10) % 97
		}
	}
	return len(s) >= 15 && rest == 1
}

func isSSN(s string) bool {
	d := digitsOf(s)
	return len(d) == 9 && d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000"
}

func isPhone(s string) bool {
	n := len(digitsOf(s))
	return n >= 7 && n <= 15
}

// hasNoPlainWord tells whether a value looks like a secret: it is no word of small letters alone,
// unless it is long.
func hasNoPlainWord(s string) bool {
	return strings.ContainsAny(s, "0123456789!@#$%^&*_+=/-") || len(s) >= 20
}
