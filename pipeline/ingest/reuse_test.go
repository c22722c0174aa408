package ingest_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/known"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/cut"
)

// counting is an importer that counts what it decodes.
type counting struct {
	*cut.Format
	n *atomic.Int64
}

func (c counting) Decode(u providers.Unit) ([]providers.Item, error) {
	c.n.Add(1)
	return c.Format.Decode(u)
}

// knownRig gives a rig with small packs, and how many units its importer of notes has decoded.
func knownRig(t *testing.T) (*stagetest.Rig, *atomic.Int64) {
	t.Helper()
	r, n := stagetest.New(t), new(atomic.Int64)
	notes, _ := stagetest.NewNotes("notes", "").(*cut.Format)
	r.Ingest.Registry = providers.NewRegistry(counting{notes, n})
	r.Ingest.Limits.ShardItems, r.Ingest.Finder = 3, r.Extraction.Finder
	return r, n
}

// manyNotes are talks with numbers from 1 on, some of which say something of the person, with a
// file, a file inside, a record, or in an unknown form.
func manyNotes(numbers ...int) (talks []string) {
	for _, n := range numbers {
		talk := fmt.Sprintf(`"id":"%d","text":"What is %d?"`, n, n)
		switch n % 8 {
		case 1:
			talk = fmt.Sprintf(`"id":"%d","text":"I live in Ghent%d. Remember that my password is hunter2!x%d."`, n, n, n)
		case 3:
			talk += `,"files":["files/a"]`
		case 4:
			talk += `,"inside":["within"]`
		case 5:
			talk += `,"odd":2`
		case 6:
			talk = fmt.Sprintf(`"record":{"kind":"memory","text":"User keeps %d hens."}`, n)
		}
		talks = append(talks, "{"+talk+"}")
	}
	return talks
}

func numbers(from, to int) (all []int) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

func notesZip(t *testing.T, talks []string) []byte {
	return stagetest.Zip(t, map[string]string{"notes.json": "[" + strings.Join(talks, ",\n") + "]", "files/a": "a"})
}

// grownNotes are the talks of a later archive: of 24, one has changed, and two are new.
func grownNotes(t *testing.T) []byte {
	talks := manyNotes(append([]int{25}, append(numbers(1, 12), append([]int{26}, numbers(13, 24)...)...)...)...)
	talks[10] = `{"id":"10","text":"What is 10? I love chess."}`
	return notesZip(t, talks)
}

func importDrop(t *testing.T, r *stagetest.Rig, archive []byte) {
	t.Helper()
	if _, _, err := r.Import(t.Context(), r.PutDrop(t, archive)); err != nil {
		t.Fatal(err)
	}
}

// importObjects gives the objects of an import, and the files of all.
func importObjects(r *stagetest.Rig, m state.Manifest) map[string]string {
	all := storedObjects(r)
	maps.DeleteFunc(all, func(key, _ string) bool {
		return !strings.HasPrefix(key, state.ImportKey(owner, m.Import, "")) && !strings.HasPrefix(key, state.AssetKey(owner, state.AssetsFolder))
	})
	return all
}

// withoutKnown gives the objects without the known elements.
func withoutKnown(all map[string]string) map[string]string {
	all = maps.Clone(all)
	maps.DeleteFunc(all, func(key, _ string) bool { return strings.Contains(key, "/known/") })
	return all
}

// afresh gives the objects of the import of an archive into an empty store.
func afresh(t *testing.T, archive []byte, change func(*stagetest.Rig)) map[string]string {
	t.Helper()
	r, _ := knownRig(t)
	change(r)
	return importObjects(r, read(t, r, r.PutDrop(t, archive)))
}

func TestAGrownArchiveComesToTheSameObjectsWithKnownElements(t *testing.T) {
	shuffled := manyNotes(numbers(1, 24)...)
	for i := range shuffled {
		k := i * 7 % len(shuffled)
		shuffled[i], shuffled[k] = shuffled[k], shuffled[i]
	}
	moved := stagetest.Zip(t, map[string]string{"notes.json": "[" + strings.Join(manyNotes(25, 26), ",") + "]", "other/notes.json": "[" + strings.Join(manyNotes(numbers(1, 24)...), ",") + "]", "files/a": "a"})
	cases := map[string]struct {
		archive []byte
		change  func(*stagetest.Rig)
		decoded int64
	}{
		// Of the 24 talks, 3 are records, 3 have files and 3 have files inside.
		"one worker":            {grownNotes(t), func(r *stagetest.Rig) { r.Ingest.Workers = 1 }, 9 + 3},
		"many workers":          {grownNotes(t), func(r *stagetest.Rig) { r.Ingest.Workers = 8 }, 9 + 3},
		"extracted by stage":    {grownNotes(t), func(r *stagetest.Rig) { r.Ingest.Finder = nil }, 9 + 3},
		"other limits of packs": {grownNotes(t), func(r *stagetest.Rig) { r.Ingest.Limits.ShardItems = 5 }, 9 + 3},
		"another order":         {notesZip(t, shuffled), func(*stagetest.Rig) {}, -1},
		"another importer":      {moved, func(r *stagetest.Rig) { r.Ingest.Registry = stagetest.NotesRegistry() }, -1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r, decoded := knownRig(t)
			importDrop(t, r, notesZip(t, manyNotes(numbers(1, 24)...)))
			decoded.Store(0)
			c.change(r)
			m := read(t, r, r.PutDrop(t, c.archive))
			if n := decoded.Load(); c.decoded >= 0 && n != c.decoded {
				t.Errorf("%d units were decoded, want %d", n, c.decoded)
			}
			want := afresh(t, c.archive, c.change)
			if got := importObjects(r, m); !maps.Equal(withoutKnown(got), withoutKnown(want)) {
				t.Error("the objects differ from those of an import that knows nothing")
			} else if !maps.Equal(got, want) {
				t.Error("the known elements differ from those of an import that knows nothing")
			}
			// The next archive knows the elements of the second as well.
			if name == "many workers" {
				importDrop(t, r, c.archive)
				decoded.Store(0)
				read(t, r, r.PutDrop(t, notesZip(t, manyNotes(numbers(1, 26)...))))
				if n := decoded.Load(); n != 9+0 {
					t.Errorf("%d units of the third archive were decoded", n)
				}
			}
		})
	}
}

// What was not extracted while the first archive was read is extracted in the document that is
// taken over.
func TestKnownElementsWithoutFindingsAreExtracted(t *testing.T) {
	r, decoded := knownRig(t)
	r.Ingest.Finder = nil
	importDrop(t, r, notesZip(t, manyNotes(numbers(1, 24)...)))
	decoded.Store(0)
	r.Ingest.Finder = r.Extraction.Finder
	m := read(t, r, r.PutDrop(t, grownNotes(t)))
	if n := decoded.Load(); n != 9+3 {
		t.Errorf("%d units were decoded", n)
	}
	if !maps.Equal(importObjects(r, m), afresh(t, grownNotes(t), func(*stagetest.Rig) {})) {
		t.Error("the objects differ from those of an import that knows nothing")
	}
}

// quiet is an extractor that finds nothing.
type quiet struct{}

func (quiet) Name() string      { return "quiet" }
func (quiet) Version() string   { return "pamline-quiet/1.0.0" }
func (quiet) Wants([]byte) bool { return true }
func (quiet) Extract(*pamio.Conversation, []byte) ([]normalize.Candidate, extract.Report) {
	return nil, extract.Report{}
}

func TestOnlyElementsThatWereReadAlikeAreKnown(t *testing.T) {
	newer := func(r *stagetest.Rig) {
		notes, _ := stagetest.NewNotes("notes", "").(*cut.Format)
		notes.Release = "notes-importer/2026.02"
		counted, _ := r.Ingest.Registry.ByName("notes")
		old, _ := counted.(counting)
		r.Ingest.Registry = providers.NewRegistry(counting{notes, old.n})
	}
	cases := map[string]func(*stagetest.Rig){
		"another version of the importer": newer,
		"other extractors":                func(r *stagetest.Rig) { r.Ingest.Extractors = builtin.Registry(quiet{}) },
		"other limits":                    func(r *stagetest.Rig) { r.Ingest.Limits.MaxDepth = 50 },
		"another owner":                   func(r *stagetest.Rig) { r.Owner = "you" },
		"a small archive":                 func(r *stagetest.Rig) { r.Ingest.ReuseFrom = 1 << 20 },
		"nothing is to be known":          func(r *stagetest.Rig) { r.Ingest.ReuseFrom = -1 },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			r, decoded := knownRig(t)
			importDrop(t, r, notesZip(t, manyNotes(numbers(1, 24)...)))
			decoded.Store(0)
			change(r)
			m := read(t, r, r.PutDrop(t, grownNotes(t)))
			if n := decoded.Load(); n != 26 {
				t.Errorf("%d of 26 units were decoded", n)
			}
			_, noted := r.Data.Body(known.Key(r.Owner, m.Import, 0))
			if want := r.Ingest.ReuseFrom == 1; noted != want {
				t.Errorf("known elements are there: %v, want %v", noted, want)
			}
		})
	}
}

func TestDamagedKnownElementsAndPacksAreDecodedAgain(t *testing.T) {
	r, decoded := knownRig(t)
	importDrop(t, r, notesZip(t, manyNotes(numbers(1, 24)...)))
	grown := grownNotes(t)
	drop := r.PutDrop(t, grown)
	want := afresh(t, grown, func(*stagetest.Rig) {})
	harmful := 0
	for key, body := range storedObjects(r) {
		damages := map[string]string{"removed": "", "empty": "", "shorter": body[:len(body)/2], "longer": body + "x"}
		for n, at := range []int{len(body) / 5, len(body) / 2, len(body) - 2} {
			if at >= 0 {
				damages[fmt.Sprint("bit flip ", n)] = body[:at] + string(body[at]^1) + body[at+1:]
			}
		}
		for name, damaged := range damages {
			d := r.Damaged(r.Data.Clone())
			var err error
			if name == "removed" {
				err = d.Store().Delete(t.Context(), key)
			} else {
				_, err = d.Store().Put(t.Context(), key, strings.NewReader(damaged), blob.PutOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
			decoded.Store(0)
			m, err := d.Read(t.Context(), drop)
			if err != nil {
				t.Errorf("%s %s: %v", key, name, err)
				continue
			}
			if decoded.Load() > 9+3 {
				harmful++
			}
			got := importObjects(d, m)
			delete(got, key) // a file
			without := maps.Clone(want)
			delete(without, key)
			if !maps.Equal(got, without) {
				t.Errorf("%s %s: the objects differ", key, name)
			}
		}
	}
	if harmful < 20 {
		t.Errorf("only %d cases of damage reached known elements", harmful)
	}
}

// A store that cannot be read for known elements is as one without them.
func TestAFailureOfStorageLeavesElementsUnknown(t *testing.T) {
	r, decoded := knownRig(t)
	importDrop(t, r, notesZip(t, manyNotes(numbers(1, 24)...)))
	grown := grownNotes(t)
	drop := r.PutDrop(t, grown)
	want := afresh(t, grown, func(*stagetest.Rig) {})
	fails, earlier := errors.New("storage fails"), state.ImportKey(owner, imported(t, r), "")
	for _, key := range []string{earlier + "known/", earlier + "snapshots/", earlier + "manifest.json", state.OwnerKey(owner, "inputs/"), state.OwnerKey(owner, "jobs/")} {
		d := r.Damaged(r.Data.Clone())
		var failed atomic.Int64 // packs are looked at side by side
		broken := d.On(d.Data.View(func(c statetest.Call) error {
			if !c.IsWrite() && strings.HasPrefix(c.Key, key) {
				failed.Add(1)
				return fails
			}
			return nil
		}, nil))
		decoded.Store(0)
		m, err := broken.Read(t.Context(), drop)
		switch {
		case err != nil:
			t.Errorf("%s: %v", key, err)
		case !maps.Equal(importObjects(d, m), want):
			t.Errorf("%s: the objects differ", key)
		case failed.Load() == 0 || decoded.Load() != 26:
			t.Errorf("%s: %d calls failed, %d units were decoded", key, failed.Load(), decoded.Load())
		}
	}
}

func TestAnErasedConversationDoesNotComeBackFromKnownElements(t *testing.T) {
	r, decoded := knownRig(t)
	importDrop(t, r, notesZip(t, manyNotes(numbers(1, 24)...)))
	list, err := state.OpenPackList(t.Context(), r.Store(), state.PackListKey(owner, imported(t, r), 0))
	if err != nil {
		t.Fatal(err)
	}
	erased := ""
	for line, err := range list.Lines {
		if err != nil {
			t.Fatal(err)
		}
		erased = line.Conversation
		break
	}
	_, err = ledger.Change(t.Context(), r.Store(), owner, func() string { return "secret" }, func(l *ledger.Ledger) {
		l.Entries = append(l.Entries, ledger.Entry{At: "2026-01-01T00:00:00Z", Level: "conversation", Keys: []string{l.Key(ledger.Conversation, erased)}})
	})
	if err != nil {
		t.Fatal(err)
	}
	drop := r.PutDrop(t, grownNotes(t))
	plain := r.Damaged(r.Data.Clone())
	plain.Ingest.ReuseFrom = -1
	want := withoutKnown(importObjects(plain, read(t, plain, drop)))
	decoded.Store(0)
	m := read(t, r, drop)
	if n := decoded.Load(); n != 9+3 {
		t.Errorf("%d units were decoded", n)
	}
	if m.Counts.Skips[ledger.CodeErased].Count != 1 || m.Counts.Units != 26 {
		t.Errorf("the counts are %+v", m.Counts)
	}
	if !maps.Equal(withoutKnown(importObjects(r, m)), want) {
		t.Error("the objects differ from those of an import that knows nothing")
	}
	for key, body := range importObjects(r, m) {
		if strings.Contains(body, erased) {
			t.Errorf("%s names the erased conversation", key)
		}
	}
}

// imported gives the import of the only drop.
func imported(t *testing.T, r *stagetest.Rig) string {
	t.Helper()
	in, err := state.ReadInputs(t.Context(), r.Store(), owner, r.Head(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range in.Drops {
		return e.Import
	}
	t.Fatal("nothing was imported")
	return ""
}

func TestACrashAtAnyWriteWithKnownElementsEndsInTheSameObjects(t *testing.T) {
	r, _ := knownRig(t)
	importDrop(t, r, notesZip(t, manyNotes(numbers(1, 24)...)))
	grown := grownNotes(t)
	drop := r.PutDrop(t, grown)
	want := afresh(t, grown, func(*stagetest.Rig) {})
	for n := 0; ; n += statetest.Stride(5) {
		d := r.Damaged(r.Data.Clone())
		c, reached := d.Crash(n)
		if _, err := c.Read(t.Context(), drop); reached() && !errors.Is(err, statetest.ErrCrashed) {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		m := read(t, d, drop)
		extractAll(t, d, m)
		if !maps.Equal(importObjects(d, m), want) {
			t.Errorf("after a crash at write %d the objects differ", n)
		}
		if !reached() {
			return
		}
	}
}
