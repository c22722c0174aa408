package mem_test

import (
	"context"
	"crypto/ed25519"
	"strings"
	"testing"

	"github.com/pamline/pamline/interop/mem"
)

func key(seed byte) ed25519.PrivateKey {
	s := make([]byte, ed25519.SeedSize)
	s[0] = seed
	return ed25519.NewKeyFromSeed(s)
}

func public(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

// idOf is the key of the record of a kind above.
func idOf(t *testing.T, kind string) string {
	t.Helper()
	return map[string]string{
		"episode": "ep_1", "entity": "ent_1", "edge": "edge_1", "fact": "fact_1", "factLink": "fact_1\x00fact_2\x00refines", "episodeLink": "ep_1\x00ep_2\x00related_to",
		"resource": "res_1", "chunk": "chk_1", "core": "human", "procedure": "proc_1", "context": "ctx_1", "community": "com_1", "category": "food", "preference": "units",
		"secretRef": "sec_1", "vendorThing": "vt_1",
	}[kind]
}

func TestErasedRowsOfEveryKindStayErasedWhenAnOldBundleComes(t *testing.T) {
	t.Parallel()
	stale := build(t, mem.WriteOptions{}, everything()...)
	for kind := range rows {
		own := build(t, mem.WriteOptions{}, [2]string{mem.Tombstone, tombstone("t1", "delete", kind, idOf(t, kind), "")})
		got, m := merged(t, mem.MergeOptions{}, own, stale)
		if _, ok := got["items/"+kind+".jsonl"]; ok || m.Erased == 0 {
			t.Errorf("the %s came back", kind)
		}
		if _, ok := got[mem.TombstonesFile]; !ok {
			t.Errorf("the tombstone of the %s is gone", kind)
		}
		again, _ := merged(t, mem.MergeOptions{}, own, stale, stale)
		if again[mem.TombstonesFile] != got[mem.TombstonesFile] {
			t.Error("tombstones double when a bundle is merged twice")
		}
	}
}

func TestDerivedRowsAndOrphansGoWithTheirTarget(t *testing.T) {
	t.Parallel()
	stale := build(t, mem.WriteOptions{}, everything()...)
	own := build(t, mem.WriteOptions{}, [2]string{mem.Tombstone, tombstone("t1", "delete", "episode", "ep_gone", "edgeIDs=edge_1 entityIDs=ent_1 chunkIDs=chk_1 factIDs=fact_1")})
	got, _ := merged(t, mem.MergeOptions{}, own, stale)
	for _, kind := range []string{"edge", "entity", "chunk", "fact", "factLink"} {
		if _, ok := got["items/"+kind+".jsonl"]; ok {
			t.Errorf("the %s came back", kind)
		}
	}
	own = build(t, mem.WriteOptions{}, [2]string{mem.Tombstone, tombstone("t1", "delete", "episode", "ep_1", "")})
	got, _ = merged(t, mem.MergeOptions{}, own, stale)
	for _, kind := range []string{"episode", "edge", "fact", "episodeLink"} { // the edge has no other evidence
		if _, ok := got["items/"+kind+".jsonl"]; ok {
			t.Errorf("the %s stays without its episode", kind)
		}
	}
}

func TestTombstoneOfOneKindDoesNotEraseARowOfAnother(t *testing.T) {
	t.Parallel()
	own := build(t, mem.WriteOptions{}, [2]string{mem.Tombstone, tombstone("t1", "delete", "entity", "human", "")})
	got, m := merged(t, mem.MergeOptions{}, own, build(t, mem.WriteOptions{}, everything()...))
	if _, ok := got["items/core.jsonl"]; !ok || m.Erased != 0 {
		t.Error("the core block went with an entity of the same id")
	}
}

func TestRedactionLeavesASkeletonThatTravels(t *testing.T) {
	t.Parallel()
	own := build(t, mem.WriteOptions{}, append(everything(), [2]string{mem.Tombstone, tombstone("t1", "redact", "episode", "ep_1", "")})...)
	got, m := merged(t, mem.MergeOptions{}, own)
	line := got["items/episode.jsonl"]
	if m.Redacted != 1 || !strings.Contains(line, `"id":"ep_1"`) {
		t.Fatalf("no skeleton: %q %+v", line, m)
	}
	for _, text := range []string{"green", "tea", "ana", "food", "vendorField"} {
		if strings.Contains(line, text) {
			t.Errorf("%q is still there: %s", text, line)
		}
	}
	for name, text := range got {
		if strings.Contains(text, "green tea") {
			t.Errorf("the text is still in %s", name)
		}
	}
}

func TestDeletionsNeedAnAcceptedAuthority(t *testing.T) {
	t.Parallel()
	mine := build(t, mem.WriteOptions{}, everything()...)
	line := tombstone("t1", "delete", "episode", "ep_1", "")
	signed, err := mem.SignTombstone([]byte(line), key(1))
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(string(signed), "ep_1", "ep_2", 1)
	whole := mem.WriteOptions{Generator: "x/1", CreatedAt: "2024-06-01T00:00:00Z", Level: "L2", Key: key(1)}
	for name, c := range map[string]struct {
		line   string
		o      mem.WriteOptions
		accept mem.MergeOptions
		erased bool
	}{
		"unsigned":                    {line: line},
		"unsigned but accepted":       {line: line, accept: mem.MergeOptions{AcceptUnsigned: true}, erased: true},
		"signed, no key accepted":     {line: string(signed)},
		"signed by an accepted key":   {line: string(signed), accept: mem.MergeOptions{Accepted: []ed25519.PublicKey{public(key(1))}}, erased: true},
		"signed by another key":       {line: string(signed), accept: mem.MergeOptions{Accepted: []ed25519.PublicKey{public(key(2))}}},
		"manifest signed by accepted": {line: line, o: whole, accept: mem.MergeOptions{Accepted: []ed25519.PublicKey{public(key(1))}}, erased: true},
	} {
		got, m := merged(t, c.accept, mine, build(t, c.o, [2]string{mem.Tombstone, c.line}))
		if _, there := got["items/episode.jsonl"]; there == c.erased || (len(m.Quarantined) == 1) == c.erased {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if r, found := check(t, open(t, build(t, mem.WriteOptions{}, [2]string{mem.Tombstone, forged}))); r.Errors == 0 {
		t.Errorf("an altered tombstone passes: %v", found)
	}
}

func TestNothingIsGivenOfAnInvalidBundle(t *testing.T) {
	t.Parallel()
	good := build(t, mem.WriteOptions{}, append(everything(), [2]string{mem.Tombstone, tombstone("t1", "delete", "episode", "e", "")})...)
	bad := rename(t, "secretRef", `{"id":"late"}`)
	given := 0
	_, err := mem.Merge(context.Background(), []*mem.Bundle{open(t, good), open(t, bad)}, mem.MergeOptions{Scratch: t.TempDir()},
		func(string, []byte) error { given++; return nil }, func(string) {})
	if err == nil || given > 0 {
		t.Errorf("%d rows were given, error %v", given, err)
	}
}

func TestTheNewerRowWinsWhateverTheOrder(t *testing.T) {
	t.Parallel()
	older := build(t, mem.WriteOptions{}, [2]string{"entity", rows["entity"]}, [2]string{"fact", rows["fact"]}, [2]string{"core", rows["core"]})
	newer := build(t, mem.WriteOptions{},
		[2]string{"entity", strings.NewReplacer(`"Ana"`, `"Anna"`, "2024-03-01", "2024-04-01").Replace(rows["entity"])},
		[2]string{"fact", strings.Replace(rows["fact"], `"createdAt"`, `"tValidTo":"2024-04-01T00:00:00Z","supersededBy":"fact_2","createdAt"`, 1)},
		[2]string{"fact", strings.Replace(rows["fact"], `"fact_1"`, `"fact_2"`, 1)},
		[2]string{"core", strings.Replace(rows["core"], `"version":1`, `"version":10`, 1)})
	a, _ := merged(t, mem.MergeOptions{}, older, newer)
	b, _ := merged(t, mem.MergeOptions{}, newer, older)
	for _, path := range []string{"items/entity.jsonl", "items/fact.jsonl", "items/core.jsonl"} {
		if a[path] != b[path] {
			t.Errorf("%s depends on the order:\n%s%s", path, a[path], b[path])
		}
	}
	if !strings.Contains(a["items/entity.jsonl"], "Anna") || strings.Count(a["items/fact.jsonl"], "\n") != 2 || !strings.Contains(a["items/fact.jsonl"], `"supersededBy":"fact_2"`) ||
		!strings.Contains(a["items/core.jsonl"], `"version":10`) {
		t.Errorf("%v", a)
	}
}

func TestForeignRowsOfSeveralBundlesAreUnited(t *testing.T) {
	t.Parallel()
	a := build(t, mem.WriteOptions{}, [2]string{"vendorThing", `{"id":"a"}`}, [2]string{"other", "not JSON at all"})
	b := build(t, mem.WriteOptions{}, [2]string{"vendorThing", `{"id":"b"}`}, [2]string{"other", "not JSON at all"})
	got, _ := merged(t, mem.MergeOptions{}, a, b)
	if got["items/vendorThing.jsonl"] != "{\"id\":\"a\"}\n{\"id\":\"b\"}\n" || got["items/other.jsonl"] != "not JSON at all\n" {
		t.Errorf("%v", got)
	}
}

func TestSignedBundlesVerifyOnlyUnderTheirKey(t *testing.T) {
	t.Parallel()
	files := build(t, mem.WriteOptions{Generator: "x/1", CreatedAt: "2024-06-01T00:00:00Z", Level: "L3", Key: key(3)}, everything()...)
	if r, found := check(t, open(t, files), public(key(3))); len(found) > 0 || !r.Signed {
		t.Errorf("%v", found)
	}
	if _, found := check(t, open(t, files), public(key(4))); len(found) != 1 || found[0] != "signature-invalid" {
		t.Errorf("another key: %v", found)
	}
	files["manifest.sig"].Data = []byte(strings.ToUpper(string(files["manifest.sig"].Data)))
	if r, _ := check(t, open(t, files)); r.Errors == 0 {
		t.Error("an upper-case token passes")
	}
	delete(files, "manifest.sig")
	if _, found := check(t, open(t, files), public(key(3))); len(found) != 1 || found[0] != "signature-missing" {
		t.Errorf("unsigned: %v", found)
	}
}
