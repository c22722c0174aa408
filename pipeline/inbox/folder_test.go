package inbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// folderRig is a drop folder over the inbox of a rig.
type folderRig struct {
	*rig
	*Folder
	taken []localEntry
	err   error // of the next takes
	now   int   // looks so far
}

// newFolderRig gives a drop folder in which folders must be unchanged for some looks. It records
// what is taken; real takes it, too.
func newFolderRig(t testing.TB, quietLooks int, real bool) *folderRig {
	t.Helper()
	r := &folderRig{rig: newRig(t, func(o *Options) { o.Quiet, o.Bucket = time.Duration(quietLooks)*time.Second, "" })}
	r.Folder = NewFolder(r.rig.Options, FolderOptions{Path: t.TempDir(), Settle: time.Second, Scratch: t.TempDir()}, r.rig)
	take := r.take
	r.take = func(ctx context.Context, l localEntry) error {
		r.taken = append(r.taken, l)
		if r.err != nil || !real {
			return r.err
		}
		return take(ctx, l)
	}
	return r
}

func (r *folderRig) write(t testing.TB, name, text string) {
	t.Helper()
	writeLocal(t, filepath.Join(r.Path, name), text)
}

// look looks once and takes what is ready. It gives the names of what was taken.
func (r *folderRig) look(t testing.TB) (names []string) {
	t.Helper()
	r.taken = nil
	if err := r.Folder.look(); err != nil {
		t.Fatal(err)
	}
	r.now++
	for r.takeNext(t.Context(), state.LaneSmall) || r.takeNext(t.Context(), state.LaneBulk) {
	}
	for _, l := range r.taken {
		names = append(names, l.owner+"/"+l.name())
	}
	return names
}

func TestDropFolderTakesAFolderWhenItIsMarkedOrQuiet(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 4, true)
	r.write(t, "ann/export/conversations.json", "[]")
	r.write(t, "ann/alone.json", "[]")
	r.write(t, "root.json", "mine")
	r.look(t)
	if got := r.look(t); fmt.Sprint(got) != "[ann/alone.json me/root.json]" {
		t.Errorf("after two looks: %v, want the files alone", got)
	}
	r.look(t)
	r.write(t, "ann/export/user.json", "{}")
	for i := range 4 {
		if got := r.look(t); len(got) != 0 {
			t.Errorf("look %d after a change: %v", i, got)
		}
	}
	if got := r.look(t); fmt.Sprint(got) != "[ann/export]" {
		t.Errorf("when it has been quiet for 4 looks: %v", got)
	}
	r.write(t, "ann/export/_COMPLETE", "importer: chatgpt\n")
	r.look(t)
	if got := r.look(t); fmt.Sprint(got) != "[ann/export]" || len(r.asked) != 4 || r.asked[3] != r.asked[2]+" chatgpt" {
		t.Errorf("with its marker: %v, asked for %v: the marker is no part of the content", got, r.asked)
	}
	for range 5 {
		if got := r.look(t); len(got) != 0 {
			t.Errorf("taken again: %v", got)
		}
	}
}

func TestUnfinishedUploadKeepsAFolderFromBeingQuiet(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 3, false)
	r.write(t, "ann/export/a.json", "[]")
	for i := range 6 {
		r.write(t, "ann/export/b.json.part", strings.Repeat("x", i))
		if got := r.look(t); len(got) != 0 {
			t.Errorf("look %d: %v", i, got)
		}
	}
}

func TestDropFolderTakesArchivesOfAFolderAsParts(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 1, true)
	for i := range 2 {
		r.write(t, fmt.Sprintf("ann/takeout/takeout-%d.zip", i), fmt.Sprint("PK\x03\x04 and so on ", i))
	}
	r.write(t, "ann/takeout/.DS_Store", "x")
	r.write(t, "ann/mixed/one.zip", "PK\x03\x04 and so on")
	r.write(t, "ann/mixed/readme.txt", "hello")
	r.write(t, "ann/deep/in/one.zip", "PK\x03\x04 and so on")
	r.look(t)
	r.look(t)
	parts := map[string]int{}
	for _, asked := range r.asked {
		rec, err := state.ReadDrop(t.Context(), r.memory, "ann", strings.Fields(asked)[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range rec.Parts {
			parts[p.Name]++
			if _, there := r.memory.Body(p.Key); !there {
				t.Errorf("%s was not copied", p.Name)
			}
		}
	}
	if want := map[string]int{"takeout-0.zip": 1, "takeout-1.zip": 1, "mixed": 1, "deep": 1}; fmt.Sprint(parts) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", parts, want)
	}
}

func TestDropFolderSaysOnceWhatItSkips(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 1, true)
	outside := filepath.Join(t.TempDir(), "private.json")
	writeLocal(t, outside, "[]")
	if err := os.MkdirAll(filepath.Join(r.Path, "ann"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(r.Path, "ann", "secret name.json")); err != nil {
		t.Skip("this user may not make symbolic links")
	}
	r.write(t, "Ann Smith/x.json", "[]")
	for range 4 {
		if got := r.look(t); len(got) != 0 {
			t.Errorf("taken: %v", got)
		}
	}
	var text []string
	for _, e := range r.logs.All() {
		text = append(text, fmt.Sprint(e.Message, e.ContextMap()))
	}
	said := strings.Join(text, "\n")
	if r.logs.Len() != 2 || !strings.Contains(said, "link") || !strings.Contains(said, "owner id") || strings.Contains(said, "secret") || strings.Contains(said, "Smith") {
		t.Errorf("%d messages:\n%s", r.logs.Len(), said)
	}
}

func TestFolderIsTakenWithoutItsLinks(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 1, true)
	r.write(t, "ann/export/conversations.json", "[]")
	for _, name := range []string{"user.json", "images"} {
		if err := os.Symlink(r.Path, filepath.Join(r.Path, "ann/export", name)); err != nil {
			t.Skip("this user may not make symbolic links")
		}
	}
	r.look(t)
	r.look(t)
	if left := r.logs.FilterField(zap.Int("left_out", 2)); len(r.asked) != 1 || left.Len() != 1 {
		t.Errorf("asked for %v; log %v", r.asked, r.logs.All())
	}
}

func TestDropFolderSaysOnceThatAFolderHasNoFile(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 2, true)
	r.write(t, "ann/export/_COMPLETE", "")
	if err := os.MkdirAll(filepath.Join(r.Path, "bob/export"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(r.Path, "ann"), filepath.Join(r.Path, "bob/export/conversations.json")); err != nil {
		t.Skip("this user may not make symbolic links")
	}
	for range 5 {
		r.look(t)
	}
	if r.logs.FilterField(zap.String("owner", "ann")).Len() != 1 || r.logs.FilterField(zap.String("owner", "bob")).Len() != 1 || r.logs.Len() != 2 || len(r.asked) != 0 {
		t.Errorf("asked for %v, said: %v", r.asked, r.logs.All())
	}
	r.write(t, "ann/export/conversations.json", "[]")
	r.look(t)
	r.look(t)
	if len(r.asked) != 1 {
		t.Errorf("with a file in it: %v", r.asked)
	}
}

func TestMarkerThatIsWrongWaitsForAChange(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 1, true)
	r.write(t, "ann/export/conversations.json", "[]")
	r.write(t, "ann/export/_COMPLETE", "owner: bob\n")
	for range 6 {
		r.look(t)
	}
	if len(r.asked) != 0 || r.logs.Len() != 1 || r.logs.All()[0].Level != zap.WarnLevel {
		t.Errorf("asked for %v, said: %v", r.asked, r.logs.All())
	}
	r.write(t, "ann/export/_COMPLETE", "importer: chatgpt\n")
	r.look(t)
	r.look(t)
	if len(r.asked) != 1 {
		t.Errorf("with a marker that is right: %v", r.asked)
	}
}

func TestDropThatCannotBeReadIsTriedAgainAfterGrowingPauses(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"rights": &fault.NamedError{Doing: "open", Name: "/drops/my secret.zip", Err: &fs.PathError{Op: "open", Path: "/drops/my secret.zip", Err: fs.ErrPermission}},
		"outage": &fault.Fault{Class: fault.Outage, Err: errors.New("no storage")},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFolderRig(t, 1, true)
			r.write(t, "ann/my secret.zip", "x")
			r.err = err
			var tried []int
			for now := range 30 {
				if len(r.look(t)) > 0 {
					tried = append(tried, now)
				}
				if len(tried) == 4 {
					r.err = nil
				}
			}
			if want := []int{1, 2, 4, 8, 16}; !slices.Equal(tried, want) || len(r.asked) != 1 {
				t.Errorf("tried at looks %v, want %v: who grants the right to read a file changes neither its size nor its time", tried, want)
			}
			for _, e := range r.logs.FilterMessage("take drop failed").All() {
				if said := e.ContextMap()["error"].(string); strings.Contains(said, "secret") || name == "rights" && !strings.Contains(said, "let the user who runs pamline read it") {
					t.Errorf("said %q", said)
				}
			}
		})
	}
}

func TestPausesBetweenAttemptsStopGrowing(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 1, false)
	r.write(t, "ann/a.zip", "x")
	r.err = &fault.Fault{Class: fault.Outage, Err: errors.New("no storage")}
	last, most := 0, 0
	for now := range 300 {
		if len(r.look(t)) > 0 {
			most, last = max(most, now-last), now
		}
	}
	if most != maxRetryPause {
		t.Errorf("the longest pause is %d looks, want %d", most, maxRetryPause)
	}
}

func TestDropThatIsRefusedIsNotTriedAgainUntilItChanges(t *testing.T) {
	t.Parallel()
	r := newFolderRig(t, 1, false)
	r.write(t, "ann/a.zip", "x")
	r.err = fault.Permanentf("do something else", "it is wrong")
	tries := 0
	for range 20 {
		tries += len(r.look(t))
	}
	r.write(t, "ann/a.zip", "another")
	for range 20 {
		tries += len(r.look(t))
	}
	if tries != 2 {
		t.Errorf("tried %d times, want 2", tries)
	}
}

func TestFolderThatCannotBeLookedAtIsTakenWhenItCan(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may read every folder, whatever its mode")
	}
	r := newFolderRig(t, 1, true)
	r.write(t, "ann/export/deep/a.json", "x")
	deep := filepath.Join(r.Path, "ann/export/deep")
	if err := os.Chmod(deep, 0); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		r.look(t)
	}
	if err := os.Chmod(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if r.logs.Len() != 1 || len(r.asked) != 0 {
		t.Errorf("asked for %v, said %v", r.asked, r.logs.All())
	}
	r.look(t)
	r.look(t)
	if len(r.asked) != 1 {
		t.Errorf("asked for %v", r.asked)
	}
}
