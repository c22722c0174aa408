package convert_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pamline/pamline/interop/mem"
)

// published compiles a published schema, or skips the test if it is not beside the repository.
func published(t *testing.T, parts ...string) *jsonschema.Schema {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared", "schemas"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published schemas are not beside this repository")
	}
	s, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func accept(t *testing.T, s *jsonschema.Schema, name string, text []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestPublishedSchemasAcceptWhatIsWritten: every record of every native kind, the manifest, and MIF
// documents with and without shadows.
func TestPublishedSchemasAcceptWhatIsWritten(t *testing.T) {
	t.Parallel()
	manifest := published(t, "mem", "manifest.schema.json")
	checked := 0
	bundle := func(files fstest.MapFS) {
		accept(t, manifest, "manifest.json", files["manifest.json"].Data)
		for name, f := range files {
			kind := strings.TrimSuffix(filepath.Base(name), ".jsonl")
			if other := map[string]string{"tombstones": "tombstone", "edges": "edge"}[kind]; other != "" {
				kind = other
			}
			path := filepath.Join("..", "..", "..", "shared", "schemas", "mem", kind+".schema.json")
			if _, err := os.Stat(path); err != nil || !strings.HasSuffix(name, ".jsonl") {
				continue
			}
			s := published(t, "mem", kind+".schema.json")
			for line := range bytes.Lines(f.Data) {
				accept(t, s, name, line)
				checked++
			}
		}
	}
	for _, clean := range []bool{false, true} {
		m, _ := toMem(t, bundleOf(store), clean)
		bundle(m)
		text, _ := toMIF(t, bundleOf(store), clean)
		accept(t, published(t, "mif", "mif-v1.schema.json"), "MIF", text)
	}
	bundle(evidence(t, bundleOf(store), nil))
	old, _ := toMem(t, bundleOf(store), false)
	next, _ := since(t, cut(t), old, erased{"m2": true, "c1": true})
	bundle(next)
	pam, _, _ := toPAM(t, false, bundleOfRecords(t, recordsOfAllKinds))
	again, _ := toMem(t, pam, false)
	bundle(again)
	if len(recordsOfAllKinds) != len(mem.Kinds()) || checked < 4+5+len(recordsOfAllKinds) {
		t.Errorf("%d records were checked", checked)
	}
}

// recordsOfAllKinds has a record of every native kind.
var recordsOfAllKinds = map[string]string{
	"context": `{"id":"ctx_1","label":"kitchen","archived":false,"createdAt":"2024-03-01T10:00:00Z"}`, "category": `{"name":"food","description":"what is eaten"}`,
	"preference": `{"key":"units","value":"metric"}`, "core": `{"id":"human","content":"Ana","charBudget":100,"version":1}`,
	"entity":      `{"id":"ent_1","type":"person","canonicalName":"Ana","aliases":[],"summary":"","sensitivity":"low","updatedAt":"2024-03-01T10:00:00Z"}`,
	"episode":     `{"id":"ep_1","eventTime":"2024-03-01T10:00:00Z","mentionTime":"2024-03-01T10:00:00Z","ingestionTime":"2024-03-01T10:00:00Z","sourceType":"note","actors":["ana"],"summary":"","details":"Tea.","sensitivity":"low","metadata":{},"categories":[],"importance":0.5,"confidence":0.7,"lifecycleState":"HOT","extractionState":"done","accessCount":0,"pinned":false,"vaultRefs":[]}`,
	"resource":    `{"id":"res_1","uri":"file:a.txt","mimeType":"text/plain","contentHash":"00","title":"a","summary":"s","created":"2024-03-01T10:00:00Z","modified":"2024-03-01T10:00:00Z"}`,
	"chunk":       `{"id":"chk_1","resourceID":"res_1","position":0,"text":"tea list","sensitivity":"low"}`,
	"edge":        `{"id":"edge_1","srcEntityID":"ent_1","dstEntityID":"ent_2","edgeType":"knows","tValidFrom":"2024-03-01T10:00:00Z","ingestionTime":"2024-03-01T10:00:00Z","confidence":0.9,"evidenceEpisodeIDs":["ep_1"]}`,
	"fact":        `{"id":"fact_1","episodeID":"ep_1","subject":"Ana","predicate":"drinks","object":"tea","text":"Ana drinks tea","tValidFrom":"2024-03-01T10:00:00Z","confidence":0.8,"importance":0.4,"createdAt":"2024-03-01T10:00:00Z"}`,
	"factLink":    `{"srcFactID":"fact_1","dstFactID":"fact_2","linkType":"refines","createdAt":"2024-03-01T10:00:00Z"}`,
	"episodeLink": `{"srcEpisodeID":"ep_1","dstEpisodeID":"ep_2","linkType":"related_to","weight":0.5}`,
	"procedure":   `{"id":"proc_1","name":"brew","triggerPattern":"tea","steps":["boil"],"successCount":1,"failureCount":0,"enabled":true}`,
	"community":   `{"id":"com_1","label":"friends","summary":"s","memberEntityIDs":["ent_1"]}`,
	"secretRef":   `{"id":"sec_1","label":"mail","sensitivity":"high","category":"login","preview":"**","encryptionMetadata":"vault","createdAt":"2024-03-01T10:00:00Z"}`,
}

func bundleOfRecords(t testing.TB, records map[string]string) fstest.MapFS {
	t.Helper()
	w := mem.NewWriter(t.TempDir())
	defer w.Close()
	for kind, line := range records {
		if err := w.Add(kind, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	out := fstest.MapFS{}
	if _, err := w.Write(collect(out), mem.WriteOptions{Generator: "peer/1", CreatedAt: "2024-05-01T00:00:00Z", Level: "L2"}); err != nil {
		t.Fatal(err)
	}
	return out
}
