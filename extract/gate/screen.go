package gate

import (
	"slices"
	"strings"
)

// Mark stands in the place of a value that was taken out.
const Mark = "[redacted]"

// Verdict is what a text may become.
type Verdict struct {
	// Reason tells why the text must not be kept at all; "" when it may.
	Reason string
	// Redacted is the text to keep, with Mark in the place of each value that must not be kept: the
	// text itself when there is none, "" when there is a Reason.
	Redacted string
	// Found names what was replaced or refused, each kind once, in the order of the text:
	// "password", "card", "override".
	Found []string
}

// Screen tells what of a text may be in a memory. It keeps a text without its secrets when three
// words or more are left that are not the names of secrets. Its time and memory are linear in the
// text.
func Screen(text string) Verdict {
	v, _ := screen(text)
	return v
}

// Reason tells why a text is not kept as it is, "" for one that is: what Screen would redact or
// refuse has one.
func Reason(text string) string {
	_, reason := screen(text)
	return reason
}

// Private tells why a memory that the person keeps although the gate would refuse it is private: it
// holds a key, a password, the number of a card or of a passport. "" for all others.
func Private(text string) string {
	switch reason := Reason(text); reason {
	case Secret, Payment, Identity:
		return reason
	}
	return ""
}

func screen(text string) (Verdict, string) {
	if kind := hidden(text); kind != "" {
		return Verdict{Reason: Injection, Found: []string{kind}}, Injection
	}
	plain := plainText(text)
	order, found := ordered(plain)
	if order != "" {
		return Verdict{Reason: Injection, Found: []string{order}}, Injection
	}
	found = values(plain, found)
	if len(found) == 0 {
		return Verdict{Redacted: text}, ""
	}
	reason := found[0].kind.reason
	var v Verdict
	var b strings.Builder
	at := 0
	for _, f := range found {
		if !slices.Contains(v.Found, f.kind.name) {
			v.Found = append(v.Found, f.kind.name)
		}
		if f.kind.whole {
			v.Reason = f.kind.reason
		}
		b.WriteString(plain[at:f.start])
		b.WriteString(Mark)
		at = f.end
	}
	b.WriteString(plain[at:])
	if v.Reason == "" && !tells(b.String()) {
		v.Reason = reason
	}
	if v.Reason == "" {
		v.Redacted = b.String()
		return v, reason
	}
	return v, v.Reason
}

// kind is a kind of value.
type kind struct {
	name   string
	reason string
	whole  bool // what stands around it is not kept either
}

// value is where a text has one.
type value struct {
	start, end int
	kind       *kind
}

// values finds all values of a text in order, beside those that are found already. Those that
// overlap are one, of the kind of the first.
func values(text string, found []value) []value {
	found = append(found, tokens(text)...)
	found = append(found, addresses(text)...)
	found = append(found, numbers(text)...)
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b value) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	kept := found[:1]
	for _, f := range found[1:] {
		last := &kept[len(kept)-1]
		if f.start >= last.end {
			kept = append(kept, f)
			continue
		}
		last.end = max(last.end, f.end)
		if f.kind.whole {
			last.kind = f.kind
		}
	}
	return kept
}

// tells counts the words of a text that say something beside that there is a secret.
func tells(text string) bool {
	n := 0
	var buf [64]byte
	for at := 0; ; {
		start, end, folded, ok := nextWord(text, at, buf[:0])
		if !ok {
			return false
		}
		at = end
		switch {
		case text[start:end] == "redacted", len(folded) < 3, empty[string(folded)]:
		default:
			if n++; n == 3 {
				return true
			}
		}
	}
}

// empty are words that say nothing about a person beside a value that was taken out.
var empty = words(`the and for was are has with this that its his her our your user users name named uses using from set changed now new old
	password passwords passphrase passcode pass pin puk code codes key keys api token tokens secret access login log account number card credit debit bank iban
	cvv cvc security verification private public recovery seed phrase wallet passport social insurance tax identity identification id bearer basic authorization header
	passwort kennwort ist lautet mein meine meiner die das der dem fur und konto nummer karte kreditkarte schlussel geheimzahl ausweis reisepass steuer
	mot passe est mon mes les des pour une compte numero carte bancaire cle jeton secrete passeport
	contrasena clave mis los las del por una cuenta tarjeta numero pasaporte secreta
	senha minha meu para uma conta cartao chave passaporte
	mia mio miei per una conto carta codice chiave passaporto parola`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
