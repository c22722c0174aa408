package convert_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
)

const conversationText = `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c1","title":"Tea","messages":[]}`

// store is a store whose memories stand in an order of their own, with nulls and odd numbers.
const store = `{"schema":"portable-ai-memory","schema_version":"1.0","export_id":"e-1","exported_by":"other/2","export_date":"2025-03-03T10:00:00.5Z","owner":{"id":"o1","did":null},
 "memories":[
  {"id":"m2","type":"preference","custom_type":null,"status":"active","content":"Ana likes <green> tea & 茶.","content_hash":"sha256:1","summary":null,"tags":["tea"],"confidence":{"initial":0.00001,"current":1e-05,"decay_model":"none"},
   "temporal":{"created_at":"2025-03-01T10:00:00.123Z","valid_until":null},"provenance":{"platform":"claude","conversation_ref":"c1","extraction_method":"llm_inference"},"metadata":{"a":[1.50,1e22,{"z":null}]}},
  {"id":"m1","type":"custom","custom_type":"recipe","status":"retracted","content":"Boil water.","content_hash":"sha256:2","tags":[],"temporal":{"created_at":"2025-03-01T12:00:00+02:00","updated_at":"2025-03-02T10:00:00Z"},"provenance":{"platform":"chatgpt"},"access":{"visibility":"private","exportable":true}}
 ],
 "relations":[{"id":"r1","from":"m2","to":"m1","type":"supports","confidence":null,"created_at":"2025-03-01T10:00:00Z"}],
 "conversations_index":[{"id":"c1","platform":"claude","title":"Tea","temporal":{"created_at":"2025-03-01T10:00:00Z"},"storage":{"type":"file","ref":"conversations/c1.json","format":"json"},"derived_memories":["m2"]}]}`

const vectors = `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[{"id":"v1","memory_id":"m2","model":"x","dimensions":2,"created_at":"2025-03-01T10:00:00Z","vector":[0.1,-2e-9]}]}`

func bundleOf(text string) fstest.MapFS {
	return fstest.MapFS{
		"memory-store.json": {Data: []byte(text)}, "conversations/c1.json": {Data: []byte(conversationText + "\n")},
		"embeddings.json": {Data: []byte(vectors)}, "assets/a b.bin": {Data: bytes.Repeat([]byte{0, 1, 2, '\n'}, 300_000)}, "assets/empty": {},
	}
}

func collect(files fstest.MapFS) func(string, func(io.Writer) error) error {
	return func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		files[name] = &fstest.MapFile{Data: b.Bytes()}
		return err
	}
}

func toMem(t testing.TB, files fstest.MapFS, clean bool) (fstest.MapFS, *convert.Report) {
	t.Helper()
	b, err := pamio.NewBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	r, err := convert.MemFromPAM(context.Background(), b, convert.Options{Scratch: t.TempDir(), Clean: clean}, mem.WriteOptions{Generator: "test/1", Level: "L2"}, collect(out))
	if err != nil {
		t.Fatal(err)
	}
	return out, r
}

func toPAM(t testing.TB, clean bool, files ...fstest.MapFS) (fstest.MapFS, *convert.Report, mem.Merged) {
	t.Helper()
	var all []*mem.Bundle
	for _, f := range files {
		b, err := mem.New(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	out := fstest.MapFS{}
	r, m, err := convert.PAMFromMem(context.Background(), all, convert.Options{Scratch: t.TempDir(), Clean: clean, Generator: "test/1"}, mem.MergeOptions{AcceptUnsigned: true}, collect(out))
	if err != nil {
		t.Fatal(err)
	}
	return out, r, m
}

func sameJSON(t testing.TB, name string, a, b []byte) {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !reflect.DeepEqual(x, y) {
		t.Errorf("%s is not equal:\n%s\n%s", name, a, b)
	}
}

// rewritten is a .mem bundle with the lines of one stream changed.
func rewritten(t testing.TB, files fstest.MapFS, change func(kind, line string) string) fstest.MapFS {
	t.Helper()
	b, err := mem.New(files)
	if err != nil {
		t.Fatal(err)
	}
	w := mem.NewWriter(t.TempDir())
	defer w.Close()
	for _, path := range b.Streams() {
		for r, err := range b.Records(path) {
			if err != nil {
				t.Fatal(err)
			}
			if line := change(r.Kind, string(r.Line)); line != "" {
				if err := w.Add(r.Kind, []byte(line)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	out := fstest.MapFS{}
	if _, err := w.Write(collect(out), mem.WriteOptions{Generator: "peer/1", CreatedAt: "2025-05-05T00:00:00Z", Level: "L1"}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestStoreComesBackFromMem(t *testing.T) {
	t.Parallel()
	in := bundleOf(store)
	m, _ := toMem(t, in, false)
	peer := rewritten(t, m, func(_, line string) string { return line })
	out, r, _ := toPAM(t, false, peer)
	for name, f := range in {
		got, ok := out[name]
		switch {
		case !ok:
			t.Errorf("%s is missing", name)
		case strings.HasSuffix(name, ".json") && name != "conversations/c1.json":
			sameJSON(t, name, f.Data, got.Data)
		case !bytes.Equal(f.Data, got.Data):
			t.Errorf("%s differs", name)
		}
	}
	if len(r.Edits) > 0 || len(r.Losses) > 0 {
		t.Errorf("%+v", r)
	}
}

func TestEditsInMemAreLaidOverTheMemory(t *testing.T) {
	t.Parallel()
	m, _ := toMem(t, bundleOf(store), false)
	changed := rewritten(t, m, func(kind, line string) string {
		if kind == "episode" && strings.Contains(line, `"id":"m2"`) {
			line = strings.Replace(line, `"details":"Ana likes`, `"details":"Ana loves`, 1)
			line = strings.Replace(line, `"categories":["tea"]`, `"categories":["Green Tea","tea"]`, 1)
			line = strings.Replace(line, `"lifecycleState":"HOT"`, `"lifecycleState":"ARCHIVED"`, 1)
			line = strings.Replace(line, `"accessCount":0`, `"accessCount":7`, 1)
		}
		return line
	})
	out, r, _ := toPAM(t, false, changed)
	if len(r.Edits) != 1 || r.Edits[0].ID != "m2" || strings.Join(r.Edits[0].Fields, " ") != "content tags status" {
		t.Fatalf("%+v", r.Edits)
	}
	text := string(out["memory-store.json"].Data)
	for _, want := range []string{`"content":"Ana loves <green> tea & 茶."`, `"tags":["green-tea","tea"]`, `"status":"archived"`, `"a":[1.5`, pamio.ContentHash("Ana loves <green> tea & 茶.")} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}

func TestWithheldMemoriesStayOutOfMem(t *testing.T) {
	t.Parallel()
	in := bundleOf(strings.Replace(store, `"metadata":{"a"`, `"access":{"visibility":"private","exportable":false},"metadata":{"a"`, 1))
	m, r := toMem(t, in, false)
	for name, f := range m {
		if name != "items/pamConversationDoc.jsonl" && (bytes.Contains(f.Data, []byte("green")) || bytes.Contains(f.Data, []byte(`m2"`))) {
			t.Errorf("the withheld memory is in %s: %s", name, f.Data)
		}
	}
	if r.Losses["memories marked exportable: false"] != 1 {
		t.Errorf("%+v", r)
	}
}

func TestErasureReachesShadowsVectorsAndRelations(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	t.Parallel()
	m, _ := toMem(t, bundleOf(store), false)
	for op, state := range map[string]string{"delete": "retracted", "redact": "active"} {
		w := mem.NewWriter(t.TempDir())
		if err := w.Add(mem.Tombstone, []byte(`{"id":"t1","op":"`+op+`","targetKind":"episode","targetID":"m2","deletedAt":"2025-06-01T00:00:00Z","actor":"u","derived":{"sentenceIDs":[],"factIDs":[],"edgeIDs":[],"entityIDs":[],"chunkIDs":[],"embeddingCacheKeys":[],"episodeLinkCount":1}}`)); err != nil {
			t.Fatal(err)
		}
		erasing := fstest.MapFS{}
		if _, err := w.Write(collect(erasing), mem.WriteOptions{Generator: "x/1", CreatedAt: "2025-06-01T00:00:00Z", Level: "L2"}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out, _, merged := toPAM(t, false, m, erasing)
		for name, f := range out {
			for _, needle := range []string{"green", "-2e-9", `"r1"`, "1.5"} {
				if bytes.Contains(f.Data, []byte(needle)) {
					t.Errorf("%s: %s is still in %s", op, needle, name)
				}
			}
		}
		text := string(out["memory-store.json"].Data)
		if merged.Tombstones != 1 || !strings.Contains(text, `"id":"m2"`) || !strings.Contains(text, `"status":"`+state+`"`) {
			t.Errorf("%s: %+v %s", op, merged, text)
		}
		// The ledger comes back, and an older bundle resurrects nothing.
		again, _ := toMem(t, out, false)
		if !bytes.Contains(again[mem.TombstonesFile].Data, []byte(`"t1"`)) {
			t.Errorf("%s: the tombstone is gone", op)
		}
		back, _, _ := toPAM(t, false, again, m)
		if bytes.Contains(back["memory-store.json"].Data, []byte("green")) {
			t.Errorf("%s: the old bundle brought it back", op)
		}
	}
}

func TestRecordsOfEveryKindComeBackByteForByte(t *testing.T) {
	t.Parallel()
	w := mem.NewWriter(t.TempDir())
	defer w.Close()
	for kind, line := range map[string]string{
		"episode":    `{"id":"ep_1","eventTime":"2024-03-01T10:00:00Z","mentionTime":"2024-03-01T10:00:00Z","ingestionTime":"2024-03-01T10:00:00Z","sourceType":"note","actors":["ana"],"summary":"","details":"","sensitivity":"low","metadata":{"m":"v"},"categories":["Food & Drink"],"importance":3,"confidence":7,"lifecycleState":"ODD","extractionState":"done","accessCount":0,"pinned":false,"vaultRefs":[],"vendor":1e-9}`,
		"fact":       `{"id":"ep_1","episodeID":"ep_1","subject":"Ana","predicate":"drinks","object":"tea","text":"Ana drinks tea","tValidFrom":"2024-03-01T10:00:00Z","confidence":0.8,"importance":0.4,"createdAt":"2024-03-01T10:00:00Z","supersededBy":"f2","tValidTo":"2024-04-01T10:00:00Z"}`,
		"entity":     `{"id":"ent_1","type":"person","canonicalName":"Ana","aliases":[],"summary":"","sensitivity":"low","updatedAt":"2024-03-01T10:00:00Z","foreign":true}`,
		"preference": `{"key":"units","value":"metric"}`, "core": `{"id":"human","content":"Ana","charBudget":100,"version":1}`,
		"procedure": `{"id":"p","name":"brew","triggerPattern":"tea","steps":["boil"],"successCount":1,"failureCount":0,"enabled":true}`,
		"category":  `{"name":"food","description":"d"}`, "odd kind": "no JSON", "empty.Thing": `{"x":[]}`, mem.Audit: `{"ts":"2024-05-01T00:00:00Z","actor":"u1","op":"x","targetID":"y"}`,
	} {
		if err := w.Add(kind, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	in := fstest.MapFS{}
	if _, err := w.Write(collect(in), mem.WriteOptions{Generator: "peer/1", CreatedAt: "2024-05-01T00:00:00Z", Level: "L2", Key: nil}); err != nil {
		t.Fatal(err)
	}
	pam, _, _ := toPAM(t, false, in)
	out, r := toMem(t, pam, false)
	for name, f := range in {
		if out[name] == nil || !bytes.Equal(out[name].Data, f.Data) {
			t.Errorf("%s differs", name)
		}
	}
	if len(out) != len(in) || len(r.Edits) > 0 {
		t.Errorf("%d files, %+v", len(out), r)
	}
	// An edit of the PAM store is laid over the record.
	text := string(pam["memory-store.json"].Data)
	pam["memory-store.json"] = &fstest.MapFile{Data: []byte(strings.Replace(text, `"content":"Ana drinks tea"`, `"content":"Ana drinks coffee"`, 1))}
	out, r = toMem(t, pam, false)
	if len(r.Edits) != 1 || !strings.Contains(string(out["items/fact.jsonl"].Data), `"text":"Ana drinks coffee"`) || !strings.Contains(string(out["items/fact.jsonl"].Data), `"supersededBy":"f2"`) {
		t.Errorf("%+v %s", r.Edits, out["items/fact.jsonl"].Data)
	}
}

func TestCleanConversionSaysWhatItLoses(t *testing.T) {
	t.Parallel()
	m, r := toMem(t, bundleOf(store), true)
	for name := range m {
		if strings.Contains(name, "pam") || strings.Contains(string(m[name].Data), `"pam":`) {
			t.Errorf("a shadow is in %s", name)
		}
	}
	for _, what := range []string{"metadata", "embeddings", "documents of conversations", "files of messages", "fractions of seconds", "owner, export id and integrity block"} {
		if r.Losses[what] == 0 {
			t.Errorf("%s is not reported: %v", what, r.Losses)
		}
	}
	p, r, _ := toPAM(t, true, m)
	if strings.Contains(string(p["memory-store.json"].Data), `"raw"`) || len(r.Losses) == 0 {
		t.Errorf("%v", r.Losses)
	}
}

func TestPathsOfABundleCannotLeaveIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../x", "/x", "a/../../x", "memory-store.json", "c:\\x"} {
		w := mem.NewWriter(t.TempDir())
		line, err := json.Marshal(map[string]any{"path": name, "n": 0, "data": ""})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add("pamFile", line); err != nil {
			t.Fatal(err)
		}
		files := fstest.MapFS{}
		if _, err := w.Write(collect(files), mem.WriteOptions{Generator: "x/1", CreatedAt: "2024-05-01T00:00:00Z", Level: "L0"}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := mem.New(files)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := convert.PAMFromMem(context.Background(), []*mem.Bundle{b}, convert.Options{Scratch: t.TempDir()}, mem.MergeOptions{}, collect(fstest.MapFS{})); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}

func TestPublishedSampleComesBackByteForByte(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "shared", "vectors", "mem", "sample.mem")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the published sample is not here")
	}
	b, err := mem.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	pam := fstest.MapFS{}
	if _, _, err := convert.PAMFromMem(context.Background(), []*mem.Bundle{b}, convert.Options{Scratch: t.TempDir(), Generator: "test/1"}, mem.MergeOptions{}, collect(pam)); err != nil {
		t.Fatal(err)
	}
	out, _ := toMem(t, pam, false)
	for name, f := range out {
		want, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(want, f.Data) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}

func TestOutputThatTakesTheStoreAloneEnds(t *testing.T) {
	t.Parallel()
	m, _ := toMem(t, bundleOf(store), false)
	b, err := mem.New(m)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	_, _, err = convert.PAMFromMem(context.Background(), []*mem.Bundle{b}, convert.Options{Scratch: t.TempDir()}, mem.MergeOptions{}, func(name string, write func(io.Writer) error) error {
		if name != pamio.StoreFile {
			return nil
		}
		return write(&text)
	})
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "the store", []byte(store), text.Bytes())
}
