package assemble

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
)

// exported reads the conversations of a fixture as an import would leave them.
func exported(t *testing.T, name, importedAt string) export {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "..", "..", "shared", "fixtures", "chatgpt", name, "conversations.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the shared fixtures are not beside this repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	framer := jsonscan.NewFramer(f, jsonscan.FrameOptions{})
	var docs []*pamio.Conversation
	for {
		frame, err := framer.Next(nil)
		if errors.Is(err, io.EOF) {
			return newArchive("conversations.json", importedAt, docs...)
		}
		if err != nil {
			t.Fatal(err)
		}
		items, err := chatgpt.New().Decode(importer.Unit{
			Member: archive.Member{Name: "conversations.json"}, Role: "conversations", Raw: frame.Raw,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			docs = append(docs, item.Conversation.Doc)
		}
	}
}

func TestTwoExportsOfOneAccountFold(t *testing.T) {
	older, newer := exported(t, "two-snapshots-v1", day1), exported(t, "two-snapshots-v2", day2)
	s := newStorage()
	s.add(newer, older)
	got := assemble(t, s, Options{})
	reversed := newStorage()
	reversed.add(older)
	reversed.take(t, assemble(t, reversed, Options{}))
	reversed.add(newer)
	if again := assemble(t, reversed, Options{}); again.content != got.content {
		t.Error("the order of the exports matters")
	}
	messages := map[string]int{} // ids in the exports that the folded files must still have
	for _, d := range append(older.docs, newer.docs...) {
		for _, m := range d.Messages {
			messages[d.ID+" "+m.ID]++
		}
	}
	for _, e := range parseIndex(t, got) {
		doc, err := pamio.ParseConversation(s.files[e.Storage.Ref])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range doc.Messages {
			delete(messages, doc.ID+" "+m.ID)
		}
		if e.ID == older.docs[0].ID {
			lost := string(doc.RawMetadata[strings.Index(string(doc.RawMetadata), `"conflicts"`):])
			if doc.Import.ImportedAt != day1 || !strings.Contains(lost, `"/temporal/updated_at"`) {
				t.Errorf("import %+v, conflicts %s", doc.Import, lost)
			}
		}
	}
	if len(messages) > 0 {
		t.Errorf("messages that are gone: %v", messages)
	}
	if got.stats.Folded == 0 {
		t.Errorf("nothing was folded: %+v", got.stats)
	}
}
