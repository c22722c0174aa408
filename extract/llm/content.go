package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxContent is the length of a statement in characters. What is longer is a retelling.
const maxContent = 400

// subjects are what models put before a statement that was to have no subject, in small letters.
var subjects = []string{
	"the user ", "user ", "the person ", "el usuario ", "la usuaria ", "la persona ", "o usuário ", "a usuária ", "o utilizador ", "a utilizadora ",
	"l'utilisateur ", "l’utilisateur ", "l'utilisatrice ", "l’utilisatrice ", "der nutzer ", "die nutzerin ", "der benutzer ", "die benutzerin ",
	"der user ", "l'utente ", "l’utente ",
}

// statement gives content the form of all memories: one line, without a subject, its first letter a
// capital, ending in a full stop.
func statement(content string) string {
	content = strings.Join(strings.Fields(norm.NFC.String(disarmed(content))), " ")
	for _, s := range subjects {
		if len(content) > len(s) && strings.EqualFold(content[:len(s)], s) {
			content = content[len(s):]
			break
		}
	}
	if content == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(content)
	content = string(unicode.ToUpper(r)) + content[size:]
	switch last, _ := utf8.DecodeLastRuneInString(content); last {
	case '.', '!', '?', '。', '！', '？', '।', '؟':
	default:
		content += "."
	}
	return content
}

// disarmed removes what nobody sees from a text that is kept.
func disarmed(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case invisible(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// confirmations say yes or no to what somebody else said, folded. They prove nothing by themselves.
var confirmations = foldedWords(`yes yeah yep yup ok okay sure right correct exactly true indeed no nope thanks thank you please
	si claro vale gracias exacto correcto sim certo exato obrigado obrigada oui ouais exactement merci bien sûr non
	ja jo genau klar stimmt richtig nein danke bitte certo esatto giusto grazie da net`)

func foldedWords(list string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		words[string(foldText(w))] = true
	}
	return words
}

// confirms tells whether a quote is nothing but a yes or a no.
func confirms(quote string) bool {
	for _, w := range strings.FieldsFunc(string(foldText(quote)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !confirmations[w] {
			return false
		}
	}
	return true
}
