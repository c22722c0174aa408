package inbox

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// readDrop gives the record of a drop of ann's.
func (r *rig) readDrop(t testing.TB, drop string) state.DropRecord {
	t.Helper()
	rec, err := state.ReadDrop(t.Context(), r.memory, "ann", drop)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// located gives where the parts of a drop of ann's are read; "" if a part is nowhere.
func (r *rig) located(t testing.TB, drop string) string {
	t.Helper()
	at, ok, err := r.readDrop(t, drop).Locate(t.Context(), r.memory)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return ""
	}
	var keys []string
	for _, p := range at.Parts {
		keys = append(keys, strings.TrimPrefix(p.Key, "inbox/ann/"))
	}
	return strings.Join(keys, " ")
}

func (r *rig) remove(t testing.TB, key string) {
	t.Helper()
	if err := r.memory.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
}

func TestRecordOfADropFollowsItsContent(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	drop := dropOf("talks")
	r.put(t, "inbox/ann/a.json", "talks")
	r.takeAll(t)
	r.put(t, "inbox/ann/a.json", "other talks")
	if asked := r.takeAll(t); fmt.Sprint(asked) != "[ann "+dropOf("other talks")+"]" || r.located(t, drop) != "" {
		t.Errorf("asked for %v; what was replaced is found in %q", asked, r.located(t, drop))
	}
	r.put(t, "inbox/ann/b.json", "talks")
	if asked := r.takeAll(t); fmt.Sprint(asked) != "[ann "+drop+"]" || r.located(t, drop) != "b.json" {
		t.Errorf("asked for %v, found in %q", asked, r.located(t, drop))
	}
	r.remove(t, "inbox/ann/b.json")
	file := filepath.Join(t.TempDir(), "given.json")
	writeLocal(t, file, "talks")
	if _, err := TakeIn(t.Context(), r.memory, "ann", []string{file}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if at := r.located(t, drop); at != drop+"/part-000" {
		t.Errorf("found in %q", at)
	}
	r.put(t, "inbox/ann/c.json", "talks")
	r.takeAll(t)
	r.remove(t, "inbox/ann/"+drop+"/part-000")
	if at := r.located(t, drop); at != "c.json" {
		t.Errorf("without its copy it is found in %q", at)
	}
}

func TestPartsAreFoundWhereverTheyLie(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, folder := range []string{"one", "two"} {
		for i := range 2 {
			r.put(t, fmt.Sprintf("inbox/ann/%s/takeout-%d.zip", folder, i), fmt.Sprint("PK\x03\x04 ", i))
		}
		r.put(t, "inbox/ann/"+folder+"/_COMPLETE", "")
	}
	asked := r.takeAll(t)
	if len(asked) != 2 || asked[0] != asked[1] {
		t.Fatalf("asked for %v", asked)
	}
	r.put(t, "inbox/ann/one/takeout-0.zip", "no archive")
	r.remove(t, "inbox/ann/two/takeout-1.zip")
	at := r.located(t, strings.Fields(asked[0])[1])
	if !strings.Contains(at, "two/takeout-0.zip") || !strings.Contains(at, "one/takeout-1.zip") {
		t.Errorf("found in %q", at)
	}
}

func TestUnpackedExportIsFoundInTheOtherFolder(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, folder := range []string{"one", "two"} {
		for name, text := range unpacked {
			r.put(t, "inbox/ann/"+folder+"/"+name, text)
		}
		r.put(t, "inbox/ann/"+folder+"/_COMPLETE", "")
	}
	asked := r.takeAll(t)
	drop := strings.Fields(asked[0])[1]
	if len(asked) != 2 || asked[0] != asked[1] || r.located(t, drop) != "one/" {
		t.Fatalf("asked for %v, found in %q", asked, r.located(t, drop))
	}
	r.put(t, "inbox/ann/one/user.json", "[]")
	if at := r.located(t, drop); at != "two/" {
		t.Errorf("found in %q", at)
	}
}

func TestAsManyPlacesAreRememberedAsFit(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	take := func(i int) {
		t.Helper()
		r.put(t, fmt.Sprintf("inbox/ann/%02d.json", i), "talks")
		r.takeAll(t)
	}
	also := func() (keys []string) {
		for _, p := range r.readDrop(t, dropOf("talks")).Parts[0].Also {
			keys = append(keys, strings.TrimPrefix(p.Key, "inbox/ann/"))
		}
		return keys
	}
	for i := range state.MaxAlso + 3 {
		take(i)
	}
	if got := also(); len(got) != state.MaxAlso || got[state.MaxAlso-1] != "08.json" {
		t.Errorf("remembered are %v", got)
	}
	r.remove(t, "inbox/ann/02.json")
	r.remove(t, "inbox/ann/05.json")
	take(20)
	if got := also(); len(got) != state.MaxAlso-1 || got[state.MaxAlso-2] != "20.json" {
		t.Errorf("when some have gone, remembered are %v", got)
	}
}

func TestFoldersOfManyFilesAreRememberedAsFarAsTheirFilesFit(t *testing.T) {
	t.Parallel()
	folder := func(key string, files int) state.DropPart {
		p := state.DropPart{Key: key, Folder: true}
		for i := range files {
			p.Files = append(p.Files, state.DropFile{Name: fmt.Sprint(i), Key: fmt.Sprint(key, i)})
		}
		return p
	}
	memory := statetest.New()
	p := folder("inbox/ann/a/", 6000)
	for i, key := range []string{"inbox/ann/b/", "inbox/ann/c/"} {
		here := folder(key, 6000)
		next, err := p.AddPlace(t.Context(), memory, here)
		if err != nil {
			t.Fatal(err)
		}
		// At c, the places before have no room, and lie nowhere any more: c takes their place.
		if want := []int{1, 0}[i]; len(next.Also) != want || i == 1 && next.Key != key {
			t.Errorf("%s: at %s and %d further places", key, next.Key, len(next.Also))
		}
		p = next
	}
}

func TestPlacesThatAreTakenAtOnceAreBothRemembered(t *testing.T) {
	t.Parallel()
	start := newRig(t, nil)
	tasks := map[string]Task{}
	for _, name := range []string{"a", "b", "c"} {
		start.put(t, "inbox/ann/"+name+".json", "talks")
		tasks[name] = Task{V: 1, Owner: "ann", Key: "inbox/ann/" + name + ".json"}
	}
	if err := start.Take(t.Context(), tasks["a"], true); err != nil {
		t.Fatal(err)
	}
	taker := func(name string) statetest.Actor {
		return func(p *statetest.Process) {
			rec := start.readDrop(t, dropOf("talks"))
			rec.Parts[0].Key, rec.Parts[0].Also = tasks[name].Key, nil
			if err := recordDrop(t.Context(), p.Store(), rec); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	most := 0
	stats, err := statetest.Exploration{
		Start: start.memory, Actors: map[string]statetest.Actor{"b": taker("b"), "c": taker("c")}, Switches: -1,
		Check: func(before, after *statetest.Store) error {
			was, err := state.ReadDrop(t.Context(), before, "ann", dropOf("talks"))
			if err != nil {
				return err
			}
			is, err := state.ReadDrop(t.Context(), after, "ann", dropOf("talks"))
			if len(is.Parts[0].Also) <= len(was.Parts[0].Also) {
				return fmt.Errorf("a place was forgotten: %+v", is)
			}
			most = max(most, len(is.Parts[0].Also))
			return err
		},
	}.Explore()
	if err != nil || most != 2 || stats.Runs < 3 {
		t.Errorf("%+v, %d places, %v", stats, most, err)
	}
}

// Whoever may write into an inbox may write drop.json, too.
func TestRecordThatLeadsOutOfTheInboxIsNotBelieved(t *testing.T) {
	t.Parallel()
	drop, other := dropOf("talks"), dropOf("secret")
	part := func(p state.DropPart) state.DropRecord {
		p.Name, p.SHA256, p.Size = "a", drop, 6
		return state.DropRecord{V: 1, Owner: "eve", Drop: drop, Parts: []state.DropPart{p}}
	}
	also := func(a state.DropPart) state.DropRecord {
		a.Name, a.Size = "b", 6
		if a.SHA256 == "" {
			a.SHA256 = drop
		}
		return part(state.DropPart{Key: "inbox/eve/a.json", Also: []state.DropPart{a}})
	}
	ofAnn := part(state.DropPart{Key: "inbox/eve/a.json"})
	ofAnn.Owner = "ann"
	ofAnother := part(state.DropPart{Key: "inbox/eve/a.json"})
	ofAnother.Parts[0].SHA256 = other
	private := []state.DropFile{{Name: "x.json", Key: "inbox/ann/private.json"}}
	for name, rec := range map[string]state.DropRecord{
		"an object of another inbox":         part(state.DropPart{Key: "inbox/ann/private.json"}),
		"an object of the root":              part(state.DropPart{Key: "inbox/root.json"}),
		"an object of no inbox":              part(state.DropPart{Key: "owners/ann/head.json"}),
		"a folder of another inbox":          part(state.DropPart{Key: "inbox/ann/", Files: private}),
		"files outside their folder":         part(state.DropPart{Key: "inbox/eve/f/", Files: private}),
		"a folder without its slash":         part(state.DropPart{Key: "inbox/eve/f", Files: []state.DropFile{{Name: "x.json", Key: "inbox/eve/fg/x.json"}}}),
		"a further place in another inbox":   also(state.DropPart{Key: "inbox/ann/private.json"}),
		"a further place of another content": also(state.DropPart{Key: "inbox/eve/b.json", SHA256: other}),
		"a further place of a further place": also(state.DropPart{Key: "inbox/eve/b.json", Also: []state.DropPart{{Key: "inbox/ann/private.json", SHA256: drop}}}),
		"a further folder elsewhere":         also(state.DropPart{Key: "inbox/eve/f/", Files: private}),
		"more places than are written":       part(state.DropPart{Key: "inbox/eve/a.json", Also: make([]state.DropPart, state.MaxAlso+1)}),
		"another owner's":                    ofAnn,
		"another drop's":                     ofAnother,
		"no parts":                           {V: 1, Owner: "eve", Drop: drop},
	} {
		r := newRig(t, nil)
		r.put(t, "inbox/ann/private.json", "secret")
		r.put(t, "inbox/eve/a.json", "talks")
		if err := objects.PutJSON(t.Context(), r.memory, state.DropKey("eve", drop, "drop.json"), rec); err != nil {
			t.Fatal(err)
		}
		if _, err := state.ReadDrop(t.Context(), r.memory, "eve", drop); fault.Of(err) != fault.Permanent {
			t.Errorf("%s is read: %v", name, err)
		}
		// It keeps nobody from the drop whose name it has.
		if err := r.Take(t.Context(), Task{V: 1, Owner: "eve", Key: "inbox/eve/a.json"}, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := state.ReadDrop(t.Context(), r.memory, "eve", drop); err != nil || now.Parts[0].Key != "inbox/eve/a.json" || len(now.Parts[0].Also) != 0 {
			t.Errorf("after %s the record is %+v (%v)", name, now, err)
		}
	}
}
