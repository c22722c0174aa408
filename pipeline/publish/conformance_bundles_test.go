package publish_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
)

// object is a JSON object as any program reads it: these tests use no types of the writer.
type object = map[string]any

// written is a bundle as it lies on disk.
type written struct {
	name          string
	store         object
	embeddings    object
	conversations map[string]object // by path
	files         []string
	text          map[string]string // of JSON files
}

// writtenBundles are the bundles of one fixture for each provider, of the sample, and of a history
// with vectors, edits and a superseded memory.
func writtenBundles(t *testing.T) (all []written) {
	t.Helper()
	fixtures, err := filepath.Glob("../../providers/*/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for _, path := range append(fixtures, "../../examples/sample-export") {
		provider := filepath.Dir(path)
		if done[provider] || strings.HasSuffix(path, ".golden") || strings.HasSuffix(path, "fuzz") {
			continue
		}
		r := stagetest.New(t)
		if _, _, err := r.Import(t.Context(), r.PutDrop(t, fixtureArchive(t, path))); err != nil || r.Head(t).ConversationCount == 0 {
			continue // no export by itself
		}
		done[provider] = true
		all = append(all, readBundle(t, path, r))
	}
	if len(all) < 20 {
		t.Fatalf("only %d bundles", len(all))
	}
	all = append(all, readBundle(t, "vectors", stagetest.NewHistory(t, owner, "boats", true).Rig))
	r := stagetest.New(t)
	imported(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"memory-store.json": foreignStore})))
	return append(all, readBundle(t, "foreign", r))
}

// foreignStore is a store of another program, with what no archive gives.
const foreignStore = `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"ada"},"memories":[
{"id":"3f0c5a52-6f5e-4d0e-8d53-0b6a4a3f1c01","type":"custom","custom_type":"habit","content":"Reads at night.","content_hash":"","tags":["books"],"temporal":{"created_at":"2026-01-01T01:00:00+01:00"},
"provenance":{"platform":"gemini","extraction_method":"manual"},"confidence":{"initial":0.5,"current":0.25,"decay_model":"none"},"access":{"visibility":"shared","shared_with":[{"entity":"did:web:ann.example","permissions":["read"]}]}},
{"id":"3f0c5a52-6f5e-4d0e-8d53-0b6a4a3f1c02","type":"fact","content":"Reads at noon.","content_hash":"","status":"superseded","temporal":{"created_at":"2025-01-01T00:00:00Z","superseded_by":"3f0c5a52-6f5e-4d0e-8d53-0b6a4a3f1c01"},
"provenance":{"platform":"gemini","extraction_method":"manual"}},
{"id":"3f0c5a52-6f5e-4d0e-8d53-0b6a4a3f1c03","type":"fact","content":"Hides this.","content_hash":"","temporal":{"created_at":"2025-01-01T00:00:00Z"},
"provenance":{"platform":"gemini","extraction_method":"manual"},"access":{"exportable":false}}],
"relations":[{"id":"r1","from":"3f0c5a52-6f5e-4d0e-8d53-0b6a4a3f1c01","to":"3f0c5a52-6f5e-4d0e-8d53-0b6a4a3f1c02","type":"supersedes","created_at":"2026-01-01T00:00:00Z"},
{"id":"r2","from":"3f0c5a52-6f5e-4d0e-8d53-0b6a4a3f1c03","to":"3f0c5a52-6f5e-4d0e-8d53-0b6a4a3f1c02","type":"supports","created_at":"2026-01-01T00:00:00Z"}]}`

// readBundle writes the current store as a bundle and reads its files.
func readBundle(t *testing.T, name string, r *stagetest.Rig) written {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "bundle")
	if err := publish.CopyBundle(t.Context(), r.Store(), owner, folder, publish.CopyOptions{}); err != nil {
		t.Fatal(err)
	}
	w := written{name: name, conversations: map[string]object{}, text: map[string]string{}}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		w.files = append(w.files, path)
		if filepath.Ext(path) != ".json" || strings.HasPrefix(path, "assets/") {
			return nil
		}
		body, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			return err
		}
		w.text[path] = string(body)
		var o object
		if err := json.Unmarshal(body, &o); err != nil {
			return err
		}
		switch {
		case path == "memory-store.json":
			w.store = o
		case path == "embeddings.json":
			w.embeddings = o
		default:
			w.conversations[path] = o
		}
		return nil
	})
	if err != nil || w.store == nil {
		t.Fatalf("%s: %v", name, err)
	}
	return w
}
