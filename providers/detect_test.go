package providers_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importertest"
)

func open(t *testing.T, files ...string) *archive.Archive {
	t.Helper()
	return importertest.Open(t, importertest.Pack(t, importertest.Files(files...)...))
}

const chat = `[null,{},{"id":"x"},{"title":"t","mapping":{}}]`

func TestNothingRecognizedSaysWhatWasSeen(t *testing.T) {
	a := open(t, "capture.json", `{"polylogue_capture_kind":"browser_llm_session","raw_provider_payload":{"mapping":{}}}`,
		"webui.json", `[{"id":"1","user_id":"u","chat":{"history":{}}}]`, "other.json", `{"alpha":1,"beta":[]}`, "notes.txt", "hello", "page.html", "<html></html>", "list.json", `[1,2]`,
		"cut.db", "SQLite format 3\x00"+strings.Repeat("x", 24), "x.bin", "\x00\x01\x02")
	_, err := providers.Default().Detect(t.Context(), a, providers.Options{})
	var none *providers.UnrecognizedError
	if !errors.As(err, &none) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"browser capture envelope of polylogue, not an OpenAI export", "Open WebUI", "alpha, beta", "plain text (5 bytes), which --provider manual reads", "a damaged one (40 bytes)", "not JSON, not markup and not text (3 bytes)", "without a known export", "a JSON list without objects"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

func TestManyUnknownMembersAreCounted(t *testing.T) {
	var files []string
	for i := range 30 {
		files = append(files, fmt.Sprintf("f%d.json", i), `{"secret text as a key!":1}`)
	}
	_, err := providers.Default().Detect(t.Context(), open(t, files...), providers.Options{})
	if err == nil || !strings.Contains(err.Error(), "and 18 more") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestEmptyListsBelongToNobody(t *testing.T) {
	d, err := providers.Default().Detect(t.Context(), open(t, "conversations.json", "[]", "user.json", "{}"), providers.Options{})
	if err != nil || len(d.Claims) != 0 || len(d.Unclaimed) != 2 {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestElementsThatAreNoConversationsDoNotHideOneThatIs(t *testing.T) {
	d, err := providers.Default().Detect(t.Context(), open(t, "whatever.bin", chat), providers.Options{})
	if err != nil || len(d.Claims) != 1 || d.Claims[0].Importer.Version() != "chatgpt-importer/2026.12" {
		t.Fatalf("got %+v, %v", d, err)
	}
}

func TestPinnedImporter(t *testing.T) {
	a := open(t, "conversations.json", chat)
	for _, pin := range []string{"chatgpt-importer/2026.07", "chatgpt"} {
		if d, err := providers.Default().Detect(t.Context(), a, providers.Options{Importer: pin}); err != nil || len(d.Claims) != 1 {
			t.Errorf("%s: %v", pin, err)
		}
	}
	_, err := providers.Default().Detect(t.Context(), a, providers.Options{Importer: "claude"})
	if err == nil || !strings.Contains(err.Error(), "nothing that claude reads") {
		t.Errorf("the wrong importer gives %v", err)
	}
	_, err = providers.Default().Detect(t.Context(), a, providers.Options{Importer: "chatgpt-importer/1999.01"})
	if err == nil || !strings.Contains(err.Error(), "chatgpt-importer/2026.07") {
		t.Errorf("the error does not list the versions: %v", err)
	}
}

// fake is an importer of another version that claims everything.
type fake struct {
	providers.Importer
	name, version string
}

func (f fake) Name() string    { return f.name }
func (f fake) Version() string { return f.version }
func (f fake) Claim(_ context.Context, members []archive.Member, _ providers.Peeker, _ providers.Limits) (providers.Claim, error) {
	var c providers.Claim
	for _, m := range members {
		c.Members = append(c.Members, providers.ClaimedMember{Member: m})
	}
	return c, nil
}

func (fake) Split(context.Context, providers.Claim, providers.Limits) iter.Seq2[providers.Unit, error] {
	return nil
}
func (fake) Decode(providers.Unit) ([]providers.Item, error)           { return nil, nil }
func (fake) Restore(dst []byte, _ *pamio.Conversation) ([]byte, error) { return dst, nil }
func (fake) RestoreFile() string                                       { return "" }

func TestNewestVersionIsTheDefaultAndOldOnesStay(t *testing.T) {
	r := providers.NewRegistry(fake{name: "a", version: "a-importer/2025.01"}, fake{name: "a", version: "a-importer/2026.02"}, fake{name: "b", version: "b-importer/2020.01"})
	a := open(t, "x", "y")
	for pin, want := range map[string]string{"": "a-importer/2026.02", "a": "a-importer/2026.02", "a-importer/2025.01": "a-importer/2025.01", "b": "b-importer/2020.01"} {
		d, err := r.Detect(t.Context(), a, providers.Options{Importer: pin})
		if err != nil || len(d.Claims) != 1 || d.Claims[0].Importer.Version() != want {
			t.Errorf("pin %q: %+v, %v, want %s", pin, d, err, want)
		}
	}
	if imp, err := r.ByName("a"); err != nil || imp.Version() != "a-importer/2026.02" {
		t.Errorf("by name: %v", err)
	}
}
