package restore

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/cmd/internal/bundletest"
	"github.com/pamline/pamline/pamio"
)

// titles is an importer whose elements are the titles.
type titles struct{ fail string }

func (i titles) Restore(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	if doc.ID == i.fail {
		return append(dst, "half an elem"...), errors.New("cannot be restored")
	}
	text, err := json.Marshal(doc.Title)
	return append(dst, text...), err
}

func setup(t *testing.T, i Importer) (*pamio.Bundle, Options, string) {
	t.Helper()
	folder := t.TempDir()
	if err := bundletest.Write(folder); err != nil {
		t.Fatal(err)
	}
	b, err := pamio.OpenBundle(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	out := filepath.Join(t.TempDir(), "a", "out")
	return b, Options{Provider: "chatgpt", File: filepath.Join(out, "conversations.json"), Importer: func(string) Importer { return i }}, folder
}

func array(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return got
}

func onlyFile(t *testing.T, o Options, want int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(o.File))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != want {
		t.Errorf("%d files are left in the folder", len(entries))
	}
}

func TestTheConversationsOfAProviderInTheOrderOfTheIndex(t *testing.T) {
	b, o, _ := setup(t, titles{})
	r, err := Run(t.Context(), from(b, o))
	if err != nil {
		t.Fatal(err)
	}
	if r.Conversations != 2 || r.Folded != 1 || r.Others != 1 || r.Failed != 0 {
		t.Errorf("got %+v", r)
	}
	if got := array(t, o.File); len(got) != 2 || got[0] != "Evening tea" || !strings.HasPrefix(got[1], "Tea ") {
		t.Errorf("wrote %q", got)
	}
	onlyFile(t, o, 1)
}

func TestAFileThatIsThereStays(t *testing.T) {
	b, o, _ := setup(t, titles{})
	if err := os.MkdirAll(filepath.Dir(o.File), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.File, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), from(b, o)); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(o.File); err != nil || string(text) != "precious" {
		t.Errorf("the file is now %q, %v", text, err)
	}
	o.Replace = true
	if _, err := Run(t.Context(), from(b, o)); err != nil {
		t.Fatal(err)
	}
	array(t, o.File)
}

func TestOneThatFailsIsNamedAndItsNeighboursAreWritten(t *testing.T) {
	b, o, folder := setup(t, titles{fail: bundletest.Talk})
	r, err := Run(t.Context(), from(b, o))
	if err != nil || r.Failed != 1 || r.Missing[0].Conversation != bundletest.Talk || len(array(t, o.File)) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	// The other one's file is gone, too: nothing is left to write.
	if err := os.Remove(filepath.Join(folder, "conversations", bundletest.Folded+".json")); err != nil {
		t.Fatal(err)
	}
	o.Replace = true
	before := array(t, o.File)
	if r, err = Run(t.Context(), from(b, o)); err == nil || r.Failed != 2 {
		t.Errorf("got %+v, %v", r, err)
	}
	if after := array(t, o.File); len(after) != len(before) {
		t.Errorf("a failure replaced the file: %q", after)
	}
	onlyFile(t, o, 1)
}

func TestNothingOfThatProvider(t *testing.T) {
	b, o, _ := setup(t, titles{})
	o.Provider = "gemini"
	if _, err := Run(t.Context(), from(b, o)); err == nil || !strings.Contains(err.Error(), "no conversations of gemini") {
		t.Errorf("got %v", err)
	}
	onlyFile(t, o, 0)
}

// from gives the options the conversations of a bundle.
func from(b *pamio.Bundle, o Options) Options {
	o.Documents = Bundle(b)
	return o
}
