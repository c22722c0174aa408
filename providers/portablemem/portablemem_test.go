package portablemem_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/portablemem"
)

const (
	episode = `{"id":"ep_1","eventTime":"2024-03-01T10:00:00Z","mentionTime":"2024-03-01T10:00:00Z","ingestionTime":"2024-03-01T10:00:00Z","sourceType":"note","actors":[],"summary":"","details":"Ana likes green tea.","sensitivity":"low","metadata":{},"categories":["Food & Drink"],"importance":0.5,"confidence":0.8,"lifecycleState":"COLD","extractionState":"done","accessCount":0,"pinned":false,"vaultRefs":[]}`
	gone    = `{"id":"t1","op":"delete","targetKind":"episode","targetID":"ep_9","deletedAt":"2030-06-01T00:00:00Z","actor":"u","derived":{"sentenceIDs":[],"factIDs":[],"edgeIDs":[],"entityIDs":[],"chunkIDs":[],"embeddingCacheKeys":[],"episodeLinkCount":0}}`
)

// collect writes a bundle into files below a folder.
func collect(files *[]importertest.File, folder string) func(string, func(io.Writer) error) error {
	return func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		*files = append(*files, importertest.File{Name: folder + name, Data: b.Bytes()})
		return err
	}
}

// bundle is a bundle of records, each a kind and a line.
func bundle(t testing.TB, folder string, records ...string) (files []importertest.File) {
	t.Helper()
	w := mem.NewWriter(t.TempDir())
	defer w.Close()
	for i := 0; i < len(records); i += 2 {
		if err := w.Add(records[i], []byte(records[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(collect(&files, folder), mem.WriteOptions{Generator: "peer/1", CreatedAt: "2024-05-01T00:00:00Z", Level: "L2"}); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestRecordsAreAdopted(t *testing.T) {
	files := bundle(t, "backup/my.mem/", "episode", episode, mem.Tombstone, gone, "preference", `{"key":"units","value":"metric"}`, "vendorThing", `{"x":1}`)
	r := importertest.Read(t, portablemem.New(), importer.Limits{}, append(files, importertest.File{Name: "other.txt", Data: []byte("beside")})...)
	importertest.Format{Importer: portablemem.New()}.Check(t, r)
	text := ""
	for _, rec := range r.Records() {
		if rec.Provider != "portable-memory" || rec.Kind != importer.RecordPAMMemory {
			t.Errorf("%s of %s", rec.Kind, rec.Provider)
		}
		text += string(rec.Raw) + "\n"
	}
	for _, want := range []string{`"id":"ep_1"`, `"status":"deprecated"`, `"tags":["food-drink"]`, `"id":"preference:units"`, `"content":"units: metric"`, `"custom_type":"mem_vendor_thing"`, `"valid_from":"2024-03-01T10:00:00Z"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	if strings.Contains(text, "[erased]") || len(r.Claim.Members) != len(files) || len(r.Quarantined()) > 0 {
		t.Errorf("%d members, %v: %s", len(r.Claim.Members), r.Quarantined(), text)
	}
	if said := strings.Join(r.Claim.Described, "\n"); !strings.Contains(said, "Portable Memory 1.1.0, level L2") || !strings.Contains(said, "1 tombstone was applied") {
		t.Errorf("%s", said)
	}
}

func TestAnInvalidBundleIsRefusedAsAWhole(t *testing.T) {
	files := bundle(t, "", "episode", episode)
	for i := range files {
		if files[i].Name == "items/episode.jsonl" {
			files[i].Data = bytes.Replace(files[i].Data, []byte("green"), []byte("black"), 1)
		}
	}
	c, err := portablemem.New().Claim(t.Context(), importertest.Open(t, importertest.Pack(t, files...)).Members, importertest.Peek, importer.Limits{Scratch: t.TempDir()})
	if err != nil || len(c.Refused) != len(files) || len(c.Members) != len(files) {
		t.Fatalf("%v, %+v", err, c)
	}
	for _, m := range c.Members {
		if m.Role != importer.RoleRefused {
			t.Errorf("%s is read as %s", m.Member.Name, m.Role)
		}
	}
	if first := c.Refused[0]; !strings.Contains(first.Reason, "items/episode.jsonl") || first.Hint == "" {
		t.Errorf("%+v", first)
	}
}

// A file that a bundle does not list makes it invalid. It may be an export of its own, so it is not
// refused along with the bundle.
func TestARefusedBundleLeavesOtherFilesAlone(t *testing.T) {
	files := bundle(t, "", "episode", episode)
	members := importertest.Open(t, importertest.Pack(t, append(files, importertest.File{Name: "conversations.json", Data: []byte("[]")})...)).Members
	c, err := portablemem.New().Claim(t.Context(), members, importertest.Peek, importer.Limits{Scratch: t.TempDir()})
	if err != nil || len(c.Refused) != len(files) || !strings.Contains(c.Refused[0].Reason, "conversations.json") {
		t.Fatalf("%v, %+v", err, c)
	}
	for _, m := range c.Members {
		if m.Member.Name == "conversations.json" {
			t.Error("the other file is claimed")
		}
	}
}

func TestOtherManifestsAreNotClaimed(t *testing.T) {
	for _, text := range []string{`{"name":"app","manifest_version":3}`, `{"format":1,"counts":[],"files":[]}`, `[]`} {
		r := importertest.Read(t, portablemem.New(), importer.Limits{}, importertest.File{Name: "manifest.json", Data: []byte(text)})
		if len(r.Claim.Members) > 0 {
			t.Errorf("%s is claimed", text)
		}
	}
}

// TestWhatWasPAMComesBack: a store goes out as a bundle, and comes in as it was, with its
// conversations and files.
func TestWhatWasPAMComesBack(t *testing.T) {
	const store = `{"schema":"portable-ai-memory","schema_version":"1.0","export_id":"e-1","exported_by":"x/1.0.0","export_date":"2025-03-03T10:00:00Z","owner":{"id":"o1"},"memories":[` +
		`{"id":"m1","type":"fact","status":"superseded","content":"Keeps bees","content_hash":"x","tags":[],"temporal":{"created_at":"2025-01-01T00:00:00Z","valid_until":"2025-02-01T00:00:00Z"},"provenance":{"platform":"claude","conversation_ref":"c1"}}],` +
		`"relations":[],"conversations_index":[{"id":"c1","platform":"claude","title":"Bees","temporal":{"created_at":"2025-01-01T00:00:00Z"},"storage":{"type":"file","ref":"conversations/c1.json","format":"json"}}]}`
	const conversation = `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c1","provider":{"name":"claude"},"title":"Bees","temporal":{"created_at":"2025-01-01T00:00:00Z"},"messages":[` +
		`{"id":"a","role":"user","content":{"type":"text","text":"hi"},"created_at":"2025-01-01T00:00:00Z","attachments":[{"type":"file","ref":"assets/n.txt"}]}]}`
	in, err := pamio.NewBundle(fstest.MapFS{"memory-store.json": {Data: []byte(store)}, "conversations/c1.json": {Data: []byte(conversation)}, "assets/n.txt": {Data: []byte("a note")}})
	if err != nil {
		t.Fatal(err)
	}
	var files []importertest.File
	if _, err := convert.MemFromPAM(t.Context(), in, convert.Options{Scratch: t.TempDir()}, mem.WriteOptions{Generator: "x/1", Level: "L2"}, collect(&files, "")); err != nil {
		t.Fatal(err)
	}
	r := importertest.Read(t, portablemem.New(), importer.Limits{}, files...)
	if c := r.Claim; len(c.Signatures) != 1 || c.Signatures[0].Verdict != "absent" || len(c.Exports) != 1 || c.Exports[0] != "e-1" {
		t.Errorf("%+v", r.Claim.Signatures)
	}
	found := r.Conversations()
	if len(found) != 1 || !found[0].Settled || len(found[0].Assets) != 1 || string(found[0].Assets[0].Data) != "a note" || found[0].Doc.Messages[0].Attachments[0].Ref != found[0].Assets[0].Ref {
		t.Fatalf("%+v", found)
	}
	kinds := ""
	for _, rec := range r.Records() {
		kinds += rec.Kind + " "
		if rec.Kind == importer.RecordPAMMemory && (!strings.Contains(string(rec.Raw), `"status":"superseded"`) || !strings.Contains(string(rec.Raw), `"valid_until":"2025-02-01T00:00:00Z"`) || rec.ID != "e-1") {
			t.Errorf("%s", rec.Raw)
		}
	}
	if kinds != "pam-memory pam-conversation " {
		t.Errorf("%s", kinds)
	}
}

func FuzzBundle(f *testing.F) {
	f.Add([]byte(episode), []byte(gone))
	f.Add([]byte(`{"id":"x"}`), []byte(`{`))
	f.Fuzz(func(t *testing.T, line, tombstone []byte) {
		w := mem.NewWriter(t.TempDir())
		defer w.Close()
		if w.Add("episode", line) != nil || w.Add(mem.Tombstone, tombstone) != nil || w.Add("vendorThing", bytes.ReplaceAll(line, []byte{'\n'}, nil)) != nil {
			t.Skip("no bundle holds such a record")
		}
		var files []importertest.File
		if _, err := w.Write(collect(&files, ""), mem.WriteOptions{Generator: "x/1", CreatedAt: "2024-05-01T00:00:00Z", Level: "L1"}); err != nil {
			t.Skip("no bundle is written of these records")
		}
		members := importertest.Open(t, importertest.Pack(t, files...)).Members
		limits := importer.Limits{Scratch: t.TempDir()}
		c, err := portablemem.New().Claim(t.Context(), members, importertest.Peek, limits)
		var refused *importer.RefusedError
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		for u, err := range portablemem.New().Split(t.Context(), c, limits) {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := portablemem.New().Decode(u); err != nil {
				var bad *importer.UnitError
				if !errors.As(err, &bad) {
					t.Fatal(err)
				}
			}
		}
	})
}
