package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/validate"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
)

const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"

// notesDeps know two importers of the test's own format.
func notesDeps(t *testing.T) Deps {
	t.Helper()
	d := testDeps(t)
	d.Registry = providers.NewRegistry(notes{name: "notes"}, notes{name: "others", at: "other/"})
	return d
}

func refOf(text, ext string) string {
	sum := sha256.Sum256([]byte(text))
	return "assets/" + hex.EncodeToString(sum[:]) + ext
}

// filesOf are the files of a folder with their bytes.
func filesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(folder, name)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bundleOf writes the bundle of an owner to a folder and validates it.
func bundleOf(t *testing.T, d Deps) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if err := publish.CopyBundle(t.Context(), d.Store, "me", out); err != nil {
		t.Fatal(err)
	}
	target, closer, err := validate.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	report, err := validate.Run(t.Context(), target, validate.Options{Strict: true, OnFinding: func(f validate.Finding) { t.Errorf("finding: %s", f) }})
	if err != nil || report.Verdict() != validate.Valid {
		t.Errorf("bundle: %s (%v)", report.Verdict(), err)
	}
	return filesOf(t, out)
}

// assetsOf are the refs of all assets among the files of a bundle.
func assetsOf(files map[string]string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(n string) bool { return !strings.HasPrefix(n, "assets/") })
}

var large = strings.Repeat("0123456789abcdef", ingest.SmallAsset/16) + "end"

func TestAssetsAreCopiedByContentAndNamedInTheBundle(t *testing.T) {
	t.Parallel()
	d := notesDeps(t)
	r, err := runStages(t, d, zipOf(t, map[string]string{
		"notes.json": `[{"id":"a","text":"hi","files":["files/a.jpg","files/twin.dat","files/gone.png","web"],"inside":["inner"]},
			{"id":"b","text":"ho","files":["files/large.bin"],"odd":7},{"id":"c","odd":1}]`,
		"files/a.jpg": png, "files/twin.dat": png, "files/large.bin": large, "files/nobody.txt": "named by nobody",
		"other/notes.json": `[{"id":"a","inside":["inner","more"]}]`,
	}))
	if err != nil || r.State != state.StateDone {
		t.Fatalf("%v, %+v", err, r)
	}
	files := bundleOf(t, d)
	want := []string{refOf(png, ".png"), refOf(large, ".txt"), refOf("named by nobody", ".txt"), refOf("inner", ".txt"), refOf("more", ".txt")}
	slices.Sort(want)
	if got := assetsOf(files); !slices.Equal(got, want) {
		t.Errorf("assets\n%v\nwant\n%v", got, want)
	}
	if files[refOf(large, ".txt")] != large || files[refOf(png, ".png")] != png {
		t.Error("an asset has other bytes")
	}
	var refs []string
	for name, text := range files {
		if strings.HasPrefix(name, "conversations/") && strings.Contains(text, `"conversation_id":"a"`) && strings.Contains(text, `"name":"notes"`) {
			doc, err := pamio.ParseConversation([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range doc.Messages[0].Attachments {
				refs = append(refs, a.Ref)
			}
			if p := doc.Messages[0].Content.Parts; p[1].Ref != refOf(png, ".png") || p[3].Ref != "" {
				t.Errorf("parts %+v", p)
			}
		}
		if strings.Contains(text, "\\u0000") {
			t.Errorf("%s has a placeholder left", name)
		}
	}
	if want := []string{refOf(png, ".png"), refOf(png, ".png"), "", "elsewhere:web", refOf("inner", ".txt")}; !slices.Equal(refs, want) {
		t.Errorf("refs %q, want %q", refs, want)
	}
	c := r.Counts
	bytes := int64(2*len(png) + len(large) + len("named by nobody") + len("inner") + len("inner") + len("more"))
	if c.Assets != (state.AssetCount{Files: 7, Bytes: bytes}) || c.AssetsMissing() != 2 || c.UnknownVariants() != 2 {
		t.Errorf("%+v, %d missing, %d of an unknown variant", c.Assets, c.AssetsMissing(), c.UnknownVariants())
	}
	if by := c.ByImporter; by["notes-importer/2026.01"] != (state.ImporterCount{Conversations: 3, Records: 0, Assets: 5}) || by["others-importer/2026.01"] != (state.ImporterCount{Conversations: 1, Records: 0, Assets: 2}) {
		t.Errorf("by importer: %+v", by)
	}
}

// One that cannot be copied is quarantined with its place, its neighbours are copied, and who names it says nothing.
func TestAssetsThatCannotBeCopied(t *testing.T) {
	t.Parallel()
	for _, inside := range []bool{false, true} {
		d := notesDeps(t)
		d.Limits.MaxAsset = 20
		over := strings.Repeat("x", 21)
		text := `[{"id":"a","files":["files/over","files/fine"]}]`
		if inside {
			text = `[{"id":"a","inside":["` + over + `","fine"]}]`
		}
		r, err := runStages(t, d, zipOf(t, map[string]string{"notes.json": text, "files/over": over, "files/fine": strings.Repeat("y", 20)}))
		if err != nil || r.State != state.StateLosses {
			t.Fatalf("%v, %+v", err, r)
		}
		if !inside {
			if len(r.Quarantined) != 1 || r.Quarantined[0].Member != "files/over" || r.Quarantined[0].Archive != "export.zip" || !r.Quarantined[0].IsAsset() || r.Quarantined[0].Size != 21 {
				t.Errorf("quarantined %+v", r.Quarantined)
			}
			if r.Counts.AssetsMissing() != 2 || r.Counts.Assets.Files != 1 {
				t.Errorf("counts %+v", r.Counts)
			}
		} else if len(r.Quarantined) != 2 || r.Quarantined[0].Member != "notes.json" || r.Counts.AssetsMissing() != 1 || r.Counts.Conversations != 1 {
			t.Errorf("%+v, %+v", r.Quarantined, r.Counts)
		}
		bundleOf(t, d)
	}
}

// A file whose bytes are not what the archive promises spoils neither the others nor the conversations.
func TestDamagedAssetIsQuarantined(t *testing.T) {
	t.Parallel()
	d := notesDeps(t)
	file := zipOf(t, map[string]string{"notes.json": `[{"id":"a","files":["files/bad"]}]`, "files/bad": strings.Repeat("unlike anything else, ", 50), "files/good": "good"})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A byte in the packed data of files/bad, which starts behind its name in the local header.
	at := strings.Index(string(text), "files/bad") + len("files/bad") + 5
	text[at] ^= 0xff
	writeFile(t, file, string(text))
	r, err := runStages(t, d, file)
	if err != nil || len(r.Quarantined) != 1 || r.Quarantined[0].Code != state.CodeAssetUnreadable || r.Counts.Assets.Files != 1 || r.Counts.Conversations != 1 {
		t.Fatalf("%v, %+v", err, r)
	}
	if !slices.Equal(assetsOf(bundleOf(t, d)), []string{refOf("good", ".txt")}) {
		t.Error("the good one is not in the bundle")
	}
}

func notesExport(t *testing.T, n int) string {
	t.Helper()
	files := map[string]string{"files/large": large}
	var list []string
	for i := range n {
		name := fmt.Sprintf("files/%03d", i)
		files[name] = fmt.Sprintf("file %d", i%(n-1)) // the last is as the first
		list = append(list, fmt.Sprintf(`{"id":"t%d","text":"hi","files":["%s","files/large"],"inside":["in %d"]}`, i, name, i),
			fmt.Sprintf(`{"record":{"kind":"memory","text":"User keeps %d hens."}}`, i))
	}
	files["notes.json"] = "[" + strings.Join(list, ",") + "]"
	return zipOf(t, files)
}

func TestAssetsAndRecordsDoNotDependOnTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	file := notesExport(t, 30)
	var want map[string]string
	for _, workers := range []int{1, 8} {
		d := notesDeps(t)
		d.Workers, d.Limits.ShardItems = workers, 7
		if _, err := runStages(t, d, file); err != nil {
			t.Fatal(err)
		}
		got := outcome(t, d.Store)
		if want != nil && !maps.Equal(got, want) {
			t.Errorf("8 workers give something else")
		}
		want = got
	}
}

func TestCrashBetweenAssetsEndsInTheSameBundle(t *testing.T) {
	t.Parallel()
	file := notesExport(t, 6)
	fresh := func() Deps {
		d := notesDeps(t)
		d.Limits.ShardItems = 5
		return d
	}
	d := fresh()
	if _, err := runStages(t, d, file); err != nil {
		t.Fatal(err)
	}
	want := outcome(t, d.Store)
	bundle := bundleOf(t, d)
	for cut := int64(0); ; cut++ {
		d := fresh()
		var left atomic.Int64
		left.Store(cut)
		broken := d
		broken.Store = cutStore{d.Store, &left}
		_, err := runStages(t, broken, file)
		if err != nil && !errors.Is(err, errCut) {
			t.Fatalf("cut after %d writes: %v", cut, err)
		}
		if _, again := runStages(t, d, file); again != nil {
			t.Fatalf("run after a cut at write %d: %v", cut, again)
		}
		got := outcome(t, d.Store)
		for key, text := range want {
			if got[key] != text {
				t.Errorf("cut at write %d: %s differs", cut, key)
			}
		}
		for key := range got {
			if _, ok := want[key]; !ok && !strings.HasPrefix(key, "owners/me/exports/") {
				t.Errorf("cut at write %d: %s is left behind", cut, key)
			}
		}
		if err == nil {
			if cut < 25 {
				t.Fatalf("the import needs only %d writes: is it cut at all?", cut)
			}
			break
		}
	}
	if len(assetsOf(bundle)) != 6-1+1+6 {
		t.Errorf("%d assets", len(assetsOf(bundle)))
	}
}

// A killed ingest reads no file again that is on a list.
func TestResumedImportDoesNotCopyAgain(t *testing.T) {
	t.Parallel()
	d := notesDeps(t)
	file := notesExport(t, 6)
	var left atomic.Int64
	left.Store(12) // behind the list of assets
	broken := d
	broken.Store = cutStore{d.Store, &left}
	if _, err := runStages(t, broken, file); !errors.Is(err, errCut) {
		t.Fatalf("not cut: %v", err)
	}
	for o := range d.Store.List(t.Context(), "owners/me/imports/") {
		if strings.HasSuffix(o.Key, "/manifest.json") {
			t.Fatal("cut too late")
		}
	}
	removed := 0
	for o, err := range d.Store.List(t.Context(), "owners/me/assets/") {
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Store.Delete(t.Context(), o.Key); err != nil {
			t.Fatal(err)
		}
		removed++
	}
	if removed < 6 {
		t.Fatalf("only %d assets were there", removed)
	}
	if _, err := runStages(t, d, file); err != nil {
		t.Fatal(err)
	}
	for o := range d.Store.List(t.Context(), "owners/me/assets/") {
		if o.Size == int64(len(large)) {
			t.Error("the large file was copied again")
		}
	}
}

func TestALowLimitForAssetsIsAnotherImport(t *testing.T) {
	if state.ImportID("me", "d", nil, nil, "", state.Limits{}) != state.ImportID("me", "d", nil, nil, "", state.Limits{MaxAsset: state.DefaultMaxAsset}) {
		t.Error("the default has a name of its own")
	}
	if state.ImportID("me", "d", nil, nil, "", state.Limits{}) == state.ImportID("me", "d", nil, nil, "", state.Limits{MaxAsset: 5}) {
		t.Error("a low limit has not")
	}
	d := testDeps(t)
	if l := d.Limits.UnitsIn(d.Scratch); l.Scratch != d.Scratch {
		t.Error("importers are not told where to put scratch files")
	}
}

// Storage that fails while a file is read is not the file's fault.
func TestOutageWhileAnAssetIsReadIsNoLoss(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 6<<20)
	for r, i := rand.New(rand.NewPCG(1, 2)), 0; i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	file := zipOf(t, map[string]string{"notes.json": `[{"id":"a","files":["files/noise"]}]`, "files/noise": string(noise)})
	d := notesDeps(t)
	d.Workers = 1
	hits := 0
	broken := d
	broken.Store = state.ClassedStore{Store: breaking{d.Store, 2 << 20, &hits}}
	r, err := runStages(t, broken, file)
	if hits != 1 || fault.Of(err) != fault.Outage {
		t.Fatalf("%d reads failed: %v, %+v", hits, err, r)
	}
	left, err := os.ReadDir(d.Scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("%d files are left in the scratch folder (%v)", len(left), err)
	}
	if r, err = runStages(t, d, file); err != nil || r.State != state.StateDone || r.Counts.Assets.Files != 1 {
		t.Errorf("after the outage: %v, %+v", err, r)
	}
	if left, err = os.ReadDir(d.Scratch); err != nil || len(left) > 0 {
		t.Errorf("%d files are left in the scratch folder (%v)", len(left), err)
	}
}
