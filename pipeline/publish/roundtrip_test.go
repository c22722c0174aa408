package publish_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers/importertest"
)

// An archive becomes a bundle; the bundle, imported for an owner without a store, gives the same
// store. The index names each conversation file by its digest, so equal digests mean equal files.
func TestABundleOfEveryFixtureComesBackAsItIs(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it is one import after the other")
	}
	fixtures, err := filepath.Glob("../../providers/*/testdata/*")
	if err != nil || len(fixtures) < 50 {
		t.Fatalf("%d fixtures, %v", len(fixtures), err)
	}
	fixtures = append(fixtures, "../../examples/sample-export")
	came := 0
	for _, path := range fixtures {
		if strings.HasSuffix(path, ".golden") || strings.HasSuffix(path, "fuzz") {
			continue
		}
		t.Run(strings.TrimPrefix(path, "../../"), func(t *testing.T) {
			if comesBack(t, path) {
				came++
			}
		})
	}
	if came < 40 {
		t.Errorf("only %d fixtures were imported twice", came)
	}
}

// comesBack compares the stores of an archive and of its bundle. It is false for what is no export
// by itself, or one without conversations.
func comesBack(t *testing.T, path string) bool {
	t.Helper()
	first := stagetest.New(t)
	drop := first.PutDrop(t, fixtureArchive(t, path))
	if _, _, err := first.Import(t.Context(), drop); err != nil || first.Head(t).ConversationCount == 0 {
		return false
	}
	again := stagetest.New(t)
	imported(t, again, again.PutDrop(t, bundleArchive(t, first)))
	if want, got := contentOf(first.Head(t)), contentOf(again.Head(t)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	return true
}

// contentOf is what a head says, without what belongs to the moment of publishing.
func contentOf(h state.Head) [4]string {
	return [4]string{h.Memories, h.Relations, h.Index, h.Embeddings}
}

func fixtureArchive(t *testing.T, path string) []byte {
	t.Helper()
	if info, err := os.Stat(path); err == nil && !info.IsDir() && strings.HasSuffix(path, ".zip") {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	return importertest.Pack(t, importertest.Load(t, path)...)
}

// bundleArchive is the bundle of the current store as a zip.
func bundleArchive(t *testing.T, r *stagetest.Rig) []byte {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "bundle")
	if err := publish.CopyBundle(t.Context(), r.Store(), owner, folder, publish.CopyOptions{}); err != nil {
		t.Fatal(err)
	}
	return importertest.Pack(t, importertest.Load(t, folder)...)
}

func TestABundleOfEverySharedFixtureComesBackAsItIs(t *testing.T) {
	fixtures, err := filepath.Glob(filepath.Join(importertest.Shared(t, "fixtures"), "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range fixtures {
		t.Run(filepath.Base(path), func(t *testing.T) { comesBack(t, path) })
	}
}
