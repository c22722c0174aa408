package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
)

// findUnsaid tells whether a memory's content has a number, or a name, that is not in what the
// person said: the model knows it from elsewhere, or made it up. said is the text of the quotes and
// of the person's turns beside them.
//
// Names are words with a capital that do not begin a sentence. Languages bend them, so that the
// beginning of a word is enough; German writes every noun so, so that there half of them are.
func findUnsaid(content, said, language string) (number, name bool) {
	words := strings.Fields(normalize.FoldValue(said))
	known := make(map[string]bool, len(words))
	for _, w := range words {
		known[w] = true
	}
	named, strange := 0, 0
	first := true
	for _, token := range strings.FieldsFunc(content, betweenWords) {
		token = strings.Trim(token, "'’.,-")
		begin := first
		first = strings.HasSuffix(token, ".")
		r, _ := utf8.DecodeRuneInString(token)
		switch {
		case token == "":
			first = begin
		case hasDigit(token):
			if !numberSaid(token, known, said) {
				return true, name
			}
		case begin || !unicode.IsUpper(r):
		default:
			named++
			if !nameSaid(token, words, known) {
				strange++
			}
		}
	}
	if language == "de" {
		return false, strange*2 > named
	}
	return false, strange > 0
}

// couldBeSaid tells whether the names of a content that the person did not say so may be theirs all
// the same: their turns have them somewhere, or the content is in another script or language than
// the quotes, so that they cannot be compared.
func couldBeSaid(content, quotes, written, language string) bool {
	if isLatin(content) != isLatin(quotes) {
		return true
	}
	if a, b := languageOf(content), languageOf(quotes); a != "" && b != "" && a != b {
		return true
	}
	_, name := findUnsaid(content, written, language)
	return !name
}

// isLatin tells whether most letters of a text are Latin.
func isLatin(text string) bool {
	latin, all := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			all++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	return 2*latin >= all
}

func betweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && !strings.ContainsRune("'’.,-+#&", r)
}

func hasDigit(s string) bool { return strings.IndexFunc(s, unicode.IsDigit) >= 0 }

// separators stand between the digits of long numbers.
var separators = strings.NewReplacer(",", "", ".", "", "'", "", "’", "", "\u00a0", "", "\u202f", "")

// numberSaid looks for the digits of a number, with or without separators, and for small ones as
// words.
func numberSaid(token string, known map[string]bool, said string) bool {
	notDigit := func(r rune) bool { return !unicode.IsDigit(r) }
	if whole := strings.TrimFunc(separators.Replace(token), notDigit); holdsNumber(said, whole) || holdsNumber(separators.Replace(said), whole) {
		return true
	}
	for _, part := range strings.FieldsFunc(token, notDigit) {
		found := holdsNumber(said, part)
		for _, w := range numberWords[part] {
			found = found || known[w]
		}
		if !found {
			return false
		}
	}
	return true
}

// holdsNumber looks for digits that are not a part of more digits.
func holdsNumber(text, number string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], number)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(number)
		if (i == 0 || !isDigit(text[i-1])) && (end == len(text) || !isDigit(text[end])) {
			return true
		}
		at = i + 1
	}
}

// numberWords are the small numbers as people write them, folded, in the languages that the rules
// know.
var numberWords = map[string][]string{
	"0":  {"zero", "no", "none", "cero", "null", "nul"},
	"1":  {"one", "a", "an", "first", "uno", "una", "un", "une", "um", "uma", "ein", "eine", "einen", "einer", "single"},
	"2":  {"two", "couple", "both", "twins", "second", "dos", "deux", "dois", "duas", "zwei", "due"},
	"3":  {"three", "third", "triplets", "tres", "trois", "drei", "tre"},
	"4":  {"four", "cuatro", "quatre", "quatro", "vier", "quattro"},
	"5":  {"five", "cinco", "cinq", "funf", "fuenf", "cinque"},
	"6":  {"six", "seis", "sechs", "sei"},
	"7":  {"seven", "siete", "sept", "sete", "sieben", "sette"},
	"8":  {"eight", "ocho", "huit", "oito", "acht", "otto"},
	"9":  {"nine", "nueve", "neuf", "nove", "neun"},
	"10": {"ten", "decade", "diez", "dix", "dez", "zehn", "dieci"},
	"11": {"eleven", "once", "onze", "elf", "undici"},
	"12": {"twelve", "dozen", "doce", "douze", "doze", "zwolf", "zwoelf", "dodici"},
}

// nameSaid looks for a name: the word, its beginning, or its letters as the initials of words that
// follow each other. Of a compound ("Oslo-born") only what has a capital is a name.
func nameSaid(token string, words []string, known map[string]bool) bool {
	for _, name := range strings.FieldsFunc(token, func(r rune) bool { return r == '-' || r == '.' || r == '&' || r == ',' }) {
		if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) {
			continue
		}
		name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
		for _, part := range strings.Fields(normalize.FoldValue(name)) {
			if !known[part] && len(part) > 1 && !begins(part, words) && !initials(part, name, words) {
				return false
			}
		}
	}
	return true
}

// begins tells whether a word shares its beginning, all but two letters and at least four, with one
// that was said.
func begins(part string, words []string) bool {
	stem := []rune(part)
	stem = stem[:max(min(len(stem), 4), len(stem)-2)]
	if len(stem) < 4 {
		return false
	}
	for _, w := range words {
		if strings.HasPrefix(w, string(stem)) {
			return true
		}
	}
	return false
}

func initials(part, token string, words []string) bool {
	if token != strings.ToUpper(token) {
		return false
	}
	letters := []rune(part)
	for i := 0; i+len(letters) <= len(words); i++ {
		same := true
		for j, l := range letters {
			r, _ := utf8.DecodeRuneInString(words[i+j])
			same = same && r == l
		}
		if same {
			return true
		}
	}
	return false
}
