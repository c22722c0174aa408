package exchange

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/validate"
)

// secret is planted in each member that stripping removes.
const secret = "PLANTED"

// planted is a bundle in which every identifier has the secret in it, and no text has.
func planted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, text []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := func(name string) string { return secret + "-" + name }
	memory := func(name, content, more string) string {
		return fmt.Sprintf(`{"id":%q,"type":"fact","status":"active","content":%q,"content_hash":%q,"tags":["boats"],"summary":"kept summary",`+
			`"confidence":{"initial":0.5,"current":0.5},"provenance":{"platform":"chatgpt","platform_user_id":%q,"conversation_ref":%q,"message_ref":%q},`+
			`"access":{"visibility":"shared","exportable":true,"shared_with":[{"entity":%q,"permissions":["read"]}]},`+
			`"metadata":{"language":"en","evidence_count":2,"evidence":[{"quote":%q,"member":%q,"conversation":%q}],"slot":{"value":%q},"inferred":%q,%q:1},`+
			`"temporal":{"created_at":"2024-01-01T00:00:00Z"%s},"embedding_ref":%q}`,
			id(name), content, pamio.ContentHash(content), id("user"), id("c"), id("m2"), id("entity"), id("quote"), id("file.json"), id("c"), id("value"), id("bool"), id("key"),
			more, id("e-"+name))
	}
	store := `{"schema":"portable-ai-memory","schema_version":"1.0","export_id":"` + id("export") + `","export_date":"2024-02-01T00:00:00Z","exported_by":"test/1.0.0",` +
		`"owner":{"id":"` + id("owner") + `","did":"did:web:` + id("did") + `","created_at":"2020-01-01T00:00:00Z"},"memories":[` +
		memory("a", "Rows at dawn.", `,"superseded_by":"`+id("b")+`"`) + "," + memory("b", "Rows at noon.", "") + `],` +
		`"relations":[{"id":"` + id("r") + `","from":"` + id("b") + `","to":"` + id("a") + `","type":"supersedes","created_at":"2024-01-01T00:00:00Z"}],` +
		`"conversations_index":[{"id":"` + id("c") + `","platform":"chatgpt","title":"Kept title","message_count":2,"temporal":{"created_at":"2024-01-01T00:00:00Z"},` +
		`"derived_memories":["` + id("a") + `","` + id("b") + `"],"storage":{"type":"file","ref":"conversations/` + id("c") + `.json"}},` +
		`{"id":"` + id("c2") + `","platform":"claude","temporal":{"created_at":"2024-01-01T00:00:00Z"},"storage":{"type":"uri","ref":"https://example.org/` + id("place") + `"}}]}`
	write(pamio.StoreFile, []byte(store))
	vector := func(name string) string {
		return `{"id":"` + id("e-"+name) + `","memory_id":"` + id(name) + `","model":"m","dimensions":2,"created_at":"2024-01-01T00:00:00Z","vector":[0.5,1],` +
			`"storage":{"type":"file","ref":"` + id("vectors") + `"}}`
	}
	write(pamio.EmbeddingsFile, []byte(`{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[`+vector("b")+","+vector("a")+`]}`))
	raw := `"raw_metadata":{"` + id("raw") + `":{"deep":["` + id("raw value") + `"]}}`
	write("conversations/"+id("c")+".json", []byte(`{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"`+id("c")+`",`+
		`"provider":{"name":"chatgpt","conversation_id":"`+id("provider")+`","account_id":"`+id("account")+`"},"title":"Kept title","temporal":{"created_at":"2024-01-01T00:00:00Z"},`+
		`"participants":[{"role":"user","name":"`+id("name")+`","provider_id":"`+id("p")+`"}],`+raw+`,`+
		`"import_metadata":{"importer":"test/1.0.0","importer_version":"test-importer/2026.01","source_file":"`+id("source")+`","source_checksum":"sha256:`+strings.Repeat("a", 64)+`"},`+
		`"messages":[{"id":"`+id("m1")+`","provider_message_id":"`+id("pm")+`","role":"user","created_at":"2024-01-01T00:00:00Z","children_ids":["`+id("m2")+`"],`+raw+`,`+
		`"content":{"type":"multipart","parts":[{"type":"text","text":"Kept text."},{"type":"image","ref":"assets/`+id("photo.PNG")+`"},{"type":"image","ref":"https://example.org/`+id("url")+`"}]},`+
		`"attachments":[{"type":"image","name":"`+id("photo")+`","ref":"assets/`+id("photo.PNG")+`","provider_id":"`+id("file")+`","size_bytes":4}]},`+
		`{"id":"`+id("m2")+`","role":"assistant","created_at":"2024-01-01T00:00:01Z","parent_id":"`+id("m1")+`","content":{"type":"text","text":"Kept answer."},`+
		`"tool_calls":[{"id":"`+id("call")+`","name":"browse","input":{"query":"kept query"}}],`+
		`"citations":[{"title":"`+id("doc")+`","url":"file:///`+id("doc")+`"},{"title":"Kept page","url":"https://example.org/kept"}]}]}`))
	write("assets/"+id("photo.PNG"), []byte("data"))
	write("assets/"+id("unused.txt"), []byte("unused"))
	return dir
}

// strippedTo strips the bundle and gives all files by their names.
func strippedTo(t *testing.T, bundle string, key []byte) map[string][]byte {
	t.Helper()
	to := filepath.Join(t.TempDir(), "out")
	o := Options{Scratch: t.TempDir(), To: to}
	assets, err := Stripped(o, key, func(o Options) error {
		_, err := Merge(o, bundle)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	err = filepath.WalkDir(to, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(to, path)
			files[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if assets != 1 {
		t.Errorf("%d assets, want 1", assets)
	}
	target, closer, err := validate.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	report, err := validate.Run(t.Context(), target, validate.Options{OnFinding: func(f validate.Finding) {
		if f.Severity == validate.Error {
			t.Errorf("finding: %s", f)
		}
	}})
	if err = errors.Join(err, closer.Close()); err != nil || report.Verdict() != 0 {
		t.Errorf("the stripped bundle is not valid: %v", err)
	}
	return files
}

func TestStrippedBundleHasNoIdentifierAndAllTexts(t *testing.T) {
	files := strippedTo(t, planted(t), []byte("a secret of the test"))
	var all bytes.Buffer
	for name, text := range files {
		if strings.Contains(name, secret) {
			t.Errorf("a file is named %s", name)
		}
		for _, found := range regexp.MustCompile(`.{0,60}`+secret+`.{0,20}`).FindAll(text, -1) {
			t.Errorf("%s has %s", name, found)
		}
		all.Write(text)
	}
	for _, kept := range []string{
		"Rows at dawn.", "Rows at noon.", "kept summary", "Kept title", "Kept text.", "Kept answer.", "Kept page", "kept query", `"language":"en"`, `"evidence_count":2`,
		`"visibility":"shared"`, `"size_bytes":4`, `"model":"m"`,
	} {
		if !strings.Contains(all.String(), kept) {
			t.Errorf("%q is gone", kept)
		}
	}
	asset := fmt.Sprintf("assets/%x.png", sha256.Sum256([]byte("data")))
	if string(files[asset]) != "data" {
		t.Errorf("there is no %s", asset)
	}
}

func TestPseudonymsAreConsistent(t *testing.T) {
	files := strippedTo(t, planted(t), []byte("a secret of the test"))
	var store struct {
		Memories  []pamio.Memory
		Relations []pamio.Relation
		Index     []pamio.IndexEntry `json:"conversations_index"`
	}
	if err := json.Unmarshal(files[pamio.StoreFile], &store); err != nil {
		t.Fatal(err)
	}
	by := map[string]pamio.Memory{}
	for _, m := range store.Memories {
		by[m.Content] = m
	}
	a, b := by["Rows at dawn."], by["Rows at noon."]
	if r := store.Relations[0]; a.Temporal.SupersededBy != b.ID || r.From != b.ID || r.To != a.ID {
		t.Errorf("references of %+v and %+v do not hold: %+v", a, b, r)
	}
	for _, e := range store.Index {
		if e.Title == nil {
			if e.Storage != nil {
				t.Error("a place elsewhere is kept")
			}
			continue
		}
		c, err := pamio.ParseConversation(files[e.Storage.Ref])
		if err != nil {
			t.Fatal(err)
		}
		if c.ID != e.ID || a.Provenance.ConversationRef != c.ID || a.Provenance.MessageRef != c.Messages[1].ID || c.Messages[1].ParentID != c.Messages[0].ID {
			t.Errorf("the conversation is %s with %+v; the memory refers to %+v", c.ID, c.Messages, a.Provenance)
		}
	}
	again := strippedTo(t, planted(t), []byte("a secret of the test"))
	if !bytes.Equal(files[pamio.StoreFile], again[pamio.StoreFile]) {
		t.Error("the same key gives other pseudonyms")
	}
	other := strippedTo(t, planted(t), []byte("another secret"))
	if bytes.Contains(other[pamio.StoreFile], []byte(a.ID)) {
		t.Error("another key gives the same pseudonyms")
	}
}
