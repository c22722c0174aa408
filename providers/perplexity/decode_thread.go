package perplexity

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// decodeThread reads a thread of JSON. The role of the unit names the generation.
func decodeThread(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	g := generations[u.Role]
	list := root.Get(g.list)
	if list.Kind() != jsonscan.Array && importer.FirstText(root, "context_uuid") == "" {
		return nil, lossless.Fail(u, "not_a_conversation", "the element has no entries; the other elements of the list are not affected")
	}
	b := g.schema.New(src, provider)
	b.Doc.Provider.ExportFormatVersion = u.Role
	nameThread(b, root, g)
	switch u.Role {
	case official:
		b.Title(root.Get("context_title"))
		b.Created, b.Updated = b.Time(root.Get("created_at")), b.Time(root.Get("updated_at"))
	case extension:
		m := root.Get("metadata")
		b.Title(m.Get("thread_title"))
		b.Created, b.Updated = b.Time(m.Get("thread_created_at")), b.Time(m.Get("thread_updated_at"))
	case api:
		b.Title(threadTitle(root))
	}
	i := 0
	for e := range list.Items() {
		if e.Kind() == jsonscan.Object {
			addEntry(b, g, b.Item("/"+g.list, i, e))
		} else {
			b.Unknown("not_an_entry")
		}
		i++
	}
	return b.Items()
}

// threadTitle is the title of an answer of the application: of the thread, else of the first entry
// that has one.
func threadTitle(root jsonscan.Node) jsonscan.Node {
	title := root.Get("thread_metadata").Get("thread_title")
	for e := range root.Get("entries").Items() {
		if title.Kind() == jsonscan.String {
			break
		}
		title = e.Get("thread_title")
	}
	return title
}

// addEntry makes the messages of an entry. One without an answer is a question alone; one without
// both is kept as an answer that says nothing.
func addEntry(b *lossless.Builder, g generation, o *lossless.Object) {
	e := o.Node()
	id := e.Get(g.id).Str()
	if id == "" && g.id == "uuid" {
		id = e.Get("backend_uuid").Str()
	}
	at := b.Time(e.Get(g.time))
	if at == normalize.Epoch && g.time == "entry_created_datetime" {
		at = b.Time(e.Get("updated_datetime"))
	}
	answer, answered := g.answer(e)
	if q := e.Get(g.query); q.Kind() == jsonscan.String {
		m := addMessage(o, id, queryEnd, normalize.RoleUser)
		m.Text(q.Str())
		m.Time = at
		if !answered {
			b.Anomalies["unanswered"]++
		}
	}
	if answered || len(o.Messages()) == 0 {
		m := addMessage(o, id, answerEnd, normalize.RoleAssistant)
		if answered {
			m.Text(answer)
		}
		m.Time = at
		m.Model = e.Get(g.model).Str()
		m.Citations = g.citations(e)
	}
	if status := e.Get("query_status"); status.Kind() == jsonscan.String && !status.Is("COMPLETED") {
		b.Anomalies["incomplete_answer"]++
	}
}

func addMessage(o *lossless.Object, id, end, role string) *lossless.Message {
	if id != "" {
		id += end
	}
	return o.Add(id, role)
}
