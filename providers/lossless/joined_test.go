package lossless_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/lossless"
)

// joined is a list of messages whose text repeats their blocks: those of type said and think, and
// others.
var joined = format{
	schema: &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "/list", Slot: lossless.MessageList}},
		Message: []lossless.Rule{
			{Path: "/all", Slot: lossless.Joined},
			{Path: "/blocks/[type=think]/text", Slot: lossless.Text},
			{Path: "/blocks/[type!=think|mute]/text", Slot: lossless.Text},
			{Path: "/links/[deep=]/url", Slot: lossless.CiteTitle},
			{Path: "/links/[deep!=]/deep/url", Slot: lossless.CiteTitle},
		},
	},
	read: func(b *lossless.Builder, root jsonscan.Node) {
		i := 0
		for v := range root.Get("list").Items() {
			i++
			if v.Kind() != jsonscan.Object {
				continue
			}
			o := b.Item("/list", i-1, v)
			var thought, m *lossless.Message
			everything, said := "", ""
			for block := range v.Get("blocks").Items() {
				text := block.Get("text").Str()
				switch {
				case block.Get("type").Is("mute") || block.Get("text").Kind() != jsonscan.String:
				case block.Get("type").Is("think"):
					if thought == nil {
						thought = o.Add("", normalize.RoleAssistant)
						thought.IsThought = true
					}
					thought.Text(text)
					everything += text
				default:
					if m == nil {
						m = o.Add("", normalize.RoleAssistant)
					}
					m.Text(text)
					everything += text
					said += text
				}
			}
			if m == nil {
				m = o.Add("", normalize.RoleAssistant)
			}
			if v.Get("blocks").Len() == 0 && v.Get("all").Kind() == jsonscan.String {
				m.Text(v.Get("all").Str())
			}
			if v.Get("all").Is(everything) && everything != said {
				o.JoinAll()
			}
		}
	},
}

var joinedSource = `{"list":[
	{"all":"alone"},
	{"all":"one two","blocks":[{"type":"said","text":"one "},{"text":"two"}]},
	{"all":"hm answer","blocks":[{"type":"think","text":"hm "},{"type":"said","text":"answer"}]},
	{"all":"","blocks":[{"type":"said","text":"silent"}]},
	{"all":"something else","blocks":[{"type":"said","text":"blocks"},{"type":"mute","text":"no"}]},
	{"blocks":[{"type":"said","text":"no text beside it"}],"links":[{"url":"u"},{"deep":{"url":"v"}}]},
	{"all":null,"blocks":[]}],"x":"` + strings.Repeat("long ", 2000) + `"}`

func TestATextThatRepeatsItsPartsIsKeptOnce(t *testing.T) {
	r := importertest.Read(t, joined, importer.Limits{}, importertest.File{Name: "x.json", Data: []byte(joinedSource)})
	f := importertest.Format{Importer: joined}
	f.Check(t, r)
	f.Mutate(t, r, 300)
	doc := r.Conversations()[0].Doc
	for _, once := range []string{"alone", "hm ", "answer", "one ", "silent"} {
		if n := strings.Count(string(doc.AppendJSON(nil)), once); n != 1 {
			t.Errorf("%q stands %d times in the document, want once", once, n)
		}
	}
	for i := range doc.Messages {
		if c := doc.Messages[i].Content; c != nil && c.Text != nil {
			*c.Text += "!"
		}
	}
	out, err := joined.Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"all":"alone!"`, `"all":"hm !answer!"`, `"text":"answer!"`, `"all":""`, `"text":"silent!"`, `"all":"something else"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
}

func FuzzJoined(f *testing.F) {
	f.Add([]byte(strings.ReplaceAll(joinedSource, "long ", "")))
	f.Fuzz(func(t *testing.T, raw []byte) { importertest.Format{Importer: joined}.Fuzz(t, importer.Unit{}, raw) })
}
