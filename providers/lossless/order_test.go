package lossless_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/lossless"
)

// shuffled is a list whose messages are added from its end to its start, each with a list of
// thoughts that stands beside its text and comes before it in the document.
var shuffled = format{
	schema: &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "/list", Slot: lossless.MessageList}},
		Message: []lossless.Rule{
			{Path: "/id", Slot: lossless.ID},
			{Path: "/say", Slot: lossless.Text, Rank: 1},
			{Path: "/thoughts/*/text", Slot: lossless.Text},
		},
	},
	read: func(b *lossless.Builder, root jsonscan.Node) {
		b.ID("c")
		var all []jsonscan.Node
		for v := range root.Get("list").Items() {
			all = append(all, v)
		}
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].Kind() != jsonscan.Object {
				continue
			}
			o := b.Item("/list", i, all[i])
			id := all[i].Get("id").Str()
			for t := range all[i].Get("thoughts").Items() {
				if t.Get("text").Kind() == jsonscan.String {
					m := o.Add("", normalize.RoleAssistant)
					m.IsThought = true
					m.Text(t.Get("text").Str())
				}
			}
			m := o.Add(id, normalize.RoleAssistant)
			if say := all[i].Get("say"); say.Kind() == jsonscan.String {
				m.Text(say.Str())
			}
		}
	},
}

func TestAnotherOrderThanThatOfTheSourceComesBack(t *testing.T) {
	for _, in := range []string{
		`{"list":[{"id":"a","say":"1"},{"id":"b","say":"2"},{"id":"c","say":"3"}]}`,
		`{"list":[{"id":"a","say":"1"},null,{"id":"b","say":"2"},7,{"id":"c","say":"3"}]}`,
	} {
		r := importertest.Read(t, shuffled, importer.Limits{}, importertest.File{Name: "x.json", Data: []byte(in)})
		importertest.Format{Importer: shuffled}.Check(t, r)
		if first := r.Conversations()[0].Doc.Messages[0].ID; first != "c" {
			t.Errorf("the first message is %s", first)
		}
		importertest.Format{Importer: shuffled}.Mutate(t, r, 100)
	}
}

func TestRanksComeBeforePlaces(t *testing.T) {
	text := func(s string) string { return strings.Repeat(s+" ", 300) }
	in := `{"list":[{"id":"a","thoughts":[{"text":"` + text("x") + `"},{"text":"` + text("y") + `"}],"say":"` + text("z") + `"}]}`
	r := importertest.Read(t, shuffled, importer.Limits{}, importertest.File{Name: "x.json", Data: []byte(in)})
	importertest.Format{Importer: shuffled}.Check(t, r)
	doc := r.Conversations()[0].Doc
	if len(doc.Messages) != 3 {
		t.Fatalf("%d messages", len(doc.Messages))
	}
	for _, m := range doc.Messages {
		if strings.Contains(string(m.RawMetadata), "x x") || strings.Contains(string(m.RawMetadata), "z z") {
			t.Errorf("a text is kept twice: %s", m.RawMetadata)
		}
		if strings.Contains(string(m.RawMetadata), `"order"`) {
			t.Errorf("the order that the ranks give is noted: %s", m.RawMetadata)
		}
	}
	doc.Messages[1].Content = &pamio.Content{Type: "text", Text: new(string)}
	out, err := shuffled.Restore(nil, doc)
	if err != nil || !strings.Contains(string(out), `{"text":""}]`) {
		t.Errorf("%v: %.200s", err, out)
	}
}
