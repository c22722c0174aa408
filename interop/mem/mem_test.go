package mem_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/interop/mem"
)

// rows has a record of every native kind, by kind.
var rows = map[string]string{
	"episode":     `{"id":"ep_1","eventTime":"2024-03-01T10:00:00Z","mentionTime":"2024-03-01T10:00:00Z","ingestionTime":"2024-03-01T10:00:00Z","sourceType":"note","actors":["ana"],"summary":"tea","details":"Ana drinks green tea.","sensitivity":"low","metadata":{"m":"v"},"categories":["food"],"importance":0.5,"confidence":0.7,"lifecycleState":"HOT","extractionState":"done","accessCount":0,"pinned":false,"vaultRefs":[],"contextID":"ctx_1","vendorField":{"b":1,"a":[1.0]}}`,
	"entity":      `{"id":"ent_1","type":"person","canonicalName":"Ana","aliases":["A"],"summary":"","sensitivity":"low","updatedAt":"2024-03-01T10:00:00Z","foreign":true}`,
	"edge":        `{"id":"edge_1","srcEntityID":"ent_1","dstEntityID":"ent_2","edgeType":"knows","tValidFrom":"2024-03-01T10:00:00Z","ingestionTime":"2024-03-01T10:00:00Z","confidence":0.9,"evidenceEpisodeIDs":["ep_1"]}`,
	"fact":        `{"id":"fact_1","episodeID":"ep_1","subject":"Ana","predicate":"drinks","object":"tea","text":"Ana drinks tea","tValidFrom":"2024-03-01T10:00:00Z","confidence":0.8,"importance":0.4,"createdAt":"2024-03-01T10:00:00Z"}`,
	"factLink":    `{"srcFactID":"fact_1","dstFactID":"fact_2","linkType":"refines","createdAt":"2024-03-01T10:00:00Z"}`,
	"episodeLink": `{"srcEpisodeID":"ep_1","dstEpisodeID":"ep_2","linkType":"related_to","weight":0.5}`,
	"resource":    `{"id":"res_1","uri":"file:a.txt","mimeType":"text/plain","contentHash":"sha256:00","title":"a","summary":"s","created":"2024-03-01T10:00:00Z","modified":"2024-03-01T10:00:00Z"}`,
	"chunk":       `{"id":"chk_1","resourceID":"res_1","position":0,"text":"tea list","sensitivity":"low"}`,
	"core":        `{"id":"human","content":"Ana","charBudget":100,"version":1}`,
	"procedure":   `{"id":"proc_1","name":"brew","triggerPattern":"tea","steps":["boil"],"successCount":1,"failureCount":0,"enabled":true}`,
	"context":     `{"id":"ctx_1","label":"kitchen","archived":false,"createdAt":"2024-03-01T10:00:00Z"}`,
	"community":   `{"id":"com_1","label":"friends","summary":"s","memberEntityIDs":["ent_1"]}`,
	"category":    `{"name":"food","description":"what is eaten"}`,
	"preference":  `{"key":"units","value":"metric"}`,
	"secretRef":   `{"id":"sec_1","label":"mail","sensitivity":"high","category":"login","preview":"**","encryptionMetadata":"vault","createdAt":"2024-03-01T10:00:00Z"}`,
	"vendorThing": `  {"id":"vt_1" , "x":1e-9}  `,
}

func tombstone(id, op, kind, target, derived string) string {
	all := map[string]any{"sentenceIDs": []string{}, "factIDs": []string{}, "edgeIDs": []string{}, "entityIDs": []string{}, "chunkIDs": []string{}, "embeddingCacheKeys": []string{}, "episodeLinkCount": 0}
	for part := range strings.FieldsSeq(derived) {
		field, value, _ := strings.Cut(part, "=")
		all[field] = []string{value}
	}
	text, err := json.Marshal(map[string]any{"id": id, "op": op, "targetKind": kind, "targetID": target, "deletedAt": "2024-05-01T00:00:00Z", "actor": "u1", "derived": all})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func build(t testing.TB, o mem.WriteOptions, records ...[2]string) fstest.MapFS {
	t.Helper()
	w := mem.NewWriter(t.TempDir())
	defer w.Close()
	for _, r := range records {
		if err := w.Add(r[0], []byte(r[1])); err != nil {
			t.Fatal(err)
		}
	}
	return written(t, w, o)
}

func written(t testing.TB, w *mem.Writer, o mem.WriteOptions) fstest.MapFS {
	t.Helper()
	if o.Generator == "" {
		o.Generator, o.CreatedAt, o.Level = "test/1", "2024-06-01T00:00:00Z", "L2"
	}
	files := fstest.MapFS{}
	_, err := w.Write(func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		files[name] = &fstest.MapFile{}
		err := write(&b)
		files[name].Data = b.Bytes()
		return err
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func everything() (all [][2]string) {
	for kind, line := range rows {
		all = append(all, [2]string{kind, line})
	}
	return all
}

func open(t testing.TB, files fs.FS) *mem.Bundle {
	t.Helper()
	b, err := mem.New(files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func check(t testing.TB, b *mem.Bundle, trusted ...ed25519.PublicKey) (mem.Report, []string) {
	t.Helper()
	var found []string
	r, err := b.Check(context.Background(), mem.CheckOptions{Trusted: trusted, Scratch: t.TempDir(), OnFinding: func(f mem.Finding) { found = append(found, f.ID) }})
	if err != nil {
		t.Fatal(err)
	}
	return r, found
}

// merged is what a merge writes, by path.
func merged(t testing.TB, o mem.MergeOptions, bundles ...fs.FS) (map[string]string, mem.Merged) {
	t.Helper()
	w := mem.NewWriter(t.TempDir())
	defer w.Close()
	var all []*mem.Bundle
	for _, b := range bundles {
		all = append(all, open(t, b))
	}
	o.Scratch = t.TempDir()
	m, err := mem.Merge(context.Background(), all, o, w.Add, w.KeepOrder)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, f := range written(t, w, mem.WriteOptions{}) {
		out[name] = string(f.Data)
	}
	return out, m
}

func TestCanonicalFormOfNumbersStringsAndKeys(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`{"a":1.0}`: `{"a":1}`, `{"a":-0.0}`: `{"a":0}`, `{"a":-0}`: `{"a":0}`, `{"a":1e-5}`: `{"a":1e-05}`, `{"a":0.0001}`: `{"a":0.0001}`,
		`{"a":1e16}`: `{"a":1e+16}`, `{"a":9999999999999998.0}`: `{"a":9999999999999998}`, `{"a":18446744073709551615}`: `{"a":18446744073709551615}`,
		`{"a":-9223372036854775808}`: `{"a":-9223372036854775808}`, `{"a":1.5e20}`: `{"a":1.5e+20}`, `{"a":2.50}`: `{"a":2.5}`,
		`{"\ud83d\ude00":1,"\uffee":2}`: "{\"\uffee\":2,\"\U0001F600\":1}", // by code point, not by UTF-16
		`{"s":"\u007f\u2028\/\u000b"}`:  "{\"s\":\"\u007f\u2028/\\u000b\"}",
	} {
		got, err := mem.Canonicalize([]byte(src))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", src, got, err, want)
		}
	}
	for _, src := range []string{`{"a":NaN}`, `{"a":Infinity}`, `{"a":1e999}`, `{"a":"\ud800"}`, `{"a":1,"a":2}`, strings.Repeat("[", 100000)} {
		if _, err := mem.Canonicalize([]byte(src)); err == nil {
			t.Errorf("%.20s has a canonical form", src)
		}
	}
}

func TestPublishedVectors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "vectors", "mem", "canonical-json.json"))
	if err != nil {
		t.Skip("the published vectors are not here")
	}
	var file struct {
		Vectors []struct {
			Name, Canonical, SHA256 string
			Input                   json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Vectors {
		got, err := mem.Canonicalize(v.Input)
		sum := sha256.Sum256(got)
		if err != nil || string(got) != v.Canonical || hex.EncodeToString(sum[:]) != v.SHA256 {
			t.Errorf("%s: %s, %v", v.Name, got, err)
		}
	}
	if len(file.Vectors) != 26 {
		t.Errorf("%d vectors", len(file.Vectors))
	}
}

func TestWrittenBundleOfAllKindsIsValid(t *testing.T) {
	t.Parallel()
	files := build(t, mem.WriteOptions{}, append(everything(), [2]string{mem.Tombstone, tombstone("t1", "delete", "episode", "ep_9", "")},
		[2]string{mem.Audit, `{"ts":"2024-05-01T00:00:00Z","actor":"u1","op":"delete","targetID":"ep_9"}`}, [2]string{mem.ProvenanceEdge, rows["edge"]})...)
	r, found := check(t, open(t, files))
	if len(found) > 0 || r.Counts["episode"] != 1 || r.Counts["vendorThing"] != 1 || r.Counts[mem.Tombstone] != 1 {
		t.Fatalf("%v %+v", found, r)
	}
	if got := string(files["items/vendorThing.jsonl"].Data); got != rows["vendorThing"]+"\n" {
		t.Errorf("the foreign line became %q", got)
	}
	if got := string(files["items/episode.jsonl"].Data); !strings.Contains(got, `"vendorField":{"a":[1],"b":1}`) {
		t.Errorf("the foreign field is gone: %s", got)
	}
	var list []string
	for line := range strings.Lines(string(files["CHECKSUMS"].Data)) {
		list = append(list, strings.TrimSpace(line[66:]))
	}
	if !slices.IsSorted(list) || len(list) != len(rows)+3 {
		t.Errorf("%q", list)
	}
}

func TestEmptyBundleIsValid(t *testing.T) {
	t.Parallel()
	files := build(t, mem.WriteOptions{})
	if _, found := check(t, open(t, files)); len(found) > 0 || string(files["CHECKSUMS"].Data) != "\n" {
		t.Error(found)
	}
}

func TestMergeOfOneBundleChangesNothing(t *testing.T) {
	t.Parallel()
	files := build(t, mem.WriteOptions{}, append(everything(), [2]string{"vendorThing", `{"id":"vt_1","again":1}`}, [2]string{"vendorThing", `{"id":"vt_1","again":1}`},
		[2]string{mem.Audit, `{"ts":"2024-05-01T00:00:00Z","actor":"u1","op":"x","targetID":"y"}`}, [2]string{mem.Audit, `{"ts":"2024-05-01T00:00:00Z","actor":"u1","op":"x","targetID":"y"}`})...)
	got, _ := merged(t, mem.MergeOptions{}, files)
	twice, m := merged(t, mem.MergeOptions{}, files, files)
	for name, f := range files {
		if got[name] != string(f.Data) {
			t.Errorf("%s changed: %s", name, got[name])
		}
		if name != "items/vendorThing.jsonl" && twice[name] != got[name] && strings.Contains(name, "/") {
			t.Errorf("%s is not the same when merged twice: %s", name, twice[name])
		}
	}
	if m.Replaced > 0 {
		t.Errorf("%+v", m)
	}
}

func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	whole := func() fstest.MapFS {
		return build(t, mem.WriteOptions{}, append(everything(), [2]string{mem.Tombstone, tombstone("t1", "delete", "episode", "ep_9", "")})...)
	}
	for name := range whole() {
		files := whole()
		data := bytes.Clone(files[name].Data)
		data[len(data)/2] ^= 1
		files[name] = &fstest.MapFile{Data: data}
		b, err := mem.New(files)
		if err != nil {
			continue // the manifest itself
		}
		if r, _ := check(t, b); r.Errors == 0 {
			t.Errorf("a flipped bit of %s is not noticed", name)
		}
	}
	for want, change := range map[string]func(fstest.MapFS){
		"file-unlisted": func(f fstest.MapFS) { f["items/extra.jsonl"] = &fstest.MapFile{Data: []byte("{}\n")} },
		"file-missing":  func(f fstest.MapFS) { delete(f, "items/fact.jsonl") },
		"file-unsafe": func(f fstest.MapFS) {
			f["items/fact.jsonl"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("../x")}
		},
		"checksums-differ": func(f fstest.MapFS) { f["CHECKSUMS"] = &fstest.MapFile{Data: []byte("garbage\n")} },
		"path-unsafe":      func(f fstest.MapFS) { edit(f, `"path":"items/fact.jsonl"`, `"path":"../fact.jsonl"`) },
		"path-unknown":     func(f fstest.MapFS) { edit(f, `"path":"items/fact.jsonl"`, `"path":"other/fact.jsonl"`) },
		"format-version":   func(f fstest.MapFS) { edit(f, `"format":"1.1.0"`, `"format":"2.0.0"`) },
		"bundle-digest":    func(f fstest.MapFS) { edit(f, `"bundleDigest":"`, `"bundleDigest":"00`); trim(f) },
		"count-mismatch":   func(f fstest.MapFS) { edit(f, `"fact":1`, `"fact":2`) },
	} {
		files := whole()
		change(files)
		r, found := check(t, open(t, files))
		if r.Errors == 0 || !slices.Contains(found, want) {
			t.Errorf("%s: found %v", want, found)
		}
	}
	for _, name := range []string{"provenance/notes.txt", "README", "embeddings/x.bin"} {
		files := whole()
		files[name] = &fstest.MapFile{Data: []byte("x")}
		if _, found := check(t, open(t, files)); !slices.Contains(found, "file-unlisted") {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// edit replaces text of the manifest.
func edit(f fstest.MapFS, old, with string) {
	f["manifest.json"] = &fstest.MapFile{Data: bytes.Replace(f["manifest.json"].Data, []byte(old), []byte(with), 1)}
}

// trim takes the surplus digits off the bundle digest.
func trim(f fstest.MapFS) {
	data := f["manifest.json"].Data
	i := bytes.Index(data, []byte(`"bundleDigest":"`)) + len(`"bundleDigest":"`)
	f["manifest.json"] = &fstest.MapFile{Data: append(bytes.Clone(data[:i+64]), data[i+66:]...)}
}

// TestMalformedRecordsAreFound writes each line over a foreign stream that is then renamed, so that
// digests are right and only the record is wrong.
func TestMalformedRecordsAreFound(t *testing.T) {
	t.Parallel()
	for want, lines := range map[string][]string{
		"record-malformed": {
			`{"key":"a","value":NaN}`, `{"key":"a"}`, `{"key":"a","value":1}`, `{"key":"a","key":"b","value":"x"}`, `[]`, `{`,
			`{"key":"a","value":"\ud800"}`, `{"key":"a","value":"x","deep":` + strings.Repeat("[", 100000) + `}`, `{"key":"a","value":"x","n":1e999}`,
		},
		"record-duplicate": {"{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"a\",\"value\":\"2\"}"},
		"not-canonical":    {`{"value":"x","key":"a"}`, "{\"key\":\"a\",\"value\":\"x\"}\r", "{\"key\":\"b\",\"value\":\"x\"}\n{\"key\":\"a\",\"value\":\"x\"}"},
	} {
		for _, line := range lines {
			files := rename(t, "preference", line)
			if _, found := check(t, open(t, files)); !slices.Contains(found, want) {
				t.Errorf("%s of %.60q: found %v", want, line, found)
			}
		}
	}
	files := rename(t, "../audit/tombstones", strings.Replace(tombstone("t", "delete", "episode", "e", ""), `"delete"`, `"obliterate"`, 1))
	if _, found := check(t, open(t, files)); !slices.Contains(found, "record-malformed") {
		t.Error("a tombstone with an unknown operation is taken as valid")
	}
}

// rename builds a bundle whose stream of a kind holds the text as it is.
func rename(t testing.TB, kind, text string) fstest.MapFS {
	t.Helper()
	files := build(t, mem.WriteOptions{}, [2]string{"zzz", text})
	path := strings.ReplaceAll("items/"+kind+".jsonl", "items/../", "")
	for name, f := range files {
		f.Data = bytes.ReplaceAll(f.Data, []byte("items/zzz.jsonl"), []byte(path))
		if name == "manifest.json" {
			f.Data = bytes.ReplaceAll(f.Data, []byte(`"zzz":1`), fmt.Appendf(nil, "%q:%d", strings.TrimSuffix(strings.TrimPrefix(kind, "../audit/"), "s"), strings.Count(text, "\n")+1))
		}
	}
	files[path] = files["items/zzz.jsonl"]
	delete(files, "items/zzz.jsonl")
	sum := sha256.Sum256(files["CHECKSUMS"].Data)
	m := map[string]any{}
	if err := json.Unmarshal(files["manifest.json"].Data, &m); err != nil {
		t.Fatal(err)
	}
	m["bundleDigest"] = hex.EncodeToString(sum[:])
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	files["manifest.json"].Data = data
	return files
}

func TestRecordsNoticeAFileThatChangedSinceItWasVerified(t *testing.T) {
	t.Parallel()
	files := build(t, mem.WriteOptions{}, everything()...)
	b := open(t, files)
	if _, found := check(t, b); len(found) > 0 {
		t.Fatal(found)
	}
	files["items/preference.jsonl"] = &fstest.MapFile{Data: []byte("{\"key\":\"units\",\"value\":\"evil!!\"}\n")}
	var last error
	for _, err := range b.Records("items/preference.jsonl") {
		last = err
	}
	if last == nil {
		t.Error("the change is not noticed")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(rows["episode"]), []byte("{}"))
	f.Add([]byte(tombstone("t", "redact", "episode", "e", "")), []byte("{"))
	f.Fuzz(func(t *testing.T, line, manifest []byte) {
		if canonical, err := mem.Canonicalize(line); err == nil {
			again, err := mem.Canonicalize(canonical)
			if err != nil || !bytes.Equal(again, canonical) {
				t.Fatalf("%q is not stable: %q, %v", canonical, again, err)
			}
		}
		files := fstest.MapFS{"manifest.json": {Data: manifest}, "CHECKSUMS": {Data: line}, "items/episode.jsonl": {Data: line}}
		if b, err := mem.New(files); err == nil {
			check(t, b)
		}
		sum := sha256.Sum256(line)
		listed := fmt.Appendf(nil, `{"format":"1.0.0","generator":"x","conformanceLevel":"L0","createdAt":"2024-01-01","exportMode":"full","schemaVersion":1,"embeddingModel":"","embeddingDim":0,"embeddingsIncluded":false,"capabilities":[],"counts":{},"files":[{"path":"items/episode.jsonl","sha256":"%x","bytes":%d}]}`, sum, len(line))
		b := open(t, fstest.MapFS{"manifest.json": {Data: listed}, "items/episode.jsonl": {Data: line}})
		check(t, b)
	})
}
