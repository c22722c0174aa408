package convert_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mem"
	"github.com/pamline/pamline/pamio"
)

func evidence(t testing.TB, files fstest.MapFS, key ed25519.PrivateKey) fstest.MapFS {
	t.Helper()
	b, err := pamio.NewBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	_, err = convert.MemFromPAM(context.Background(), b, convert.Options{Scratch: t.TempDir(), Evidence: true}, mem.WriteOptions{Generator: "test/1", Level: "L2", Key: key}, collect(out))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEvidencePackTellsWhatHappenedWithoutWords(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	pack := evidence(t, bundleOf(store), key)
	b, err := mem.New(pack)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Check(context.Background(), mem.CheckOptions{Scratch: t.TempDir(), Trusted: []ed25519.PublicKey{key.Public().(ed25519.PublicKey)}, OnFinding: func(f mem.Finding) { t.Error(f) }})
	if err != nil || r.Level != "L3" || !r.Signed || r.Counts[mem.Audit] != 3 || r.Counts[mem.ProvenanceEdge] != 2 {
		t.Errorf("%+v %v", r, err)
	}
	for name, f := range pack {
		if strings.HasPrefix(name, "items/") || bytes.Contains(f.Data, []byte("tea")) || bytes.Contains(f.Data, []byte("Tea")) || bytes.Contains(f.Data, []byte("water")) {
			t.Errorf("%s: %s", name, f.Data)
		}
	}
	for name, want := range map[string][]string{
		mem.LogFile:      {`{"actor":"claude","op":"add","targetID":"m2","ts":"2025-03-01T10:00:00Z"}`, `{"actor":"chatgpt","op":"add","targetID":"m1","ts":"2025-03-01T10:00:00Z"}`, `{"actor":"chatgpt","op":"retract","targetID":"m1","ts":"2025-03-02T10:00:00Z"}`},
		mem.EvidenceFile: {`"dstEntityID":"c1","edgeType":"stated_in"`, `"srcEntityID":"m2"`, `"edgeType":"supports","evidenceEpisodeIDs":["m2","m1"]`},
		"manifest.json":  {`"capabilities":["evidence-pack","proof-of-deletion","audit","provenance","signed"]`},
	} {
		for _, line := range want {
			if !strings.Contains(string(pack[name].Data), line) {
				t.Errorf("%s has not %s: %s", name, line, pack[name].Data)
			}
		}
	}
}

// What came from a .mem bundle has its own log, tombstones and edges.
func TestEvidencePackOfABundleHasItsRecords(t *testing.T) {
	t.Parallel()
	w := mem.NewWriter(t.TempDir())
	defer w.Close()
	edge := `{"confidence":0.9,"dstEntityID":"b","edgeType":"knows","evidenceEpisodeIDs":["ep_1"],"id":"e1","ingestionTime":"2024-03-01T10:00:00Z","srcEntityID":"a","tValidFrom":"2024-03-01T10:00:00Z"}`
	row := `{"actor":"u1","op":"delete","targetID":"ep_9","ts":"2024-05-01T00:00:00Z"}`
	gone := `{"actor":"u1","deletedAt":"2024-05-01T00:00:00Z","derived":{"chunkIDs":[],"edgeIDs":[],"embeddingCacheKeys":[],"entityIDs":[],"episodeLinkCount":0,"factIDs":[],"sentenceIDs":[]},"id":"t1","op":"delete","targetID":"ep_9","targetKind":"episode"}`
	for _, r := range [][2]string{{"edge", edge}, {mem.Audit, row}, {mem.Tombstone, gone}, {"preference", `{"key":"units","value":"metric"}`}} {
		if err := w.Add(r[0], []byte(r[1])); err != nil {
			t.Fatal(err)
		}
	}
	in := fstest.MapFS{}
	if _, err := w.Write(collect(in), mem.WriteOptions{Generator: "x/1", CreatedAt: "2025-06-01T00:00:00Z", Level: "L2"}); err != nil {
		t.Fatal(err)
	}
	pam, _, _ := toPAM(t, false, in)
	pack := evidence(t, pam, nil)
	for name, want := range map[string]string{mem.EvidenceFile: edge, mem.LogFile: row, mem.TombstonesFile: gone} {
		if pack[name] == nil || string(pack[name].Data) != want+"\n" {
			t.Errorf("%s: %s", name, pack[name])
		}
	}
	// A pack is a bundle as any other: it goes to PAM and comes back.
	back, _, _ := toPAM(t, false, pack)
	again, _ := toMem(t, back, false)
	for name, f := range pack {
		if again[name] == nil || !bytes.Equal(again[name].Data, f.Data) {
			t.Errorf("%s differs", name)
		}
	}
}
