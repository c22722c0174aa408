package gemini

import (
	"strings"
	"unicode/utf8"
)

// kind is what a row is about.
type kind uint8

const (
	exchange kind = iota // a prompt, and mostly an answer
	event                // something that was done: a canvas made, feedback given
	feedback             // an event, too
)

// verbs are what titles start with. Behind the verb of an exchange stands the prompt. Spaces stand
// for every kind of space. The first that fits counts, so longer ones stand before shorter ones.
var verbs = []struct {
	text string
	kind kind
}{
	{"Prompted ", exchange}, // en
	{"Asked ", exchange},
	{"Said ", exchange},
	{"Submitted query ", exchange},
	{"Live Prompt ", exchange},
	{"Branched ", exchange},
	{"Answered ", exchange},
	{"Eingegebener Prompt: ", exchange}, // de
	{"Angefordert ", exchange},
	{"Prompt : ", exchange}, // fr
	{"Prompt: ", exchange},
	{"Demandé ", exchange},
	{"送信したメッセージ: ", exchange},            // ja
	{"Υποβλήθηκε το ερώτημα ", exchange}, // el
	{"Has dicho: ", exchange},            // es
	{"Hiciste la petición ", exchange},
	{"Solicitó ", exchange},
	{"Gav instruktionen ", exchange}, // sv
	{"Fez uma pergunta: ", exchange}, // pt
	{"Solicitou ", exchange},
	{"Richiesto ", exchange}, // it

	{"Gave feedback: ", feedback},
	{"Gave feedback ", feedback},
	{"Created Gemini Canvas titled ", event},
	{"Created ", event},
	{"Used Gemini Apps ", event},
	{"Used ", event},
	{"Selected preferred draft ", event},
	{"Added ", event},
	{"Cleared ", event},
}

// splitVerb cuts the verb off a title: n is its length in bytes. known is false for a title that
// starts with no verb of the table. The space at the end of a verb may be missing where nothing
// follows.
func splitVerb(title string) (n int, k kind, known bool) {
	for _, v := range verbs {
		if n, ok := prefixLen(title, v.text); ok {
			return n, v.kind, true
		}
	}
	return 0, exchange, false
}

// prefixLen is how many bytes of s the prefix takes, spaces of every kind being alike.
func prefixLen(s, prefix string) (int, bool) {
	at := 0
	for i, want := range prefix {
		if at == len(s) {
			return at, want == ' ' && i == len(prefix)-1
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		if r != want && (want != ' ' || foldSpaces(s[at:at+n]) != " ") {
			return 0, false
		}
		at += n
	}
	return at, true
}

// isLabel tells whether a text is a verb alone, as the header-cell of a page may have it.
func isLabel(s string) (kind, bool) {
	s = strings.TrimSpace(foldSpaces(s))
	for _, v := range verbs {
		if strings.TrimRight(v.text, " :") == strings.TrimRight(s, " :") {
			return v.kind, true
		}
	}
	switch s {
	case "Feedback":
		return feedback, true
	case "Canvas":
		return event, true
	}
	return event, false
}
