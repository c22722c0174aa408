package publish_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/stagetest"
)

// filesOf gives the names of the files of a folder.
func filesOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, name)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// bundle copies the owner's bundle to a folder and validates it.
func bundle(t *testing.T, r *stagetest.Rig, folder string) []string {
	t.Helper()
	if err := publish.CopyBundle(t.Context(), r.Store(), owner, folder, publish.CopyOptions{}); err != nil {
		t.Fatal(err)
	}
	target, closer, err := validate.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	report, err := validate.Run(t.Context(), target, validate.Options{Strict: true, OnFinding: func(f validate.Finding) { t.Errorf("finding: %s", f) }})
	if err != nil || report.Verdict() != validate.Valid {
		t.Errorf("bundle: %s (%v)", report.Verdict(), err)
	}
	return filesOf(t, folder)
}

func notesRig(t *testing.T) *stagetest.Rig {
	r := stagetest.New(t)
	r.Ingest.Registry = stagetest.NotesRegistry()
	return r
}

func TestABundleHasTheStoreItsConversationsAndItsAssets(t *testing.T) {
	r := notesRig(t)
	r.Ingest.Embeddings, r.Extraction.Embed = "v@2", &stagetest.Embedder{}
	imported(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{
		"notes.json":  `[{"id":"a","text":"hi","files":["files/a.png"],"inside":["inner"]},{"record":{"kind":"memory","text":"User keeps hens."}}]`,
		"files/a.png": stagetest.PNG, "files/unnamed": "named by no message",
	})))
	names := bundle(t, r, filepath.Join(t.TempDir(), "out"))
	want := []string{"assets/" + objects.Digest(stagetest.PNG) + ".png", "assets/" + objects.Digest("inner") + ".txt", "assets/" + objects.Digest("named by no message") + ".txt", "embeddings.json", "memory-store.json", "SHA256SUMS"}
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("the bundle lacks %s", name)
		}
	}
	conversations := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, "conversations/") })
	if len(conversations) != 1 || len(names) != len(want)+1 {
		t.Errorf("the bundle has %v", names)
	}
}

func TestABundleIsReplacedAsAWhole(t *testing.T) {
	r := notesRig(t)
	drop := r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"a","text":"hi"}]`, "files/a": "of the erased drop"}))
	imported(t, r, drop)
	folder := filepath.Join(t.TempDir(), "deep", "out")
	if names := bundle(t, r, folder); !slices.Contains(names, "assets/"+objects.Digest("of the erased drop")+".txt") {
		t.Fatalf("the bundle has %v", names)
	}
	imported(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"b","text":"ho"}]`})))
	in := inputsOf(t, r).Clone()
	in.Erase(drop, 2)
	compute(t, r, in)
	if names := bundle(t, r, folder); len(names) != 3 {
		t.Errorf("the bundle has %v", names)
	}
	left, err := os.ReadDir(filepath.Dir(folder))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the bundle are %v (%v)", left, err)
	}
}

func TestAFolderWithOtherThingsIsLeftAlone(t *testing.T) {
	r := notesRig(t)
	folder := t.TempDir()
	if err := publish.CopyBundle(t.Context(), r.Store(), owner, folder, publish.CopyOptions{}); err == nil || !strings.Contains(err.Error(), "import an archive first") {
		t.Errorf("without a store: %v", err)
	}
	imported(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"a","text":"hi"}]`})))
	if err := os.WriteFile(filepath.Join(folder, "diary.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := publish.CopyBundle(t.Context(), r.Store(), owner, folder, publish.CopyOptions{}); err == nil || !strings.Contains(err.Error(), `"diary.txt"`) {
		t.Errorf("%v", err)
	}
	if names := filesOf(t, folder); !slices.Equal(names, []string{"diary.txt"}) {
		t.Errorf("the folder has %v", names)
	}
}

// Conversations name their files as the bundle does; a file that is not there is named by nothing.
func TestConversationsNameTheFilesOfTheBundle(t *testing.T) {
	r := notesRig(t)
	imported(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{
		"notes.json":  `[{"id":"a","text":"hi","files":["files/a.jpg","files/twin.dat","files/gone.png","web"],"inside":["inner"]}]`,
		"files/a.jpg": stagetest.PNG, "files/twin.dat": stagetest.PNG,
	})))
	keys := r.Data.Keys("owners/me/conversations/")
	if len(keys) != 1 {
		t.Fatalf("conversations %v", keys)
	}
	body, _ := r.Data.Body(keys[0])
	doc, err := pamio.ParseConversation([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var refs []string
	for _, a := range doc.Messages[0].Attachments {
		refs = append(refs, a.Ref)
	}
	png := "assets/" + objects.Digest(stagetest.PNG) + ".png"
	if want := []string{png, png, "", "elsewhere:web", "assets/" + objects.Digest("inner") + ".txt"}; !slices.Equal(refs, want) {
		t.Errorf("refs %q, want %q", refs, want)
	}
	if p := doc.Messages[0].Content.Parts; p[1].Ref != png || p[3].Ref != "" {
		t.Errorf("parts %+v", p)
	}
	if strings.Contains(body, "\\u0000") {
		t.Error("a placeholder is left")
	}
}

// Sixty flipped bits, spread over all files of a bundle by a seed.
func TestValidateFindsEachFlippedBitOfABundle(t *testing.T) {
	r := notesRig(t)
	r.Ingest.Embeddings, r.Extraction.Embed = "v@2", &stagetest.Embedder{}
	imported(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{
		"notes.json":  `[{"id":"a","text":"hi","files":["files/a.png"],"inside":["inner"]},{"id":"b","text":"hello"},{"record":{"kind":"memory","text":"User keeps hens."}}]`,
		"files/a.png": stagetest.PNG,
	})))
	folder := filepath.Join(t.TempDir(), "out")
	names := bundle(t, r, folder)
	seed := rand.New(rand.NewPCG(13, 60))
	for n := range 60 {
		name := filepath.Join(folder, filepath.FromSlash(names[n%len(names)]))
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		at, bit := seed.IntN(len(body)), seed.IntN(8)
		changed := bytes.Clone(body)
		changed[at] ^= 1 << bit
		if err := os.WriteFile(name, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		target, closer, err := validate.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		report, err := validate.Run(t.Context(), target, validate.Options{Strict: true})
		if err := errors.Join(err, closer.Close()); err != nil {
			t.Fatal(err)
		}
		if report.Verdict() == validate.Valid {
			t.Errorf("bit %d of byte %d of %s is not noticed", bit, at, names[n%len(names)])
		}
		if err := os.WriteFile(name, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
