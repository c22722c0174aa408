// Package gate keeps out of memories what must not be in them, whoever found it: secrets, numbers that payments are made
// with, and orders that are aimed at an assistant that reads the memory later. It looks at the form of values, never at
// words alone: that somebody lost a password is a memory, the password is not.
package gate

import (
	"math/big"
	"regexp"
	"strings"
)

// Reasons for which a text is held back. They are the codes of a report.
const (
	Secret    = "secret"    // a key, a token, a password, a private key
	Payment   = "payment"   // the number of a card or a bank account
	Injection = "injection" // overrides the instructions of who reads it
)

// Reason tells why a text must not become a memory, "" for one that may.
func Reason(text string) string {
	switch {
	case hasSecret(text):
		return Secret
	case hasCard(text) || hasAccount(text):
		return Payment
	case overrides.MatchString(text):
		return Injection
	}
	return ""
}

// secrets are values that are known by their form. A letter or digit before them makes them a part of something else.
var secrets = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----` +
	`|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b` +
	`|\bgh[pousr]_[0-9A-Za-z]{30,}|\bgithub_pat_[0-9A-Za-z_]{30,}|\bglpat-[0-9A-Za-z_-]{20,}` +
	`|\bxox[abeoprs]-[0-9A-Za-z-]{10,}` +
	`|(?:^|[^0-9A-Za-z-])(?:sk|rk|pk)(?:-[a-z0-9]{2,12})?[-_][0-9A-Za-z_-]{20,}` +
	`|\bAIza[0-9A-Za-z_-]{35}\b|\bya29\.[0-9A-Za-z_-]{20,}` +
	`|\bhf_[0-9A-Za-z]{30,}|\bnpm_[0-9A-Za-z]{30,}|\bAGE-SECRET-KEY-1[0-9A-Z]{50,}` +
	`|\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}` +
	`|(?i:\bbearer\s+)[0-9A-Za-z._~+/-]{20,}` +
	`|[a-z][a-z0-9+.-]*://[^\s/:@]{1,64}:[^\s/@]{3,}@[^\s/]`)

// named are values behind the name of a secret.
var named = regexp.MustCompile(`(?i)\b(?:passwords?|passwort|passphrase|passcode|mot de passe|contraseña|senha|pin(?: code)?|api[ _-]?key|secret(?: key)?|access[ _-]?token|auth[ _-]?token)\b\s*(?::|=|\bis\b|\bist\b)\s*["'` + "`" + `]?([^\s"'` + "`" + `]{4,})`)

func hasSecret(text string) bool {
	if secrets.MatchString(text) {
		return true
	}
	for _, g := range named.FindAllStringSubmatch(text, -1) {
		if looksChosen(strings.TrimRight(g[1], ".,;:!?)")) {
			return true
		}
	}
	return false
}

// looksChosen tells whether a word is a value and not a part of the sentence: it has digits, or signs, or capitals inside.
func looksChosen(word string) bool {
	if strings.ContainsAny(word, "0123456789!@#$%^&*+=<>?") {
		return true
	}
	for i, r := range word {
		if i > 0 && r >= 'A' && r <= 'Z' && word != strings.ToUpper(word) {
			return true
		}
	}
	return false
}

var cardNumber = regexp.MustCompile(`\b[2-6]\d{3}(?:[ -]?\d){9,15}\b`)

// hasCard looks for card numbers, whose last digit checks the others (Luhn).
func hasCard(text string) bool {
	for _, found := range cardNumber.FindAllString(text, -1) {
		sum, n := 0, 0
		for i := len(found) - 1; i >= 0; i-- {
			d := int(found[i] - '0')
			if found[i] < '0' || found[i] > '9' {
				continue
			}
			if n%2 == 1 {
				if d *= 2; d > 9 {
					d -= 9
				}
			}
			sum += d
			n++
		}
		if n >= 13 && n <= 19 && sum%10 == 0 && strings.Trim(found, found[:1]+" -") != "" {
			return true
		}
	}
	return false
}

var bankAccount = regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b`)

// hasAccount looks for IBANs, whose number leaves 1 when divided by 97 (ISO 13616).
func hasAccount(text string) bool {
	for _, found := range bankAccount.FindAllString(text, -1) {
		s := strings.ReplaceAll(found, " ", "")
		var digits strings.Builder
		for _, r := range s[4:] + s[:4] {
			if r >= 'A' {
				digits.WriteString(big.NewInt(int64(r - 'A' + 10)).String())
				continue
			}
			digits.WriteRune(r)
		}
		n, ok := new(big.Int).SetString(digits.String(), 10)
		if ok && len(s) >= 15 && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1 {
			return true
		}
	}
	return false
}

var overrides = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+|your\s+|my\s+)?(?:previous|prior|above|earlier|preceding|system)\s+(?:instructions?|prompts?|rules|messages?)` +
	`|\b(?:reveal|print|repeat|leak|output)\s+(?:me\s+)?(?:the|your)\s+(?:system|hidden|initial)\s+(?:prompt|instructions?|message)`)
