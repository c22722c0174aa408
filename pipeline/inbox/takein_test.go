package inbox

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

func TestArchivesSideBySideInAFolderAreTheDropTheyAreOnTheCommandLine(t *testing.T) {
	t.Parallel()
	local := t.TempDir()
	one, two := filepath.Join(local, "one.zip"), filepath.Join(local, "two.zip")
	writeLocal(t, one, "PK\x03\x04 one")
	writeLocal(t, two, "PK\x03\x04 two")
	r := newRig(t, nil)
	rec, err := TakeIn(t.Context(), r.memory, "bob", []string{one, two, one}, t.TempDir())
	if err != nil || len(rec.Parts) != 2 {
		t.Fatal(rec, err)
	}
	r.put(t, "inbox/ann/takeout/takeout-001.zip", "PK\x03\x04 two")
	r.put(t, "inbox/ann/takeout/takeout-002.zip", "PK\x03\x04 one")
	r.put(t, "inbox/ann/takeout/again.zip", "PK\x03\x04 one")
	r.put(t, "inbox/ann/takeout/_COMPLETE", "")
	if asked := r.takeAll(t); len(asked) != 1 || asked[0] != "ann "+rec.Drop {
		t.Errorf("asked for %v, want drop %s", asked, rec.Drop)
	}
}

func TestFolderInTheInboxIsTakenWithThePathsOfItsFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	task := putUnpacked(t, r)
	if err := r.Take(t.Context(), task, false); err != nil {
		t.Fatal(err)
	}
	drop := strings.Fields(r.asked[0])[1]
	rec, err := state.ReadDrop(t.Context(), r.memory, "ann", drop)
	if err != nil || len(rec.Parts) != 1 || !rec.Parts[0].Folder || rec.Parts[0].Name != "export" {
		t.Fatalf("%+v, %v", rec, err)
	}
	for _, f := range rec.Parts[0].Files {
		if text, ok := unpacked[f.Name]; !ok || f.SHA256 != objects.Digest(text) || f.ETag == "" || f.Key != task.Key+f.Name {
			t.Errorf("%+v", f)
		}
	}
	// Another name of a file makes it another drop.
	r.put(t, "inbox/bob/export/a.json", "x")
	r.put(t, "inbox/bob/export/_COMPLETE", "")
	r.put(t, "inbox/bob/other/b.json", "x")
	r.put(t, "inbox/bob/other/_COMPLETE", "")
	if asked := r.takeAll(t); len(asked) != 2 || asked[0] == asked[1] {
		t.Errorf("asked for %v", asked)
	}
}

func TestFolderIsTakenWhenItIsQuietByTheClockOfTheStore(t *testing.T) {
	t.Parallel()
	// The clock of this machine is years ahead; that must not make the folder old.
	r := newRig(t, func(o *Options) { o.Now = func() time.Time { return time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC) } })
	folder := Task{V: 1, Owner: "ann", Key: "inbox/ann/f/"}
	later := (*fault.Later)(nil)
	r.put(t, "inbox/ann/f/conversations.json", "x")
	r.memory.Advance(30 * time.Second)
	if err := r.Take(t.Context(), folder, true); !errors.As(err, &later) || later.After != 90*time.Second {
		t.Errorf("half a minute after the last change: %v", err)
	}
	r.memory.Advance(time.Hour)
	r.put(t, "inbox/ann/f/upload.part", "x")
	r.memory.Advance(time.Second)
	if err := r.Take(t.Context(), folder, true); !errors.As(err, &later) {
		t.Errorf("while something is being written there: %v", err)
	}
	r.memory.Advance(time.Hour)
	if err := r.Take(t.Context(), folder, true); err != nil || len(r.asked) != 1 {
		t.Errorf("when it is quiet: %v", err)
	}
	r.put(t, "inbox/ann/g/conversations.json", "y")
	r.put(t, "inbox/ann/g/_COMPLETE", "")
	if err := r.Take(t.Context(), Task{V: 1, Owner: "ann", Key: "inbox/ann/g/"}, true); err != nil || len(r.asked) != 2 {
		t.Errorf("with its marker: %v", err)
	}
	// A folder as store may show a file that is still growing.
	r.Bucket = ""
	r.put(t, "inbox/ann/growing.json", "x")
	if err := r.Take(t.Context(), Task{V: 1, Owner: "ann", Key: "inbox/ann/growing.json"}, true); !errors.As(err, &later) {
		t.Errorf("a file that may grow: %v", err)
	}
}

func TestTakingInAgainCopiesNothing(t *testing.T) {
	t.Parallel()
	memory := statetest.New()
	file := filepath.Join(t.TempDir(), "talks.json")
	writeLocal(t, file, "talks")
	for i, want := range []int{2, 1} { // the part and the record; then an attempt to write the record once
		writes := 0
		s := memory.View(func(c statetest.Call) error {
			if c.IsWrite() {
				writes++
			}
			return nil
		}, nil)
		rec, err := TakeIn(t.Context(), s, "ann", []string{file}, t.TempDir())
		if err != nil || rec.Drop != dropOf("talks") || writes != want {
			t.Errorf("time %d: %+v, %v, %d writes", i, rec, err, writes)
		}
	}
}

func TestTakeInThatCrashesAtAnyWriteIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "export")
	for name, text := range unpacked {
		writeLocal(t, filepath.Join(folder, name), text)
	}
	file := filepath.Join(t.TempDir(), "talks.json")
	writeLocal(t, file, "talks")
	for n := 0; ; n++ {
		memory := statetest.New()
		hook, reached := statetest.CrashAtWrite(n)
		scratch := t.TempDir()
		_, err := TakeIn(t.Context(), memory.View(hook, nil), "ann", []string{folder, file}, scratch)
		if (err != nil) != reached() {
			t.Fatalf("crash at write %d: %v", n, err)
		}
		if left, err := os.ReadDir(scratch); err != nil || len(left) != 0 {
			t.Errorf("crash at write %d leaves %v", n, left)
		}
		rec, err := TakeIn(t.Context(), memory, "ann", []string{folder, file}, scratch)
		if err != nil {
			t.Fatal(err)
		}
		if stored, err := state.ReadDrop(t.Context(), memory, "ann", rec.Drop); err != nil || len(stored.Parts) != 2 {
			t.Errorf("after a crash at write %d: %+v, %v", n, stored, err)
		}
		for _, p := range rec.Parts {
			if body, _ := memory.Body(p.Key); objects.Digest(body) != p.SHA256 {
				t.Errorf("after a crash at write %d: part %s is not whole", n, p.Name)
			}
		}
		if !reached() {
			return
		}
	}
}

func TestNameOfAFileThatCannotBeTakenIsInTheMessageAndNotInTheLog(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "my secret.zip")
	writeLocal(t, file, "x")
	changed := &verifyingReader{r: strings.NewReader("y"), h: sha256.New(), want: "another"}
	_, while := io.ReadAll(changed)
	for _, why := range []error{while, errors.New("no answer")} {
		hook := func(c statetest.Call) error {
			if c.Op == "put" {
				return &blob.Error{Op: "put", Err: why}
			}
			return nil
		}
		_, err := TakeIn(t.Context(), statetest.New().View(hook, nil), "me", []string{file}, t.TempDir())
		if err == nil || fault.Of(err) != fault.Outage || !strings.Contains(err.Error(), "my secret") {
			t.Errorf("take in: %v, want the name and class outage", err)
		}
		if said := textWithoutPath(err); strings.Contains(said, "secret") || !strings.Contains(said, why.Error()) {
			t.Errorf("the log says %q", said)
		}
	}
}
