package gate

import (
	"strings"

	"github.com/pamline/pamline/extract/lexicon"
)

// label is a name that a value stands behind, and what such a value looks like.
type label struct {
	kind kind
	// takes tells where the value that begins at v ends; 0 when what is there is none.
	takes func(v candidate) int
	// after tells that a value may stand in front of it as well: "… is my password".
	after bool
	// alone is a word that makes another name of it when it follows.
	alone string
}

var labels = map[string]*label{
	"password":   {kind: kind{name: "password", reason: Secret}, takes: isPassword, after: true},
	"spoken":     {kind: kind{name: "password", reason: Secret}, takes: isSpokenPassword, after: true}, // names that mean nothing else
	"pass":       {kind: kind{name: "password", reason: Secret}, takes: isNamedShort},
	"login":      {kind: kind{name: "password", reason: Secret}, takes: isLogin},
	"lock":       {kind: kind{name: "access-code", reason: Secret}, takes: isCode, after: true},
	"secret":     {kind: kind{name: "api-key", reason: Secret}, takes: isSignedKey},
	"words":      {kind: kind{name: "seed-phrase", reason: Secret, whole: true}, takes: isBareSeed},
	"open":       {kind: kind{name: "bank-account", reason: Payment}, takes: isNumber(8, 17, nil)},
	"nino":       {kind: kind{name: "uk-national-insurance", reason: Identity}, takes: isDocument(9, 9, 6)},
	"passphrase": {kind: kind{name: "passphrase", reason: Secret}, takes: isPassphrase, after: true},
	"seed":       {kind: kind{name: "seed-phrase", reason: Secret, whole: true}, takes: isSeed},
	"pin":        {kind: kind{name: "pin", reason: Secret}, takes: isPIN(4, 8, 0), after: true, alone: "code"},
	"pincode":    {kind: kind{name: "pin", reason: Secret}, takes: isPIN(4, 8, 6)}, // six digits are an Indian postal code
	"cvv":        {kind: kind{name: "card-code", reason: Payment}, takes: isPIN(3, 4, 0)},
	"code":       {kind: kind{name: "one-time-code", reason: Secret}, takes: isCode, after: true},
	"key":        {kind: kind{name: "api-key", reason: Secret}, takes: isKey, after: true},
	"card":       {kind: kind{name: "card", reason: Payment}, takes: isNumber(13, 19, luhn)},
	"account":    {kind: kind{name: "bank-account", reason: Payment}, takes: isNumber(6, 17, nil)},
	"ssn":        {kind: kind{name: "us-social-security", reason: Identity}, takes: isNumber(9, 9, nil)},
	"nir":        {kind: kind{name: "french-social-security", reason: Identity}, takes: isNumber(13, 15, nil)},
	"cpf":        {kind: kind{name: "brazilian-id", reason: Identity}, takes: isNumber(11, 14, nil)},
	"tax":        {kind: kind{name: "tax-id", reason: Identity}, takes: isDocument(8, 13, 8)},
	"passport":   {kind: kind{name: "passport", reason: Identity}, takes: isDocument(6, 9, 4)},
	"document":   {kind: kind{name: "identity-card", reason: Identity}, takes: isDocument(6, 18, 4)},
}

// findLabelledValue finds the value of a name: "my password for the bank is …", "PIN: …", "api_key=…". The
// name are the words from the first up to the other.
func findLabelledValue(text string, l *label, words *lexicon.Scan, from, to int) (value, bool) {
	if next := words.Token(to); l.alone != "" && next != nil && foldedAt(text, next) == l.alone {
		return value{}, false
	}
	if start, stop := behind(text, words.Token(to-1).End, l.takes); stop > start {
		if stop-start >= longestValue-8 { // what is looked at is not all of it
			for stop < len(text) && text[stop] > ' ' {
				stop++
			}
		}
		return value{start, stop, &l.kind}, true
	}
	if !l.after {
		return value{}, false
	}
	if v, ok := findSecretBefore(text, words, from); ok {
		if stop := l.takes(v); stop > v.start && stop <= words.Token(from).Start {
			return value{v.start, stop, &l.kind}, true
		}
	}
	return value{}, false
}

// How a value is joined to its name.
const (
	byNothing = iota // "PIN 1234"
	byVerb           // "the PIN is 1234"
	bySign           // "PIN: 1234"
)

// candidate is what may be a value.
type candidate struct {
	text   string // the whole text
	start  int    // where the value begins
	joined int
	quoted byte // the quote it stands in, 0 for none
	number bool // "number" or the like stood in front of it
}

var (
	verbs = words("is was be are were equals remains becomes ist lautet lauten war sind est etait sont es era son fue e sono sao foi eh")
	// names with one of these behind them are other things: a password manager has no value.
	compounds = words(`manager managers generator reset resets policy policies rule rules hash hashes hashing field fields protection protected app apps vault hint hints length
		strength recovery change changes prompt box form rotation list lists holder holders service services provider providers system systems management security authority
		kontrolle zurucksetzen verwaltung kampagne table tables cracker cracking expired expires payment payments payer reader readers game games trick tricks`)
	qualifiers = words(`for of to on in at from with by the my your our his her their this that a an
		fur zu von vom des der die das dem den mein meine meiner meinem im am bei auf ins zum zur
		pour de du d la le les l mon ma mes ton ta au aux sur
		para por del al mi mis el los las tu su en con
		do da dos das no na nos nas meu minha seu sua em ao o os as
		per di dei della dell il lo i gli mio mia nel nella`)
	numberWords = words("number numbers no nr num numero nummer n code value id digits ending again")
	fillers     = words(`now set to changed still currently actually always just also the same following simply jetzt derzeit nun folgende einfach noch immer ahora actualmente siempre
		maintenant desormais toujours agora sempre atualmente adesso ora attualmente this`)
)

// farthest is how far behind its name a value may begin, in bytes.
const farthest = 160

// behind goes from the end of a name to its value: over what the password is for, and "is" or a
// colon. A word that takes accepts may also follow the name at once, or "to": "PIN 1234", "changed
// my password to …".
func behind(text string, at int, takes func(candidate) int) (start, stop int) {
	// A word that a verb follows is taken when there is no other value behind the verb: "password
	// hunter2 is …".
	var spare [2]int
	v := candidate{text: text}
	limit := min(len(text), at+farthest)
	taken := func(v candidate, ok bool) (int, int) {
		if ok {
			if stop := takes(v); stop > v.start {
				return v.start, stop
			}
		}
		return spare[0], spare[1]
	}
	qualified, steps := false, 0
	var buf [64]byte
	for i := at; i < limit && steps <= 10; {
		switch c := text[i]; c {
		case ' ', '\t', '"', '\'', '`', '*', '_', ')', '(', '#', '\\', '-', '.':
			if c == '.' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n') && !v.number {
				return spare[0], spare[1]
			}
			i++
			continue
		case ':', '=', '>':
			v.joined = bySign
			return taken(v.open(i+1, limit))
		}
		_, end, folded, ok := nextWord(text, i, buf[:0])
		if !ok || end > limit {
			return spare[0], spare[1]
		}
		switch {
		case !startsWord(text, i) && (qualified || steps > 0 || strings.IndexByte(stopsName, text[i]) >= 0):
			return spare[0], spare[1]
		case verbs[string(folded)]:
			v.joined = byVerb
			return taken(v.open(end, limit))
		case steps == 0 && compounds[string(folded)]:
			return spare[0], spare[1]
		case numberWords[string(folded)]:
			v.number = true
		case qualifiers[string(folded)]:
			qualified = true
			if reaches[string(folded)] {
				if d, ok := v.open(end, limit); ok && d.mixedWord() && !d.named(limit) {
					return taken(d, true)
				}
			}
		case !qualified:
			v.start = i
			if stop := takes(v); stop > i {
				if !v.named(limit) {
					return i, stop
				}
				spare = [2]int{i, stop}
			}
			qualified = true // "contraseña Gmail: …"
			steps += 4
		}
		steps++
		i = end
	}
	return spare[0], spare[1]
}

// stopsName are signs that end a name without a value.
const stopsName = ",;!?\n\r|/&[]{}<+"

// reaches are the qualifiers that a new value may follow.
var reaches = words("to auf por a en")

func startsWord(text string, i int) bool {
	start, _, _, ok := nextWord(text[i:min(len(text), i+8)], 0, nil)
	return ok && start == 0
}

// named tells whether the word at the candidate is itself what a password is for: a verb or a colon
// follows.
func (v candidate) named(limit int) bool {
	end := v.wordEnd()
	rest := strings.TrimLeft(v.text[end:max(end, limit)], " ")
	var buf [64]byte
	_, _, folded, ok := nextWord(rest, 0, buf[:0])
	return strings.HasPrefix(rest, ":") || ok && verbs[string(folded)]
}

// open goes on to the value itself: over spaces, words like "now", and an opening quote.
func (v candidate) open(i, limit int) (candidate, bool) {
	var buf [64]byte
	for skipped := 0; i < limit; {
		switch c := v.text[i]; c {
		case ' ', '\t', '*', ':', '=', '>', '\\', '(':
			i++
			continue
		case '\n', '\r':
			if v.joined != bySign {
				return v, false
			}
			i++
			continue
		case '"', '\'', '`':
			v.quoted = c
			v.start = i + 1
			return v, v.start < len(v.text)
		}
		start, end, folded, ok := nextWord(v.text, i, buf[:0])
		if ok && start == i && end < limit && skipped < 4 && fillers[string(folded)] && (v.text[end] == ' ' || v.text[end] == ':') {
			skipped++
			i = end
			continue
		}
		v.start = i
		return v, true
	}
	return v, false
}

var mine = words("my the our your mein meine unser das die mon ma le la notre mi el nuestra minha a nossa o mia il nostra lo")

// asWords say what a value is used for: "… as my password".
var asWords = words("as als como comme come")

// findSecretBefore goes back from a name to a value that stands in front of it: "… is my password".
func findSecretBefore(text string, words *lexicon.Scan, from int) (candidate, bool) {
	v := candidate{text: text, joined: byVerb}
	i := from - 1
	if i >= 0 && mine[foldedAt(text, words.Token(i))] {
		i--
	}
	if i < 1 || i == from-1 && words.Token(from).Clause || !verbs[foldedAt(text, words.Token(i))] && !asWords[foldedAt(text, words.Token(i))] {
		return v, false
	}
	end := words.Token(i).Start
	for end > 0 && text[end-1] == ' ' {
		end--
	}
	start := end
	for start > 0 && end-start < 80 && text[start-1] > ' ' {
		start--
	}
	if start < end && strings.IndexByte("\"'`", text[start]) >= 0 {
		start++
	}
	v.start = start
	return v, start < end && v.mixedWord()
}

func foldedAt(text string, w *lexicon.Token) string {
	var buf [64]byte
	return string(lexicon.DropApostrophes.AppendFolded(buf[:0], text[w.Start:w.End]))
}
