package gemini

import (
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// interaction is an entry of the list userInteractions:
//
//	"userInteractions": [{"userInteraction": {"endpoint": 2, "request": "…", "response": "…", "shown": true, "latencySeconds": 1.5}}]
//
// request is what the person asked, response is the answer. Each is the text itself or JSON as a
// text, "[{…}]". The form is described by the mapping of Google exports in the PAM documentation
// and read by the PAM SDK; fields may have drifted, so that an entry without the inner object, and
// texts in objects and lists, are read as well.
type interaction struct{ request, response string }

// maxInteractions bounds the interactions of a row that become messages; the rest stay in
// raw_metadata.
const maxInteractions = 10_000

// interactions reads a list of interactions, without those in which nobody says anything.
func interactions(list jsonscan.Node) []interaction {
	var out []interaction
	for e := range eachElement(list) {
		if inner := e.Get("userInteraction"); inner.Kind() == jsonscan.Object {
			e = inner
		}
		i := interaction{spoken(e.Get("request")), spoken(e.Get("response"))}
		if (i.request != "" || i.response != "") && len(out) < maxInteractions {
			out = append(out, i)
		}
	}
	return out
}

// maxSerialized bounds the nesting of JSON in a text.
const maxSerialized = 64

// spoken is what a request or response says: the text, or the text in its JSON.
func spoken(n jsonscan.Node) string {
	if n.Kind() != jsonscan.String {
		return textIn(n)
	}
	text := n.Str()
	if first := strings.TrimLeft(text, " \t\r\n"); strings.HasPrefix(first, "[") || strings.HasPrefix(first, "{") {
		if d, err := jsonscan.Parse([]byte(text), maxSerialized); err == nil {
			if said := textIn(d.Root()); said != "" {
				return said
			}
		}
	}
	return text
}

// textKeys are the fields of an object that may hold its text; the first that holds any counts.
var textKeys = []string{
	"text", "prompt", "query", "content", "parts", "message", "messages", "request", "response", "answer", "candidates", "output", "markdown", "html", "value",
}

// textIn is the text in a JSON value. A list of texts or objects is their texts, one a line; a list
// of lists, as Google's services send them, is told by position and its first text counts.
func textIn(n jsonscan.Node) string {
	switch n.Kind() {
	case jsonscan.String:
		return n.Str()
	case jsonscan.Object:
		for _, key := range textKeys {
			if said := textIn(n.Get(key)); said != "" {
				return said
			}
		}
	case jsonscan.Array:
		var parts []string
		positional := false
		for e := range n.Items() {
			positional = positional || e.Kind() == jsonscan.Array
			if said := textIn(e); said != "" {
				parts = append(parts, said)
			}
		}
		if positional && len(parts) > 1 {
			parts = parts[:1]
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// further completes the first turn of a row with its interactions, and gives the turns that follow
// it.
func (r *row) further(first *turn) []turn {
	talks := r.talks
	if len(talks) > 0 && (talks[0].request == "" || sameWords(talks[0].request, first.prompt)) {
		if !first.answered {
			first.answer, first.answered = talks[0].response, talks[0].response != ""
		}
		talks = talks[1:]
	}
	var out []turn
	for _, i := range talks {
		x := turn{item: r.item, answer: i.response, answered: i.response != ""}
		x.prompt = i.request
		out = append(out, x)
	}
	return out
}

// sameWords tells whether two prompts differ in white space only.
func sameWords(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}
