package chatgpt_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

func decodeUnit(u importer.Unit) ([]importer.Item, error) { return chatgpt.New().Decode(u) }

// FuzzDecode holds for any bytes: an element is either quarantined with a reason, or its document
// is sound, accounts for every leaf and gives the element back.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, raw := range elements(f, data) {
			f.Add(raw)
		}
	}
	for seed := range uint64(20) {
		f.Add([]byte((&hostile{r: rand.New(rand.NewPCG(seed, 5))}).element()))
	}
	f.Add([]byte(`{"id":"a","mapping":{"a":{"message":{"content":{"parts":["\ud800"]}}},"a":{}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		snap, err := decode(raw)
		if err != nil {
			var bad *importer.UnitError
			if !errors.As(err, &bad) || bad.Code == "" || bad.Reason == "" {
				t.Fatalf("not a reasoned refusal: %v", err)
			}
			return
		}
		if err := snap.Doc.Check(); err != nil {
			t.Fatalf("the document is not sound: %v", err)
		}
		back, err := chatgpt.New().Restore(nil, snap.Doc)
		if err != nil {
			t.Fatal(err)
		}
		src, err := jsonscan.Parse(raw, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := jsonscan.Parse(back, 0)
		if err != nil {
			t.Fatalf("restored: %v", err)
		}
		if !equal(src.Root(), got.Root()) {
			t.Fatalf("differs at %s", importertest.Difference(src.Root(), got.Root(), ""))
		}
	})
}

// FuzzTask holds the same for the Codex cloud tasks.
func FuzzTask(f *testing.F) {
	f.Add([]byte(`{"id":"task_e_1","title":"T","turns":[{"id":"task_e_1~usertrn_e_1","role":"user","input_items":[{"type":"message","content":[{"content_type":"text","text":"x"}]}]},{"id":"2","role":"assistant","output_items":[{"content":[{"content_type":"text","text":"y"},{"content_type":"repo_file_citation","path":"p"}]}]}]}`))
	f.Add([]byte(`{"id":1,"turns":[null,{"role":"wizard"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "tasks"}, raw) })
}
