package mif

import (
	"net/netip"
	"strconv"
	"strings"
	"time"
)

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func hasManyDigits(s string) bool { return len(digitsOf(s)) >= 5 }

// isCard tells whether the digits have the check digit of a payment card.
func isCard(s string) bool {
	d := digitsOf(s)
	return len(d) >= 13 && hasLuhn(d) && strings.Trim(d, "0") != ""
}

func hasLuhn(d string) bool {
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
	return sum%10 == 0
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

// isPhone tells whether a text may be a number that people dial. A date is none.
func isPhone(s string) bool {
	if _, err := time.Parse("2006-01-02", s); err == nil {
		return false
	}
	n := len(digitsOf(s))
	return n >= 7 && n <= 15
}

// isAddress tells whether a text is an address of a network; a time of day and a name of code are
// none.
func isAddress(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && hasDigit(s) && (a.Is4() || strings.Count(s, ":") == 7 || strings.Contains(s, "::") && len(s) >= 7)
}

// hasNoArticle tells whether the name of a street is more than an article: "Der Weg 12 km weiter".
func hasNoArticle(s string) bool {
	first, _, _ := strings.Cut(s, " ")
	return !strings.Contains(" Der Die Das Den Dem Des Ein Eine Einen Einem Kein Dieser Diesem Jeder ", " "+first+" ")
}

// isSecret tells whether a value looks like a secret: it is no word of letters alone, unless it is
// long.
func isSecret(s string) bool {
	return strings.ContainsAny(s, "0123456789!@#$%^&*_+=/") || strings.Contains(s, "-") && strings.ToLower(s) != s || len(s) >= 20
}

// isNationalID tells whether the check digits of an identity number are right, by the form of the
// countries that have one.
func isNationalID(s string) bool {
	d := digitsOf(s)
	plain := strings.ReplaceAll(strings.ReplaceAll(s, "-", ""), " ", "")
	switch last := s[len(s)-1]; {
	case len(s) == 16 && len(d) == 7, isLetter(last) && len(plain) == 9 && len(d) == 6: // Italy, United Kingdom
		return true
	case len(s) == 11 && (s[6] == '-' || s[6] == '+' || s[6] == 'A') && len(plain) >= 10 && !strings.Contains(s[:6], "-") && isDay(d[:6], "020106"): // Finland, Sweden
		if len(d) == 10 && hasLuhn(d) {
			return true
		}
		return "0123456789ABCDEFHJKLMNPRSTUVWXY"[numberOf(d[:9])%31] == last
	case isLetter(last) && (len(d) == 7 || len(d) == 8): // Spain
		lead := strings.IndexByte("XYZ", s[0])
		digits := d
		if lead >= 0 {
			digits = strconv.Itoa(lead) + d
		}
		return len(digits) == 8 && "TRWAGMYFPDXBNJZSQVHLCKE"[numberOf(digits)%23] == last
	case strings.HasPrefix(s, "756."): // Switzerland
		sum := 0
		for i := range d {
			sum += int(d[i]-'0') * (1 + 2*(i%2))
		}
		return len(d) == 13 && sum%10 == 0
	case len(d) == 15: // France
		return numberOf(d[:13])%97+numberOf(d[13:]) == 97
	case strings.Contains(s, "."): // Brazil
		return isCPF(d)
	case len(s) == 11 && len(d) == 11: // Poland
		return isPESEL(d)
	case len(d) == 12 && strings.ContainsAny(s, "-+"), len(d) == 10 && len(s) == 11: // Sweden
		d = d[len(d)-10:]
		return hasLuhn(d) && isDay(d[:6], "060102")
	}
	return false
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' }

func numberOf(d string) int {
	n, err := strconv.Atoi(d)
	if err != nil {
		return 0 // digits alone are given
	}
	return n
}

func isDay(d, layout string) bool {
	_, err := time.Parse(layout, d)
	return err == nil
}

func isCPF(d string) bool {
	if len(d) != 11 || strings.Count(d, d[:1]) == 11 {
		return false
	}
	for n := 9; n <= 10; n++ {
		sum := 0
		for i := range n {
			sum += int(d[i]-'0') * (n + 1 - i)
		}
		if sum*10%11%10 != int(d[n]-'0') {
			return false
		}
	}
	return true
}

func isPESEL(d string) bool {
	sum := 0
	for i, weight := range []int{1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1} {
		sum += int(d[i]-'0') * weight
	}
	month := numberOf(d[2:4]) % 20
	return sum%10 == 0 && month >= 1 && month <= 12 && numberOf(d[4:6]) >= 1 && numberOf(d[4:6]) <= 31
}
