package gemini

import (
	"iter"
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/htmlmd"
	"github.com/pamline/pamline/providers/lossless"
)

// item is what a row of the list and a cell of the page have in common: what decides about its
// conversation.
type item struct {
	kind    kind
	product string // the header
	gemini  bool
	at      normalize.Instant // normalize.Epoch when it is not known
	prompt  string
	ids     []string // of conversations, each once
}

// conversation is the id of the one conversation that an item names, "" when it names none or
// several.
func (i *item) conversation() string {
	if len(i.ids) == 1 {
		return i.ids[0]
	}
	return ""
}

// key is what is known of a prompt in every form of the export.
func (i *item) key() string { return promptKey(i.at.Sec, i.prompt) }

func (i *item) link(url string) {
	if id := conversationOf(url); id != "" && !slices.Contains(i.ids, id) && len(i.ids) < maxIDs {
		i.ids = append(i.ids, id)
	}
	i.gemini = i.gemini || ofGemini(url)
}

// maxIDs bounds the conversations that one item may name.
const maxIDs = 64

// row is an element of the list.
type row struct {
	item
	verb  int // bytes of the title before the prompt
	known bool
	node  jsonscan.Node
	talks []interaction
}

// isRow tells whether an element looks like one of an activity log at all.
func isRow(n jsonscan.Node) bool {
	return n.Kind() == jsonscan.Object && (n.Get("title").Exists() || n.Get("time").Exists()) && (n.Get("header").Exists() || n.Get("products").Exists())
}

// readRow reads what decides about a row. Fields may have drifted: a text may be a list of one, a
// list one object.
func (imp Importer) readRow(n jsonscan.Node) row {
	r := row{node: n}
	if !imp.old {
		r.talks = interactions(n.Get("userInteractions"))
	}
	for header := range eachText(n.Get("header")) {
		r.product = header
		r.gemini = r.gemini || isGemini(header)
	}
	for p := range eachText(n.Get("products")) {
		r.gemini = r.gemini || isGemini(p)
	}
	for d := range eachElement(n.Get("details")) {
		r.link(d.Get("url").Str())
		r.link(d.Get("name").Str())
		r.link(d.Str())
	}
	r.link(n.Get("titleUrl").Str())
	if t, ok := lossless.ReadTime(n.Get("time")); ok {
		r.at = t
	}
	title := n.Get("title").Str()
	r.verb, r.kind, r.known = splitVerb(title)
	switch {
	case r.known && r.kind == exchange:
		r.prompt = title[r.verb:]
	case !r.known && hasAnswer(n):
		r.kind, r.verb, r.prompt = exchange, 0, title
	default:
		r.verb = 0
		if said, ok := named(n, promptNames); ok {
			r.kind, r.prompt = exchange, said
		} else if len(r.talks) > 0 {
			r.kind, r.prompt = exchange, r.talks[0].request
		} else if !r.known {
			r.kind = event
		}
	}
	return r
}

// The names under which older descriptions of the format have prompt and answer, in subtitles or
// details.
var (
	promptNames = []string{"User", "Request", "Prompt", "Query", "Input"}
	answerNames = []string{"Gemini", "Model", "Bard", "Response", "Answer", "Output"}
)

// named finds the value of the first entry of subtitles or details with one of these names.
func named(n jsonscan.Node, names []string) (string, bool) {
	for _, key := range []string{"subtitles", "details"} {
		for e := range eachElement(n.Get(key)) {
			if v := e.Get("value"); v.Kind() == jsonscan.String && slices.Contains(names, e.Get("name").Str()) {
				return v.Str(), true
			}
		}
	}
	return "", false
}

func hasAnswer(n jsonscan.Node) bool {
	return len(answers(n)) > 0 || strings.TrimSpace(n.Get("description").Str()) != ""
}

// answers are the pieces of HTML that are the answer.
func answers(n jsonscan.Node) []string {
	var out []string
	for e := range eachElement(n.Get("safeHtmlItem")) {
		s := e.Str()
		if e.Kind() == jsonscan.Object {
			s = e.Get("html").Str()
		}
		if strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

// answer is the answer as Markdown, given the pieces of HTML that are it. derived is false for one
// that stands in the row as text.
func (r *row) answer(pieces []string) (text string, derived bool) {
	var parts []string
	for _, html := range pieces {
		if md := htmlmd.Convert(html); md != "" {
			parts = append(parts, md)
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, "\n\n"), true
	}
	if said, ok := named(r.node, answerNames); ok {
		return said, false
	}
	return r.node.Get("description").Str(), false
}

// extras are the files, links and Gem of a row, given the pieces of HTML that are its answer.
func (r *row) extras(pieces []string) extras {
	var x extras
	for s := range eachElement(r.node.Get("subtitles")) {
		x.subtitle(s.Get("name").Str(), s.Get("url").Str())
	}
	for _, key := range []string{"attachedFiles", "imageFile"} {
		for f := range eachText(r.node.Get(key)) {
			x.file("", f)
		}
	}
	for _, html := range pieces {
		x.answerImages(html)
	}
	return x
}

// eachElement walks a list, or the one value that stands in its place.
func eachElement(n jsonscan.Node) iter.Seq[jsonscan.Node] {
	if n.Kind() == jsonscan.Array {
		return n.Items()
	}
	return func(yield func(jsonscan.Node) bool) {
		if n.Exists() && !n.IsNull() {
			yield(n)
		}
	}
}

// eachText gives the texts of a list, or the one that stands in its place; an object is its name.
func eachText(n jsonscan.Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range eachElement(n) {
			s := e.Str()
			if e.Kind() == jsonscan.Object {
				s = e.Get("name").Str()
			}
			if s != "" && !yield(s) {
				return
			}
		}
	}
}
