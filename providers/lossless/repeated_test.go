package lossless_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/lossless"
)

// repeated is a list of ids, each a message.
var repeated = format{
	schema: &lossless.Schema{
		Conversation: []lossless.Rule{{Path: "/list", Slot: lossless.MessageList}},
		Message:      []lossless.Rule{{Path: "/id", Slot: lossless.ID}},
	},
	read: func(b *lossless.Builder, root jsonscan.Node) {
		i := 0
		for v := range root.Get("list").Items() {
			b.Item("/list", i, v).Add(v.Get("id").Str(), "user")
			i++
		}
	},
}

func TestRepeatedIDsGetNumbers(t *testing.T) {
	ids := func(source string) []string {
		items, err := repeated.Decode(importer.Unit{Raw: []byte(source)})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range items[0].Conversation.Doc.Messages {
			out = append(out, m.ID)
		}
		return out
	}
	got := ids(`{"list":[{"id":"a"},{"id":"a"},{"id":"a~4"},{"id":"a"},{"id":"a"},{"id":"a~2"},{"id":"b"},{"id":"a"}]}`)
	if want := []string{"a", "a~2", "a~4", "a~3", "a~5", "a~2~2", "b", "a~6"}; !slices.Equal(got, want) {
		t.Errorf("ids are %q, want %q", got, want)
	}
	// Many of one id take no longer than as many others: this ends only if they do not cost the
	// square of their number.
	n := 100_000
	many := ids(`{"list":[` + strings.TrimSuffix(strings.Repeat(`{"id":"a"},`, n), ",") + `]}`)
	if len(many) != n || many[n-1] != "a~100000" {
		t.Errorf("%d ids, the last one %q", len(many), many[len(many)-1])
	}
}

// An id that is longer than any provider's stands in the document once, however many links lead to
// its message.
func TestAnIDOfAnyLengthIsKeptOnce(t *testing.T) {
	id := strings.Repeat("long ", 4000)
	source := `[{"id":"` + id + `","text":"first"},{"id":"b","to":"` + id + `","text":"second"},{"id":"c","to":"` + id + `","text":"third"}]`
	r := importertest.Read(t, lines, importer.Limits{}, importertest.File{Name: "x.json", Data: []byte(source)})
	importertest.Format{Importer: lines}.Check(t, r)
	doc := r.Conversations()[0].Doc
	if n := strings.Count(string(doc.AppendJSON(nil)), id); n != 1 || doc.Messages[0].ProviderMessageID != id {
		t.Errorf("the id stands there %d times", n)
	}
	if doc.Messages[2].ParentID != doc.Messages[0].ID {
		t.Error("a link does not lead to it")
	}
}
