package lossless_test

import (
	"context"
	"iter"
	"strconv"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/lossless"
)

// format is an importer of a made-up format: a schema and how its element is read.
type format struct {
	schema *lossless.Schema
	read   func(b *lossless.Builder, root jsonscan.Node)
}

func (format) Name() string        { return "made-up" }
func (format) Version() string     { return "made-up-importer/2026.11" }
func (format) RestoreFile() string { return "made-up.json" }

func (format) Claim(_ context.Context, members []archive.Member, _ importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	for _, m := range members {
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: "talk"})
	}
	return c, nil
}

func (format) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		for _, m := range c.Members {
			if !cut.File(ctx, importer.Unit{Member: m.Member, Role: m.Role, Limits: limits}, yield) {
				return
			}
		}
	}
}

func (f format) Decode(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	b := f.schema.New(src, "made-up")
	f.read(b, src.Root)
	snap, err := b.Finish()
	if err != nil {
		return nil, err
	}
	return []importer.Item{{Conversation: snap}}, nil
}

func (f format) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	return f.schema.Restore(dst, doc)
}

// tree is a map of nodes with parents, lists of children and texts in blocks, and a list that
// repeats one branch.
var tree = format{
	schema: &lossless.Schema{
		Conversation: []lossless.Rule{
			{Path: "/meta/title", Slot: lossless.Title, Form: lossless.StringOrNull},
			{Path: "/nodes", Slot: lossless.MessageMap},
		},
		Message: []lossless.Rule{
			{Path: "/id", Slot: lossless.ID},
			{Path: "/parent", Slot: lossless.Parent, Form: lossless.StringOrNull},
			{Path: "/children", Slot: lossless.Children},
			{Path: "/blocks/[type=text]/text", Slot: lossless.Text},
			{Path: "/blocks/[type=thought]/thought", Slot: lossless.Text},
			{Path: "/calls/*/name", Slot: lossless.ToolName},
			{Path: "/calls/*/input", Slot: lossless.ToolInput},
			{Path: "/calls/*/output", Slot: lossless.ToolOutput},
			{Path: "/words/*", Slot: lossless.CiteTitle},
		},
	},
	read: func(b *lossless.Builder, root jsonscan.Node) {
		b.ID(root.Get("id").Str())
		b.Title(root.Get("meta").Get("title"))
		objects := map[string]*lossless.Object{}
		for k, v := range root.Get("nodes").Fields() {
			if v.Kind() != jsonscan.Object {
				continue
			}
			o := b.Value("/nodes", k.Str(), v)
			objects[k.Str()] = o
			if v.Get("blocks").Kind() != jsonscan.Array {
				continue // only structure
			}
			var thought *lossless.Message
			for block := range v.Get("blocks").Items() {
				if block.Get("type").Is("thought") && block.Get("thought").Kind() == jsonscan.String && thought == nil {
					thought = o.Add(k.Str()+"#0", normalize.RoleAssistant)
					thought.IsThought = true
					thought.Text(block.Get("thought").Str())
				}
			}
			m := o.Add(k.Str(), normalize.RoleAssistant)
			for block := range v.Get("blocks").Items() {
				if block.Get("text").Kind() == jsonscan.String && block.Get("type").Is("text") {
					m.Text(block.Get("text").Str())
				}
			}
			for c := range v.Get("calls").Items() {
				call := pamio.ToolCall{Name: c.Get("name").Str()}
				if in := c.Get("input"); in.Kind() == jsonscan.Object {
					call.Input = in.AppendCompact(nil)
				}
				if call.Name != "" {
					m.ToolCalls = append(m.ToolCalls, call)
				}
			}
			for w := range v.Get("words").Items() {
				if w.Kind() == jsonscan.String && !w.Is("") {
					m.Citations = append(m.Citations, pamio.Citation{Title: w.Str()})
				}
			}
		}
		for k, o := range objects {
			switch p := o.Node().Get("parent"); {
			case p.Kind() == jsonscan.String && objects[p.Str()] != nil && p.Str() != k:
				o.Parent(objects[p.Str()])
			case p.Kind() == jsonscan.String:
				o.Parent(nil)
			case p.Exists():
				o.Root()
			}
		}
		b.Twin("/branch", func(v jsonscan.Node) *lossless.Object { return objects[v.Get("id").Str()] })
	},
}

const treeSource = `{"id":"x","meta":{"title":null,"more":[1.50]},"nodes":{
	"root":{"id":"root","parent":null,"children":["a"]},
	"a":{"id":"a","parent":"root","children":["b","c"],"blocks":[{"type":"text","text":"one"},{"type":"text"},{"type":"text","text":"two","n":1}],"words":["w","","v",""]},
	"b":{"id":"b","parent":"a","children":[],"blocks":[{"type":"text","text":"answer"},{"type":"thought","thought":"hm"}],"calls":[{"name":"f","input":{"a":1}},{"name":"g","input":"text","output":"o"},null]},
	"c":{"id":"see","parent":"a","blocks":[]},
	"d":{"id":"d","parent":"gone","blocks":[{"type":"other"}]},"e":null},
	"branch":[{"id":"a","parent":"root","children":["b","c"],"blocks":[{"type":"text","text":"one"},{"type":"text"},{"type":"text","text":"two","n":1}],"words":["w","","v",""]},{"id":"b"},"text"]}`

// nest is a tree of messages that stand inside each other.
var nest = format{
	schema: &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "/list", Slot: lossless.MessageList}, {Path: "/other", Slot: lossless.MessageList}},
		Message:      []lossless.Rule{{Path: "/text", Slot: lossless.Text}, {Path: "/kids", Slot: lossless.Nested}, {Path: "/at", Slot: lossless.Created, Form: lossless.Millis}},
	},
	read: func(b *lossless.Builder, root jsonscan.Node) {
		var walk func(o *lossless.Object)
		walk = func(o *lossless.Object) {
			m := o.Add("", normalize.RoleUser)
			m.Time = b.Time(o.Node().Get("at"))
			if t := o.Node().Get("text"); t.Kind() == jsonscan.String {
				m.Text(t.Str())
			}
			i := 0
			for v := range o.Node().Get("kids").Items() {
				if v.Kind() == jsonscan.Object {
					walk(o.Child(i, v))
				}
				i++
			}
		}
		for _, path := range []string{"/list", "/other"} {
			i := 0
			for v := range root.Get(path[1:]).Items() {
				if v.Kind() == jsonscan.Object {
					o := b.Item(path, i, v)
					o.Root()
					walk(o)
				}
				i++
			}
			if root.Get("list").Len() > 0 {
				break
			}
		}
	},
}

// lines is a list that is the element itself, whose order is not that of the talk.
var lines = format{
	schema: &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}},
		Message:      []lossless.Rule{{Path: "/id", Slot: lossless.ID}, {Path: "/to", Slot: lossless.Parent}, {Path: "/text", Slot: lossless.Text}},
	},
	read: func(b *lossless.Builder, root jsonscan.Node) {
		objects := map[string]*lossless.Object{}
		i := 0
		for v := range root.Items() {
			if v.Get("text").Kind() == jsonscan.String {
				o := b.Item("", i, v)
				o.Add(v.Get("id").Str(), normalize.RoleUser).Text(v.Get("text").Str())
				if objects[v.Get("id").Str()] == nil {
					objects[v.Get("id").Str()] = o
				}
			}
			i++
		}
		for _, o := range objects {
			if p := objects[o.Node().Get("to").Str()]; p != nil && p != o {
				o.Parent(p)
			}
		}
	},
}

func TestElementsOfEveryFormComeBack(t *testing.T) {
	for name, c := range map[string]struct {
		format  format
		sources []string
	}{
		"tree": {tree, []string{treeSource, `{}`, `{"nodes":{}}`, `{"nodes":null,"branch":[]}`, `{"nodes":[],"meta":{}}`}},
		"nest": {nest, []string{
			`{"list":[{"text":"a","at":1700000000123,"kids":[{"text":"b","kids":[]},null,{"text":"c","kids":null}]},7,{"kids":[{}]}],"x":"` + strings.Repeat("long ", 1000) + `"}`,
			`{"other":[{"text":"a"}]}`, `{"list":[],"other":null}`, `{"x":1}`, `{"list":{},"other":[{},{"kids":[[],{}]}]}`,
		}},
		"lines": {lines, []string{`[{"id":"b","to":"a","text":"second"},{"note":1},{"id":"a","text":"first"},{"id":"a","text":"again"},null]`, `[]`, `[1,"",{}]`}},
	} {
		t.Run(name, func(t *testing.T) {
			var files []importertest.File
			for i, s := range c.sources {
				files = append(files, importertest.File{Name: strconv.Itoa(i) + ".json", Data: []byte(s)})
			}
			r := importertest.Read(t, c.format, importer.Limits{}, files...)
			f := importertest.Format{Importer: c.format}
			f.Check(t, r)
			if len(r.Conversations()) != len(files) {
				t.Errorf("%d conversations, want %d", len(r.Conversations()), len(files))
			}
			importertest.Documents(t, "testdata/"+name+".golden", r)
			f.Mutate(t, r, 300)
		})
	}
}

func TestWhatIsEditedIsRestored(t *testing.T) {
	r := importertest.Read(t, tree, importer.Limits{}, importertest.File{Name: "x.json", Data: []byte(treeSource)})
	doc := r.Conversations()[0].Doc
	title := "a title"
	doc.Title = &title
	for i := range doc.Messages {
		if m := &doc.Messages[i]; m.Content != nil && m.Content.Text != nil {
			*m.Content.Text += " edited"
		}
	}
	out, err := tree.Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"title":"a title"`, `"text":"answer edited"`, `"thought":"hm edited"`, `"text":"two"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
}

func TestABadMessageReferenceIsAnError(t *testing.T) {
	doc := &pamio.Conversation{ID: "x", Messages: []pamio.Message{{ID: "a", RawMetadata: pamio.RawJSON(`{"restore":{"of":"b"}}`)}}}
	if _, err := tree.Restore(nil, doc); err == nil {
		t.Error("a message of an object that is not there was restored")
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte(treeSource))
	f.Fuzz(func(t *testing.T, raw []byte) { importertest.Format{Importer: tree}.Fuzz(t, importer.Unit{}, raw) })
}

func FuzzNest(f *testing.F) {
	f.Add([]byte(`{"list":[{"text":"a","kids":[{"text":"b","kids":[]},null]},7]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { importertest.Format{Importer: nest}.Fuzz(t, importer.Unit{}, raw) })
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`[{"id":"b","to":"a","text":"second"},{"note":1},{"id":"a","text":"first"}]`))
	f.Fuzz(func(t *testing.T, raw []byte) { importertest.Format{Importer: lines}.Fuzz(t, importer.Unit{}, raw) })
}
