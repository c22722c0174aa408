package mem_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/interop/mem"
)

// conformance are the requirements of the conformance levels, by their ids, with the tests of this
// package that show them. L0-4 is make interop, L1-1 is of package interop/convert, and L2-2, the
// deletion probe, is TestTombstonesReachEveryRoute of cmd/pamline.
var conformance = map[string][]func(*testing.T){
	"L0-1": {TestPublishedVectors, TestCanonicalFormOfNumbersStringsAndKeys},
	"L0-2": {TestChecksumsAreThoseOfTheFiles, TestPublishedBundlesAreValid, TestEmptyBundleIsValid},
	"L0-3": {TestDamageIsFound, TestFilesBeyondTheLimitAreRefused, TestNamesThatAZipHidesAreFound},
	"L1-2": {TestMergeOfOneBundleChangesNothing},
	"L1-3": {TestWrittenBundleOfAllKindsIsValid},
	"L1-4": {TestTheNewerRowWinsWhateverTheOrder, TestPastViewsStayWhenAFactIsSuperseded},
	"L1-5": {TestNothingIsGivenOfAnInvalidBundle, TestAFaultInAnyStreamGivesNothing},
	"L2-1": {TestErasedRowsOfEveryKindStayErasedWhenAnOldBundleComes, TestDerivedRowsAndOrphansGoWithTheirTarget, TestErasureReachesWhatDependsOnDependents},
	"L2-3": {TestRedactionLeavesASkeletonThatTravels},
	"L3-1": {TestWrittenBundleOfAllKindsIsValid, TestSignedBundlesVerifyOnlyUnderTheirKey, TestDeletionsNeedAnAcceptedAuthority, TestEvidencePackIsOfLevelThree},
}

func TestConformance(t *testing.T) {
	for id, tests := range conformance {
		for i, test := range tests {
			t.Run(fmt.Sprintf("%s/%d", id, i+1), test)
		}
	}
}

// TestChecksumsAreThoseOfTheFiles does what sha256sum -c does.
func TestChecksumsAreThoseOfTheFiles(t *testing.T) {
	t.Parallel()
	files := build(t, mem.WriteOptions{}, everything()...)
	listed := 0
	for line := range strings.Lines(string(files[mem.ChecksumsFile].Data)) {
		sum, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(files[path].Data)); !ok || got != sum {
			t.Errorf("%s: %s", path, got)
		}
		listed++
	}
	m := open(t, files).Manifest
	if listed != len(files)-2 || len(m.Files) != listed || m.BundleDigest != fmt.Sprintf("%x", sha256.Sum256(files[mem.ChecksumsFile].Data)) {
		t.Errorf("%d files are listed, %d are there: %+v", listed, len(files), m)
	}
}

func TestPublishedBundlesAreValid(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "vectors", "mem", "*.mem"))
	if err != nil || len(found) == 0 {
		t.Skip("the published bundles are not here")
	}
	for _, path := range found {
		b, err := mem.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if r, ids := check(t, b); len(ids) > 0 {
			t.Errorf("%s: %v %+v", path, ids, r)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFilesBeyondTheLimitAreRefused(t *testing.T) {
	t.Parallel()
	var found []string
	_, err := open(t, build(t, mem.WriteOptions{}, everything()...)).Check(context.Background(), mem.CheckOptions{
		Scratch: t.TempDir(), MaxFile: 10, OnFinding: func(f mem.Finding) { found = append(found, f.ID) },
	})
	if err != nil || !slices.Contains(found, "file-too-big") {
		t.Errorf("%v, %v", found, err)
	}
	// A link that leaves the folder is refused where it is a real one.
	folder := t.TempDir()
	for name, f := range build(t, mem.WriteOptions{}, everything()...) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fact := filepath.Join(folder, "items", "fact.jsonl")
	moved := filepath.Join(t.TempDir(), "fact.jsonl")
	if err := os.Rename(fact, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, fact); err != nil {
		t.Skip("no links can be made here")
	}
	b, err := mem.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, ids := check(t, b); !slices.Contains(ids, "file-unsafe") {
		t.Errorf("a link is followed: %v", ids)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestNamesThatAZipHidesAreFound(t *testing.T) {
	t.Parallel()
	for want, name := range map[string]string{"path-unsafe": "../evil.txt", "file-duplicate": "items/fact.jsonl", "path-unsafe ": `items\..\..\evil`, "path-unsafe  ": "/etc/evil"} {
		path := filepath.Join(t.TempDir(), "b.zip")
		var text bytes.Buffer
		z := zip.NewWriter(&text)
		put := func(name string, data []byte) {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write(data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for name, f := range build(t, mem.WriteOptions{}, everything()...) {
			put(name, f.Data)
		}
		put(name, []byte("x"))
		if err := errors.Join(z.Close(), os.WriteFile(path, text.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		b, err := mem.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, ids := check(t, b); !slices.Contains(ids, strings.TrimSpace(want)) {
			t.Errorf("%s: found %v", name, ids)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A superseded fact is closed, not changed: what was valid at a time in the past is the same after.
func TestPastViewsStayWhenAFactIsSuperseded(t *testing.T) {
	t.Parallel()
	past := build(t, mem.WriteOptions{}, [2]string{"fact", rows["fact"]})
	closed := strings.Replace(rows["fact"], `"createdAt"`, `"tValidTo":"2024-04-01T00:00:00Z","supersededBy":"fact_2","createdAt"`, 1)
	next := strings.NewReplacer(`"fact_1"`, `"fact_2"`, "tea", "coffee", "2024-03-01", "2024-04-01").Replace(rows["fact"])
	now := build(t, mem.WriteOptions{}, [2]string{"fact", closed}, [2]string{"fact", next})
	for _, order := range [][]fstest.MapFS{{past, now}, {now, past}} {
		got, m := merged(t, mem.MergeOptions{}, order[0], order[1])
		lines := strings.Split(strings.TrimSpace(got["items/fact.jsonl"]), "\n")
		if len(lines) != 2 || m.Erased > 0 {
			t.Fatalf("%q %+v", lines, m)
		}
		for _, line := range lines { // as of March, tea; since April, coffee
			if strings.Contains(line, "tea") != strings.Contains(line, `"tValidTo":"2024-04-01T00:00:00Z"`) || strings.Contains(line, "tea") != strings.Contains(line, `"tValidFrom":"2024-03-01T10:00:00Z"`) {
				t.Errorf("%s", line)
			}
		}
	}
}

func TestAFaultInAnyStreamGivesNothing(t *testing.T) {
	t.Parallel()
	for kind := range rows {
		if !mem.IsNative(kind) {
			continue
		}
		bad, given := rename(t, kind, `{"id":"x","key":7}`), 0
		_, err := mem.Merge(context.Background(), []*mem.Bundle{open(t, build(t, mem.WriteOptions{}, everything()...)), open(t, bad)}, mem.MergeOptions{Scratch: t.TempDir()},
			func(string, []byte) error { given++; return nil }, func(string) {})
		if err == nil || given > 0 {
			t.Errorf("%s: %d rows were given, %v", kind, given, err)
		}
	}
}

// A row goes with what it depends on, and what depends on it goes with it.
func TestErasureReachesWhatDependsOnDependents(t *testing.T) {
	t.Parallel()
	own := build(t, mem.WriteOptions{}, [2]string{mem.Tombstone, tombstone("t1", "delete", "episode", "ep_1", "")}, [2]string{mem.Tombstone, tombstone("t2", "delete", "resource", "res_1", "")})
	got, _ := merged(t, mem.MergeOptions{}, own, build(t, mem.WriteOptions{}, everything()...))
	for _, kind := range []string{"episode", "fact", "factLink", "episodeLink", "resource", "chunk"} {
		if text, there := got["items/"+kind+".jsonl"]; there {
			t.Errorf("the %s came back: %s", kind, text)
		}
	}
}

func TestEvidencePackIsOfLevelThree(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	files := build(t, mem.WriteOptions{Generator: "x/1", CreatedAt: "2024-06-01T00:00:00Z", Level: "L2", Key: key, Evidence: true},
		[2]string{mem.Audit, `{"ts":"2024-05-01T00:00:00Z","actor":"u1","op":"delete","targetID":"ep_9"}`}, [2]string{mem.Tombstone, tombstone("t1", "delete", "episode", "ep_9", "")}, [2]string{mem.ProvenanceEdge, rows["edge"]})
	b := open(t, files)
	if r, found := check(t, b, key.Public().(ed25519.PublicKey)); len(found) > 0 || r.Level != "L3" || !r.Signed {
		t.Errorf("%v %+v", found, r)
	}
	if got := strings.Join(b.Manifest.Capabilities, " "); got != "evidence-pack proof-of-deletion audit provenance signed" {
		t.Errorf("%s", got)
	}
}
