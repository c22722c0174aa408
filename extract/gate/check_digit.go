package gate

import "strings"

// luhn tells whether the last digit checks the others (ISO/IEC 7812-1).
func luhn(s string) bool {
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// isCard tells whether digits are a card's: grouped as on cards, with the beginning and length of a
// brand, checked, and not one digit all over.
func isCard(s, raw string, n int) bool {
	if !luhn(s) || strings.Trim(s, s[:1]) == "" {
		return false
	}
	if n > 1 && !groupedAsCard(raw, len(s)) {
		return false
	}
	return brand(s)
}

func groupedAsCard(raw string, n int) bool {
	if strings.Contains(raw, ".") || strings.Contains(raw, "/") {
		return false
	}
	parts := strings.FieldsFunc(raw, func(r rune) bool { return r == ' ' || r == '-' })
	switch {
	case n == 14:
		return len(parts) == 3 && len(parts[0]) == 4 && len(parts[1]) == 6
	case n == 15:
		return len(parts) == 3 && len(parts[0]) == 4 && len(parts[1]) == 6
	}
	return groupedByFour(raw) && len(parts) >= 4
}

// groupedByFour tells whether all groups but the last have four characters.
func groupedByFour(raw string) bool {
	for i, c := range []byte(raw) {
		if !alnum.has(c) != (i%5 == 4) {
			return false
		}
	}
	return true
}

// brand tells whether the first digits and the length are those of a brand of cards.
func brand(s string) bool {
	head := func(n int) int {
		v := 0
		for i := range n {
			v = v*10 + int(s[i]-'0')
		}
		return v
	}
	if len(s) < 13 || len(s) > 19 {
		return false
	}
	two, four := head(2), head(4)
	switch len(s) {
	case 14: // Diners
		return two == 36 || two == 38 || two == 39 || four >= 3000 && four <= 3059
	case 15: // American Express
		return two == 34 || two == 37
	case 16:
		return s[0] == '4' || two >= 51 && two <= 55 || four >= 2221 && four <= 2720 || // Visa, Mastercard
			four == 6011 || two == 65 || four >= 6440 && four <= 6499 || // Discover
			four >= 3528 && four <= 3589 || two == 62 || // JCB, UnionPay
			two == 50 || two >= 56 && two <= 58 || two == 63 || two == 67 // Maestro
	}
	return false
}

// ibanLength has the length of the IBANs of a country (ISO 13616 registry).
var ibanLength = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24,
	"DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
	"HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20,
	"LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
	"QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29,
	"VA": 22, "VG": 24, "XK": 20,
}

// isIBAN tells whether a text is the number of an account: its country's length, and 1 as the rest
// of the division by 97.
func isIBAN(s string) bool {
	if len(s) < 15 || !digits.has(s[2]) || !digits.has(s[3]) {
		return false
	}
	s = strings.ToUpper(s)
	if ibanLength[s[:2]] != len(s) {
		return false
	}
	rest := 0
	for i := range len(s) {
		switch c := s[(i+4)%len(s)]; {
		case c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		default:
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}

// isSSN tells whether nine digits can be a number of the social security of the USA: no area 000,
// 666 or from 900 on, no group 00, no serial 0000.
func isSSN(s string) bool {
	return len(s) == 9 && all(s, digits) && s[:3] != "000" && s[:3] != "666" && s[0] != '9' && s[3:5] != "00" && s[5:] != "0000"
}

var ninoHead, ninoSecond = class("A-CEGHJ-PR-TW-Z"), class("A-CEGHJ-NPR-TW-Z")

// isNINO tells whether a text is a national insurance number of the United Kingdom.
func isNINO(s string) bool {
	if len(s) != 9 || !ninoHead.has(s[0]) || !ninoSecond.has(s[1]) || s[8] < 'A' || s[8] > 'D' || !all(s[2:8], digits) {
		return false
	}
	switch s[:2] {
	case "BG", "GB", "KN", "NK", "NT", "TN", "ZZ":
		return false
	}
	return true
}

// isGermanTaxID tells whether eleven digits are a Steuer-ID: one digit of the first ten is there
// twice or three times, the others once; the last checks (ISO 7064 MOD 11,10).
func isGermanTaxID(s string) bool {
	if len(s) != 11 || s[0] == '0' {
		return false
	}
	var count [10]int
	product := 10
	for i := range 10 {
		d := int(s[i] - '0')
		count[d]++
		sum := (d + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	many := 0
	for _, n := range count {
		if n > 3 {
			return false
		}
		if n > 1 {
			many++
		}
	}
	return many == 1 && (11-product)%10 == int(s[10]-'0')
}

// isNIR tells whether 15 characters are a French number of social security: sex, year, month,
// department (2A and 2B in Corsica), and a key by 97.
func isNIR(s string) bool {
	if len(s) != 15 || !strings.ContainsRune("123478", rune(s[0])) {
		return false
	}
	month := s[3:5]
	if !all(s[1:5], digits) || month == "00" || month > "12" && month < "20" || month > "42" && month < "50" {
		return false
	}
	less := int64(0)
	body := s[:13]
	switch strings.ToUpper(s[5:7]) {
	case "2A":
		body, less = s[:5]+"20"+s[7:13], 1_000_000
	case "2B":
		body, less = s[:5]+"20"+s[7:13], 2_000_000
	}
	if !all(body, digits) || !all(s[13:], digits) {
		return false
	}
	n := int64(0)
	for i := range len(body) {
		n = n*10 + int64(body[i]-'0')
	}
	return (97 - (n-less)%97) == int64(s[13]-'0')*10+int64(s[14]-'0')
}

// isSpanishID tells whether a text is a DNI (eight digits and a letter) or an NIE (X, Y or Z, seven
// digits and a letter); the letter checks.
func isSpanishID(s string) bool {
	if len(s) != 9 {
		return false
	}
	s = strings.ToUpper(s)
	body := s[:8]
	if i := strings.IndexByte("XYZ", s[0]); i >= 0 {
		body = string(rune('0'+i)) + s[1:8]
	}
	if !all(body, digits) {
		return false
	}
	n := 0
	for i := range len(body) {
		n = n*10 + int(body[i]-'0')
	}
	return "TRWAGMYFPDXBNJZSQVHLCKE"[n%23] == s[8]
}

// oddValues are what the characters at odd places count in an Italian tax code; digits as the
// letters A to J.
const oddValues = "BAKPLCQDREVOSFTGUHMINJWZYX"

// isItalianCode tells whether 16 characters are a codice fiscale: six letters, year, a letter for
// the month, day, a place, and a letter that checks.
func isItalianCode(s string) bool {
	if len(s) != 16 {
		return false
	}
	s = strings.ToUpper(s)
	sum := 0
	for i := range 15 {
		c := s[i]
		digit := digits.has(c)
		wantDigit := i == 6 || i == 7 || i == 9 || i == 10 || i >= 12 && i <= 14
		if wantDigit != digit && (!wantDigit || !strings.ContainsRune("LMNPQRSTUV", rune(c))) { // letters for digits tell namesakes apart
			return false
		}
		n := int(c - 'A')
		if digit {
			n = int(c - '0')
		}
		if i%2 == 0 {
			n = strings.IndexByte(oddValues, byte('A'+n))
		}
		sum += n
	}
	return s[8] <= 'T' && strings.ContainsRune("ABCDEHLMPRST", rune(s[8])) && s[15] == byte('A'+sum%26)
}

// isCPF tells whether eleven digits are a Brazilian person's number, with its two check digits.
func isCPF(s string) bool {
	return len(s) == 11 && all(s, digits) && strings.Trim(s, s[:1]) != "" &&
		s[9] == modEleven(s[:9], 11) && s[10] == modEleven(s[:10], 12)
}

// isCNPJ tells whether 14 digits are a Brazilian company's number, with its two check digits.
func isCNPJ(s string) bool {
	return len(s) == 14 && all(s, digits) && strings.Trim(s, s[:1]) != "" &&
		s[12] == modEleven(s[:12], 9) && s[13] == modEleven(s[:13], 9)
}

// modEleven is the check digit of s, weighted 2, 3, … from its end, and from 2 on again after most.
func modEleven(s string, most int) byte {
	sum, weight := 0, 2
	for i := len(s) - 1; i >= 0; i-- {
		sum += int(s[i]-'0') * weight
		if weight++; weight > most {
			weight = 2
		}
	}
	if sum%11 < 2 {
		return '0'
	}
	return byte('0' + 11 - sum%11)
}
