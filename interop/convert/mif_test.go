package convert_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio"
)

var today = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func toMIF(t testing.TB, files fstest.MapFS, clean bool) ([]byte, *convert.Report) {
	t.Helper()
	b, err := pamio.NewBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r, err := convert.MIFFromPAM(context.Background(), b, convert.Options{Scratch: t.TempDir(), Clean: clean}, &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), r
}

func fromMIF(t testing.TB, text []byte) (fstest.MapFS, *convert.Report, error) {
	t.Helper()
	d, err := mif.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	r, err := convert.PAMFromMIF(context.Background(), d, today, convert.Options{Scratch: t.TempDir(), Generator: "test/1"}, collect(out))
	return out, r, err
}

const document = `{"mif_version":"1.0","x_vendor":{"n":1.50},"export":{"id":"exp_a1","created_at":"2026-01-03T10:45:00Z","user_id":"ana"},
"memories":[{"id":"mem_bb","content":"Ana plays chess.","type":"CodeEdit","created_at":"2026-01-02T10:00:00.123Z","tags":["Board Games"],"x":null,"relations":{"related_memories":["mem_aa"]}},
 {"id":"mem_aa","content":"Ana likes tea.","type":"Pattern","created_at":"2026-01-02T10:00:00Z","importance":0.50}],
"todos":[{"id":"todo_cc","content":"Buy tea.","status":"done","created_at":"2026-01-02T10:00:00Z","due_date":null}],
"graph":{"format":"adjacency_list","nodes":[{"id":"entity:Tea","type":"entity"}],"edges":[]}}`

const second = `{"mif_version":"2.0","generator":{},"export_meta":{"id":"e","created_at":"2026-01-03T10:45:00Z","user_id":"ana"},
"memories":[{"id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","content":"Ana likes tea.","memory_type":"observation","created_at":"2026-01-02T10:00:00Z","metadata":{"k":"v"}}],
"projects":[{"id":"p1","name":"Tea house"}],"reminders":[{"id":"r1","content":"water"}],"knowledge_graph":{"entities":[]},"vendor_extensions":{"x":[1]}}`

func TestStoreComesBackFromMIF(t *testing.T) {
	t.Parallel()
	in := bundleOf(store)
	text, r := toMIF(t, in, false)
	if i := bytes.Index(text, []byte(`"mif_version":"1.0"`)); i < 0 || i > 300 {
		t.Errorf("the version stands at byte %d, where nobody looks for it in a large document", i)
	}
	if r.Losses["files of messages"] != 2 || len(r.Losses) != 1 {
		t.Errorf("%v", r.Losses)
	}
	out, r, err := fromMIF(t, text)
	if err != nil || len(r.Edits) > 0 {
		t.Fatal(err, r)
	}
	sameJSON(t, "the store", in["memory-store.json"].Data, out["memory-store.json"].Data)
	sameJSON(t, "the embeddings", in["embeddings.json"].Data, out["embeddings.json"].Data)
	if !bytes.Equal(out["conversations/c1.json"].Data, in["conversations/c1.json"].Data) {
		t.Error("the conversation differs")
	}
	edited := bytes.Replace(text, []byte(`"tags":["tea"]`), []byte(`"tags":["coffee"]`), 1)
	out, r, err = fromMIF(t, bytes.Replace(edited, []byte("x_checksum_profile"), []byte("x_other"), 1))
	if err != nil || len(r.Edits) != 1 || r.Edits[0].Fields[0] != "tags" || !strings.Contains(string(out["memory-store.json"].Data), `"tags":["coffee"]`) {
		t.Errorf("%v %+v", err, r)
	}
	if _, _, err := fromMIF(t, edited); err == nil {
		t.Error("a document that was changed under its checksum is converted")
	}
}

// TestDocumentsOfConversationsComeBackFromAnotherWriter: the file of a conversation has its digest
// in its name, and so it must come back byte for byte when another program has written the JSON
// again.
func TestDocumentsOfConversationsComeBackFromAnotherWriter(t *testing.T) {
	t.Parallel()
	in := bundleOf(store)
	text, _ := toMIF(t, in, false)
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	out, r, err := fromMIF(t, again)
	if err != nil || len(r.Edits) > 0 {
		t.Fatal(err, r)
	}
	if !bytes.Equal(out["conversations/c1.json"].Data, in["conversations/c1.json"].Data) {
		t.Errorf("%s", out["conversations/c1.json"].Data)
	}
	sameJSON(t, "the store", in["memory-store.json"].Data, out["memory-store.json"].Data)
}

func TestMIFDocumentsComeBack(t *testing.T) {
	t.Parallel()
	published := filepath.Join("..", "..", "..", "shared", "schemas", "mif", "example.mif.json")
	texts := []string{document, second}
	if text, err := os.ReadFile(published); err == nil {
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		pam, _, err := fromMIF(t, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		back, r := toMIF(t, pam, false)
		sameJSON(t, "the document", []byte(text), back)
		if len(r.Edits) > 0 {
			t.Errorf("%+v", r.Edits)
		}
	}
}

func TestEditsOfAStoreAreLaidOverTheMIFRecord(t *testing.T) {
	t.Parallel()
	pam, _, err := fromMIF(t, []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(pam["memory-store.json"].Data, []byte(`"content":"Ana likes tea."`), []byte(`"content":"Ana likes mate."`), 1)
	pam["memory-store.json"] = &fstest.MapFile{Data: changed}
	back, r := toMIF(t, pam, false)
	if len(r.Edits) != 1 || r.Edits[0].ID != "mem_aa" || !bytes.Contains(back, []byte(`"content":"Ana likes mate."`)) || !bytes.Contains(back, []byte(`"importance":0.5`)) {
		t.Errorf("%+v %s", r.Edits, back)
	}
}

func TestConsentIsEnforced(t *testing.T) {
	t.Parallel()
	with := func(consent string) []byte {
		return []byte(strings.Replace(document, `"x_vendor"`, `"consent":`+consent+`,"x_vendor"`, 1))
	}
	pam, _, err := fromMIF(t, with(`{"sharing_allowed":false}`))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(pam["memory-store.json"].Data); strings.Contains(text, `"exportable":true`) || strings.Count(text, `"exportable":false`) != 4 {
		t.Errorf("%s", text)
	}
	if back, _ := toMIF(t, pam, false); bytes.Contains(back, []byte("tea")) {
		t.Errorf("what must not be shared is given on: %s", back)
	}
	pam, _, err = fromMIF(t, with(`{"retention_days":365,"timestamp":"2026-01-01T00:00:00Z"}`))
	if err != nil || !bytes.Contains(pam["memory-store.json"].Data, []byte(`"valid_until":"2027-01-01T00:00:00Z"`)) {
		t.Errorf("%v %s", err, pam["memory-store.json"].Data)
	}
	if _, _, err := fromMIF(t, with(`{"retention_days":30,"timestamp":"2026-01-01T00:00:00Z"}`)); err == nil {
		t.Error("memories whose consent has ended are converted")
	}
}

func TestCleanMIFHasNoShadows(t *testing.T) {
	t.Parallel()
	text, r := toMIF(t, bundleOf(store), true)
	if bytes.Contains(text, []byte("x_pam")) || r.Losses["relations"] != 1 || r.Losses["embeddings"] != 1 {
		t.Errorf("%v %s", r.Losses, text)
	}
}

func TestRedactionSaysWhereItWas(t *testing.T) {
	t.Parallel()
	in := bundleOf(strings.Replace(store, "Ana likes <green> tea & 茶.", "茶: write to ana@example.org", 1))
	b, err := pamio.NewBundle(in)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r, err := convert.MIFFromPAM(context.Background(), b, convert.Options{Scratch: t.TempDir(), Clean: true, Redact: true}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "ana@") || !strings.Contains(text, `"content":"茶: write to [email]","`) || !strings.Contains(text, `"redactions":[{"type":"email","original_length":15,"position":[12,19]}]`) || r.Losses["redacted email"] != 1 {
		t.Errorf("%v %s", r.Losses, text)
	}
}
