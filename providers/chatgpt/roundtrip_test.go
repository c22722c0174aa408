package chatgpt_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// allowance is what a tiny element's document may exceed 1.25 times its size by, in bytes: the
// fixed parts of a document.
const allowance = 1024

// elements yields the conversation elements of a file, framed as Split does for lists and bare
// objects.
func elements(t testing.TB, data []byte) [][]byte {
	t.Helper()
	f := jsonscan.NewFramer(strings.NewReader(string(data)), jsonscan.FrameOptions{})
	var out [][]byte
	for {
		fr, err := f.Next(nil)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			return out
		}
		out = append(out, fr.Raw)
	}
}

// decode reads one element with nothing joined.
func decode(raw []byte) (*importer.Snapshot, error) {
	items, err := chatgpt.New().Decode(importer.Unit{Member: archive.Member{Name: "conversations.json"}, Role: "conversations", Raw: raw})
	if err != nil {
		return nil, err
	}
	return items[0].Conversation, nil
}

// check holds every promise about one element: the document is sound, bounded, accounts for every
// leaf, survives being written and read, and gives the element back.
func check(t testing.TB, raw []byte) *importer.Snapshot {
	t.Helper()
	snap, err := decode(raw)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	if err := sound(raw, snap); err != nil {
		t.Fatal(err)
	}
	return snap
}

func sound(raw []byte, snap *importer.Snapshot) error {
	src, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if err := snap.Doc.Check(); err != nil {
		return fmt.Errorf("the document is not sound: %w", err)
	}
	if l, want := snap.Loss, normalize.Leaves(src.Root()); l.Mapped+l.Raw+l.Asset+l.Skipped != want {
		return fmt.Errorf("leaves: %+v account for %d of %d", l, l.Mapped+l.Raw+l.Asset+l.Skipped, want)
	}
	written := snap.Doc.AppendJSON(nil)
	compact := src.Root().AppendCompact(nil)
	// What gives back values that a document cannot hold comes on top.
	escrow, err := jsonscan.Parse(append(append([]byte("["), snap.Doc.RawMetadata...), ']'), 0)
	if err != nil {
		return fmt.Errorf("raw_metadata: %w", err)
	}
	extra := 0
	for raw := range escrow.Root().Items() {
		extra = len(raw.Get("verbatim").Raw())
	}
	if float64(len(written)-extra) > 1.25*float64(len(compact))+allowance {
		return fmt.Errorf("the document has %d bytes, its source %d: %.2f times", len(written)-extra, len(compact), float64(len(written)-extra)/float64(len(compact)))
	}
	doc, err := pamio.ParseConversation(written)
	if err != nil {
		return fmt.Errorf("read the document again: %w", err)
	}
	back, err := chatgpt.New().Restore(nil, doc)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	got, err := jsonscan.Parse(back, 0)
	if err != nil {
		return fmt.Errorf("restored element: %w", err)
	}
	if !normalize.Equal(src.Root(), got.Root()) {
		return fmt.Errorf("the restored element differs at %s", importertest.Difference(src.Root(), got.Root(), ""))
	}
	return nil
}

func TestSharedFixturesComeBackWhole(t *testing.T) {
	root := importertest.Shared(t, "fixtures", "chatgpt")
	files, err := filepath.Glob(filepath.Join(root, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.Contains(filepath.Base(file), "conversation") && !strings.Contains(file, "real") && !strings.Contains(file, "malformed") {
			continue
		}
		if strings.Contains(file, "shared_conv") || strings.Contains(file, "asset_file") {
			continue
		}
		t.Run(strings.TrimPrefix(file, root), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, raw := range elements(t, data) {
				snap, err := decode(raw)
				if err != nil {
					t.Logf("element %d: %v", i, err)
					continue
				}
				if err := sound(raw, snap); err != nil {
					t.Fatalf("element %d: %v", i, err)
				}
				src, _ := jsonscan.Parse(raw, 0)
				if testing.Verbose() {
					t.Logf("%d: %s %d messages, %.3f of source, %+v %v", i, snap.Doc.Provider.ExportFormatVersion, len(snap.Doc.Messages),
						float64(len(snap.Doc.AppendJSON(nil)))/float64(len(src.Root().AppendCompact(nil))), snap.Loss, snap.Anomalies)
				}
			}
		})
	}
}

// images is a conversation of n messages of which each is an image and nothing else, with the keys
// in more of each image.
func images(n int, more string) string {
	var b strings.Builder
	b.WriteString(`{"title":"t","create_time":1700000000,"update_time":1700000100,"conversation_id":"c","id":"c","is_archived":false,"pinned_time":null,"mapping":{"00000000-0000-4000-8000-000000000000":{"id":"00000000-0000-4000-8000-000000000000","message":null,"parent":null}`)
	for i := 1; i <= n; i++ {
		id := func(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }
		fmt.Fprintf(&b, `,%q:{"id":%q,"message":{"author":{"role":"user","name":null,"metadata":{}},"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"sediment://file_%032x","size_bytes":31337,"width":1024,"height":768%s}]},"create_time":1700000000.5,"id":%q,"metadata":{}},"parent":%q}`,
			id(i), id(i), i, more, id(i), id(i-1))
	}
	return b.String() + "}}"
}

func TestAttachmentsOfPartsDoNotMakeADocumentMuchLarger(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  string
		want int // attachments of each message
	}{
		{"a few", images(5, ""), 1},
		{"many with little around them", images(200, ""), 0},
		{"many with much around them", images(200, `,"metadata":{"dalle":{"gen_id":"x","prompt":"`+strings.Repeat("a red fox ", 70)+`"}}`), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, m := range check(t, []byte(c.raw)).Doc.Messages {
				if len(m.Attachments) != c.want || len(m.Content.Parts) != 1 {
					t.Fatalf("message %s has %d attachments, want %d", m.ID, len(m.Attachments), c.want)
				}
			}
		})
	}
}

func equal(a, b jsonscan.Node) bool { return normalize.Equal(a, b) }
