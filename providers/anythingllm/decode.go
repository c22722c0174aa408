package anythingllm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeUnit makes the items of one unit.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	switch u.Role {
	case rolePassed:
		return passed(u)
	case roleWorkspace:
		return workspace(u)
	}
	return conversation(u, u.Role)
}

// keyRewritten in raw_metadata says that what is divided is the element with its answers cut.
const keyRewritten = "rewritten"

// conversation makes the document of a unit in a form, which is the role of the unit.
func conversation(u importer.Unit, form string) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	leaves, rewritten := normalize.Leaves(src.Root), false
	if plain, err := jsonscan.Parse(u.Raw, u.Limits.WithDefaults().MaxDepth); err == nil {
		other := u
		if other.Raw = cutThoughts(form, plain.Root()); other.Raw != nil {
			if again, err := lossless.Parse(other); err == nil {
				src, rewritten = again, true
			}
		}
	}
	schema := schemas[form]
	if schema == nil {
		return nil, lossless.Fail(u, "not_a_conversation", "the unit has a role that this version does not know")
	}
	b := localapp.New(schema, src, "anythingllm", form)
	if rewritten {
		b.NoteJSON(keyRewritten, []byte("true"))
	}
	if !fill[form](b) {
		return nil, lossless.Fail(u, "not_a_conversation", "there are no questions and answers in the element")
	}
	items, err := localapp.Finish(b, nil)
	if err != nil {
		return nil, err
	}
	// The leaves are those of the source, not of the cut answers.
	l := &items[0].Conversation.Loss
	l.Raw = min(max(l.Raw-(l.Mapped+l.Raw-leaves), 0), leaves)
	l.Mapped = leaves - l.Raw
	return items, nil
}

// restore is the inverse of conversation.
func restore(dst []byte, s *lossless.Schema, doc *pamio.Conversation) ([]byte, error) {
	out, err := s.Restore(nil, doc)
	if err != nil {
		return dst, err
	}
	form := doc.Provider.ExportFormatVersion
	whole, err := jsonscan.Parse(out, 0)
	if err != nil {
		return dst, fmt.Errorf("restore conversation %s: %w", doc.ID, err)
	}
	if raw, err := jsonscan.Parse(doc.RawMetadata, 0); err == nil && raw.Root().Get(keyRewritten).True() {
		out = joinThoughts(form, whole.Root())
	}
	if form != formLines && len(out) > 1 && out[0] == '[' {
		out = out[1 : len(out)-1] // rows, with commas between them
	}
	return append(dst, out...), nil
}

// fill reads an element of each form; false when it is none.
var fill = map[string]func(*lossless.Builder) bool{
	formDatabase: thread,
	formJSON:     rows,
	formCSV: func(b *lossless.Builder) bool {
		b.Note("lossy", "line ends have become spaces in the export")
		return rows(b)
	},
	formLines:  line,
	formAlpaca: alpaca,
}

// exchangeOf adds the messages of a question with its answer.
func exchangeOf(b *lossless.Builder, container string, i int, row, question, answer jsonscan.Node, at normalize.Instant) (*lossless.Object, *lossless.Message) {
	o := b.Item(container, i, row)
	id := importer.Lexeme(row.Get("id"))
	sub := func(n string) string {
		if id == "" {
			return ""
		}
		return id + n
	}
	if question.Kind() == jsonscan.String {
		o.Add(sub("#0"), normalize.RoleUser).Text(question.Str())
	}
	return o, answerOf(o, id, sub("#1"), normalize.RoleAssistant, answer, at)
}

// answerOf adds an answer, with what was thought before it.
func answerOf(o *lossless.Object, id, thoughtID, role string, answer jsonscan.Node, at normalize.Instant) *lossless.Message {
	t := answer.Get(keyThought)
	if t.Exists() {
		m := o.Add(thoughtID, role)
		m.IsThought = true
		m.Text(t.Get("thought").Str())
	}
	m := o.Add(id, role)
	switch {
	case t.Exists():
		m.Text(t.Get("text").Str())
	case answer.Kind() == jsonscan.String:
		m.Text(answer.Str())
	}
	m.Time = at
	return m
}

func digits(n int) string { return strconv.Itoa(n) }

// web tells whether a source has an address that anybody can open.
func web(url string) bool {
	return (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) && pamio.IsAbsoluteURI(url)
}
