package gate

import (
	"strings"
	"unicode/utf8"
)

// longestValue is how many bytes of a word are looked at to tell whether it is a value; it may go
// on.
const longestValue = 160

// wordEnd is where the value ends: at its closing quote, or at the next space, without the
// punctuation of the sentence.
func (v candidate) wordEnd() int {
	limit := min(len(v.text), v.start+longestValue)
	if v.quoted != 0 {
		for i := v.start; i < limit && v.text[i] != '\n'; i++ {
			if v.text[i] == v.quoted {
				return i
			}
		}
	}
	end := v.start
	for end < limit && v.text[end] > ' ' && v.text[end] != '"' && v.text[end] != '`' {
		end++
	}
	for end > v.start && strings.IndexByte(".,;:)!?'*]}>", v.text[end-1]) >= 0 {
		end--
	}
	for end > v.start && !utf8.RuneStart(at(v.text, end)) && end < len(v.text) {
		end--
	}
	return end
}

func (v candidate) word() string { return v.text[v.start:v.wordEnd()] }

// value is the word and where it ends.
func (v candidate) value() (string, int) {
	end := v.wordEnd()
	return v.text[v.start:end], end
}

// mixedWord tells whether the value has letters and digits, or signs inside, as words have not.
func (v candidate) mixedWord() bool {
	w := v.word()
	return len(w) >= 4 && !isOther(w) && (hasMix(w) || all(w, digits) || strings.ContainsAny(w, "!@#$%^&*+=?~"))
}

func hasMix(w string) bool {
	letters, numbers := false, false
	for i := range len(w) {
		numbers = numbers || digits.has(w[i])
		letters = letters || w[i] >= utf8.RuneSelf || alnum.has(w[i]) && !digits.has(w[i])
	}
	return letters && numbers
}

// others are words with digits or capitals inside that are names of things.
var others = words(`1password lastpass bitwarden keepass keepassxc icloud dashlane nordpass iphone ipad macbook windows10 windows11 win10 win11 youtube github gitlab paypal linkedin whatsapp
	facebook wordpress javascript typescript postgresql mysql oauth oauth2 sha256 sha1 sha512 md5 bcrypt argon2 argon2id scrypt pbkdf2 base64 utf8 aes256 rsa2048 8chars mp3 h2o covid19 openai chatgpt`)

// isOther tells whether a word cannot be a secret: a mark or a place for one, an address, a number
// with its unit, a name of a thing.
func isOther(w string) bool {
	lower := strings.ToLower(w)
	switch {
	case others[lower], w == Mark, strings.HasPrefix(Mark, w), strings.Contains(w, "://"), strings.HasPrefix(w, "/"), strings.HasPrefix(lower, "www."):
		return true
	case strings.HasPrefix(w, "<"), strings.HasPrefix(w, "${"), strings.HasPrefix(w, "{"), strings.HasPrefix(w, "$(") || strings.HasPrefix(w, "["):
		return true
	case strings.HasPrefix(lower, "your_"), strings.HasPrefix(lower, "your-"), strings.HasPrefix(lower, "process.env"), strings.HasPrefix(lower, "os."), strings.HasPrefix(lower, "env."):
		return true
	case strings.Trim(w, "*x.-_#?X") == "":
		return true
	}
	if i := strings.IndexByte(w, '@'); i > 0 && strings.Contains(w[i:], ".") { // e-mail
		return true
	}
	n := 0
	for n < len(w) && (digits.has(w[n]) || strings.IndexByte(".,-/:", w[n]) >= 0) {
		n++
	}
	if n == 0 {
		return false
	}
	return n <= 6 && n < len(w) && units[lower[n:]]
}

var units = words("st nd rd th x k m am pm h min s ms kb mb gb tb cm km mm kg g lb bit bits char chars character characters digit digits letters years days er e eme ere a o year-old -digit -character -bit -year -day p fps usd eur")

var unitWords = words(`character characters char chars letters letter digits digit symbols numbers bits bytes words years year days day times hours minutes weeks months people percent followers euros dollars views points users members pounds reais
	zeichen buchstaben ziffern stellen jahre tage stellig caracteres caracteres letras digitos anos dias caracteres lettres chiffres ans jours caratteri lettere cifre anni giorni`)

// followedByUnit tells whether a number counts something: "is 12 characters long".
func followedByUnit(text string, end int) bool {
	var buf [64]byte
	start, _, folded, ok := nextWord(text, end, buf[:0])
	return ok && start-end <= 2 && unitWords[string(folded)]
}

// statuses are what stands behind "password:" without being one.
var statuses = words(`required optional none empty forgotten lost changed expired invalid wrong incorrect correct unknown missing hidden protected secret private yes no true false null nil
	nicht vergessen falsch leer erforderlich unbekannt geheim oublie perdu requis vide inconnu faux olvidada perdida requerida vacia incorrecta desconocida
	esquecida perdida obrigatoria vazia incorreta dimenticata persa richiesta vuota errata sconosciuta reset manager string text str char varchar type
	the my a an it this that not never must should can may will please what which how why when where see enter choose use i he she they we you one same`)

// isPassword takes a word that somebody made up: letters with digits, signs, capitals inside;
// behind a colon any word that ends the line.
func isPassword(v candidate) int {
	w, end := v.value()
	if utf8.RuneCountInString(w) < 4 || isOther(w) {
		return 0
	}
	if v.quoted != 0 && v.joined != byNothing {
		return end
	}
	switch {
	case hasMix(w), strings.ContainsAny(w, "!@#$%^&*+=?~<>"):
		return end
	case all(w, class("0-9.-")):
		if v.joined == byNothing && len(w) < 6 || followedByUnit(v.text, end) || !digits.has(w[0]) {
			return 0
		}
		return end
	case strings.Count(w, "-") >= 3, strings.Count(w, "_") >= 2:
		return end
	case v.joined != byNothing && capitalInside(w):
		return end
	case v.joined == bySign && !statuses[strings.ToLower(w)] && endsLine(v.text, end) && !strings.ContainsAny(w, "/"):
		return end
	}
	return 0
}

// isNamedShort takes a password behind a name that means other things as well: "pass: …", but not
// "pass 2 exams".
func isNamedShort(v candidate) int {
	if v.joined != bySign || !v.mixedWord() {
		return 0
	}
	return isPassword(v)
}

func capitalInside(w string) bool {
	for i, r := range w {
		if i > 0 && r >= 'A' && r <= 'Z' {
			return strings.ToUpper(w) != w && w[i-1] != '-' && w[i-1] != '\''
		}
	}
	return false
}

// endsLine tells whether nothing of the sentence follows.
func endsLine(text string, end int) bool {
	for end < len(text) && strings.IndexByte(" .!\"'`*)", text[end]) >= 0 {
		if text[end] == '.' {
			return true
		}
		end++
	}
	return end == len(text) || strings.IndexByte("\n\r,;|", text[end]) >= 0
}

// isLogin takes a user and a password: "ada / …", "ada:…".
func isLogin(v candidate) int {
	if v.joined != bySign {
		return 0
	}
	for i := v.start; i < len(v.text) && i-v.start < 80 && v.text[i] != '\n'; i++ {
		if v.text[i] != '/' && v.text[i] != ':' && v.text[i] != '|' && v.text[i] != ',' {
			continue
		}
		if second, ok := v.open(i+1, min(len(v.text), i+8)); ok && second.mixedWord() {
			return isPassword(second)
		}
	}
	return isNamedShort(v)
}

// isPassphrase takes a password, or four and more plain words up to the end of the sentence.
func isPassphrase(v candidate) int {
	if end := isPassword(v); end > 0 {
		return end
	}
	if v.joined == byNothing {
		return 0
	}
	if n, end := plainWords(v.text, v.start); n >= 4 && n <= 10 && endsLine(v.text, end) {
		return end
	}
	return 0
}

// isSeed takes the words of a wallet: twelve and more.
func isSeed(v candidate) int {
	if n, end := plainWords(v.text, v.start); n >= 12 {
		return end
	}
	return 0
}

// isBareSeed takes such words behind "seed:", unless they are a list, as gardeners write one.
func isBareSeed(v candidate) int {
	if v.joined != bySign {
		return 0
	}
	end := isSeed(v)
	if end > 0 && strings.ContainsAny(v.text[v.start:end], ",\n") {
		return 0
	}
	return end
}

// grammar are words that no list of words for wallets has (BIP-39) and hardly any sentence is
// without.
var grammar = words("the and for was are from our your their not but has had can all any her him his its were been should would could who whom which also because never keep kept stored written somewhere")

// plainWords counts the words of three to eight small letters from i on; numbers before them and
// one sign between them are passed over.
func plainWords(text string, i int) (n, end int) {
	end = i
	for n < 64 {
		for i < len(text) && strings.IndexByte(" \t\n\r,.)\"'`:-", text[i]) >= 0 || i < len(text) && digits.has(text[i]) {
			i++
		}
		start := i
		for i < len(text) && i-start < 10 && text[i] >= 'a' && text[i] <= 'z' {
			i++
		}
		if i-start < 3 || i-start > 8 || i < len(text) && (alnum.has(text[i]) || text[i] >= utf8.RuneSelf) || grammar[text[start:i]] || i-end > 8+8 && n > 0 {
			return n, end
		}
		n, end = n+1, i
	}
	return n, end
}

// isKey takes what only a machine made: eight and more characters with letters and digits, or long
// ones without a word in them.
func isKey(v candidate) int {
	w, end := v.value()
	w = strings.TrimRight(w, "\\")
	if len(w) < 8 || isOther(w) || strings.ContainsAny(w, "()") {
		return 0
	}
	switch {
	case hasMix(w) && (v.joined != byNothing || mixed(w, 8)):
		return end
	case v.joined != byNothing && v.quoted != 0 && !strings.Contains(w, " "):
		return end
	case v.joined == bySign && capitalInside(w) && all(w, base64s):
		return end
	case v.joined != byNothing && len(w) >= 20 && all(w, base64s) && strings.Count(w, "-")+strings.Count(w, "_") <= len(w)/16:
		return end
	}
	return 0
}

// isSignedKey takes a long key behind a name that means many other things: "secret=…", but no
// commit and no UUID.
func isSignedKey(v candidate) int {
	w, end := v.value()
	if v.joined != bySign || len(w) < 16 || isOther(w) || !mixed(w, 12) || !all(w, bearer) || all(w, hex) && len(w) == 40 || strings.Count(w, "-") == 4 && len(w) == 36 {
		return 0
	}
	return end
}
