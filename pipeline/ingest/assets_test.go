package ingest_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

var large = strings.Repeat("0123456789abcdef", ingest.SmallAsset/16) + "end"

func notesRig(t *testing.T) *stagetest.Rig {
	r := stagetest.New(t)
	r.Ingest.Registry = stagetest.NotesRegistry()
	return r
}

func quarantined(t *testing.T, r *stagetest.Rig, m state.Manifest) (all []state.Quarantined) {
	t.Helper()
	for q, err := range state.ListQuarantined(t.Context(), r.Store(), m) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

func assetRefs(t *testing.T, r *stagetest.Rig, m state.Manifest) (refs []string) {
	t.Helper()
	for ref, err := range state.AssetRefs(t.Context(), r.Store(), m) {
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

func refOf(text, ext string) string { return "assets/" + objects.Digest(text) + ext }

func TestAssetsAreStoredByContent(t *testing.T) {
	r := notesRig(t)
	m := read(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{
		"notes.json": `[{"id":"a","text":"hi","files":["files/a.jpg","files/twin.dat","files/gone.png","web"],"inside":["inner"]},
			{"id":"b","text":"ho","files":["files/large.bin"],"odd":7},{"id":"c","odd":1}]`,
		"files/a.jpg": stagetest.PNG, "files/twin.dat": stagetest.PNG, "files/large.bin": large, "files/nobody.txt": "named by nobody",
		"other/notes.json": `[{"id":"a","inside":["inner","more"]}]`,
	})))
	want := []string{refOf(stagetest.PNG, ".png"), refOf(large, ".txt"), refOf("named by nobody", ".txt"), refOf("inner", ".txt"), refOf("more", ".txt")}
	slices.Sort(want)
	if got := assetRefs(t, r, m); !slices.Equal(got, want) {
		t.Errorf("assets\n%v\nwant\n%v", got, want)
	}
	if body, _ := r.Data.Body(state.AssetKey(owner, refOf(large, ".txt"))); body != large {
		t.Error("the large asset has other bytes")
	}
	c := m.Counts
	bytes := int64(2*len(stagetest.PNG) + len(large) + len("named by nobody") + len("inner") + len("inner") + len("more"))
	if c.Assets != (state.AssetCount{Files: 7, Bytes: bytes}) || c.AssetsMissing() != 2 || c.UnknownVariants() != 2 {
		t.Errorf("%+v, %d missing, %d of an unknown variant", c.Assets, c.AssetsMissing(), c.UnknownVariants())
	}
	if by := c.ByImporter; by["notes-importer/2026.01"] != (state.ImporterCount{Conversations: 3, Assets: 5}) || by["others-importer/2026.01"] != (state.ImporterCount{Conversations: 1, Assets: 2}) {
		t.Errorf("by importer: %+v", by)
	}
}

// An asset beyond the limit is quarantined with its place; its neighbors are copied.
func TestAssetsBeyondTheLimitAreQuarantined(t *testing.T) {
	over := strings.Repeat("x", 21)
	for _, inside := range []bool{false, true} {
		r := notesRig(t)
		r.Ingest.Limits.MaxAsset = 20
		text := `[{"id":"a","files":["files/over","files/fine"]}]`
		if inside {
			text = `[{"id":"a","inside":["` + over + `","fine"]}]`
		}
		m := read(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": text, "files/over": over, "files/fine": strings.Repeat("y", 20)})))
		q := quarantined(t, r, m)
		if !inside {
			if len(q) != 1 || q[0].Member != "files/over" || q[0].Archive != "export-0.zip" || !q[0].IsAsset() || q[0].Size != 21 {
				t.Errorf("quarantined %+v", q)
			}
			if m.Counts.AssetsMissing() != 2 || m.Counts.Assets.Files != 1 {
				t.Errorf("counts %+v", m.Counts)
			}
		} else if len(q) != 2 || q[0].Member != "notes.json" || m.Counts.AssetsMissing() != 1 || m.Counts.Conversations != 1 {
			t.Errorf("%+v, %+v", q, m.Counts)
		}
	}
}

func TestADamagedAssetIsQuarantinedAlone(t *testing.T) {
	r := notesRig(t)
	body := stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"a","files":["files/bad"]}]`, "files/bad": strings.Repeat("unlike anything else, ", 50), "files/good": "good"})
	// A byte of the packed data, which starts behind the name in the local header.
	body[strings.Index(string(body), "files/bad")+len("files/bad")+5] ^= 0xff
	m := read(t, r, r.PutDrop(t, body))
	q := quarantined(t, r, m)
	if len(q) != 1 || q[0].Code != state.CodeAssetUnreadable || m.Counts.Assets.Files != 1 || m.Counts.Conversations != 1 {
		t.Errorf("%+v, %+v", q, m.Counts)
	}
	if got := assetRefs(t, r, m); !slices.Equal(got, []string{refOf("good", ".txt")}) {
		t.Errorf("assets %v", got)
	}
}

func TestAResumedIngestDoesNotCopyListedAssetsAgain(t *testing.T) {
	r := notesRig(t)
	drop := r.PutDrop(t, notesExport(t))
	lists := 0
	broken := r.On(r.Data.View(func(c statetest.Call) error {
		if c.IsWrite() && strings.Contains(c.Key, "/snapshots/") {
			return statetest.ErrCrashed
		}
		if c.IsWrite() && strings.Contains(c.Key, "/imports/") {
			lists++
		}
		return nil
	}, nil))
	broken.Ingest.Workers = 1
	if _, err := broken.Read(t.Context(), drop); err == nil || lists != 1 {
		t.Fatalf("%d lists: %v", lists, err)
	}
	copied := []string{state.AssetKey(owner, refOf(large, ".txt")), state.AssetKey(owner, refOf("a", ".txt")), state.AssetKey(owner, refOf("b", ".txt"))}
	var again []string
	resumed := r.On(r.Data.View(func(c statetest.Call) error {
		if c.IsWrite() && slices.Contains(copied, c.Key) {
			again = append(again, c.Key)
		}
		return nil
	}, nil))
	resumed.Ingest.Workers = 1
	if m := read(t, resumed, drop); len(again) > 0 || m.Counts.Assets.Files != 6 || len(m.AssetLists) != 1 {
		t.Errorf("copied again: %v; %+v", again, m.Counts.Assets)
	}
}

// A drop whose files the limits on archives allow now, and did not allow before, is copied as it is
// now.
func TestAListOfOtherMembersIsNotTakenOver(t *testing.T) {
	one := []state.AssetMember{{Importer: "a"}}
	two := []state.AssetMember{{Importer: "a"}, {Importer: "a"}}
	if state.AssetListName(one) == state.AssetListName(two) {
		t.Error("lists of other members have one name")
	}
}

// Storage that fails while a file is read is not the file's fault.
func TestAnOutageWhileAnAssetIsReadIsNoLoss(t *testing.T) {
	noise := make([]byte, 6<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise) // never fails
	r := notesRig(t)
	drop := r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"a","files":["files/noise"]}]`, "files/noise": string(noise)}))
	broken := r.On(objects.ClassedStore{Store: &breaking{Store: r.Data, from: 2 << 20}})
	broken.Ingest.Workers = 1
	if _, err := broken.Read(t.Context(), drop); fault.Of(err) != fault.Outage {
		t.Fatalf("%s: %v", fault.Of(err), err)
	}
	noScratch(t, r)
	if m := read(t, r, drop); m.Counts.Assets.Files != 1 || m.Counts.Quarantined != 0 {
		t.Errorf("after the outage: %+v", m.Counts)
	}
	noScratch(t, r)
}

func noScratch(t *testing.T, r *stagetest.Rig) {
	t.Helper()
	left, err := os.ReadDir(r.Ingest.Scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("%d files are left in the scratch folder (%v)", len(left), err)
	}
}

func TestALowLimitForAssetsIsAnotherImport(t *testing.T) {
	id := func(l state.Limits) string { return state.ImportID("me", "d", nil, nil, "", l) }
	if id(state.Limits{}) != id(state.Limits{MaxAsset: state.DefaultMaxAsset}) {
		t.Error("the default has a name of its own")
	}
	if id(state.Limits{}) == id(state.Limits{MaxAsset: 5}) {
		t.Error("a low limit has not")
	}
}
