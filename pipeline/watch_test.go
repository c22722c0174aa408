package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
)

func TestDropFolderTriesAgainAfterAnOutage(t *testing.T) {
	path := t.TempDir()
	writeFile(t, filepath.Join(path, "export.zip"), "x")
	calls := 0
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.NewNop(), Take: func(context.Context, LocalDrop) error {
		calls++
		if calls == 1 {
			return &fault.Fault{Class: fault.Outage, Err: errors.New("no storage")}
		}
		return nil
	}}
	for range 5 {
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if calls != 2 {
		t.Errorf("taken %d times, want 2: the drop waits until somebody changes it", calls)
	}
}

// watched folder with what was taken from it.
func watchedFolder(t *testing.T, quietLooks int, log *zap.Logger) (path string, look func() []LocalDrop) {
	t.Helper()
	path = t.TempDir()
	var taken []LocalDrop
	f := &Folder{Path: path, DefaultOwner: "me", QuietLooks: quietLooks, Log: log, Take: func(_ context.Context, d LocalDrop) error {
		taken = append(taken, d)
		return nil
	}}
	return path, func() []LocalDrop {
		t.Helper()
		taken = nil
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		return taken
	}
}

func writeIn(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, text)
}

func TestDropFolderTakesAFolderWhenItIsMarkedOrQuiet(t *testing.T) {
	path, look := watchedFolder(t, 4, zap.NewNop())
	writeIn(t, filepath.Join(path, "ann/export/conversations.json"), "[]")
	writeIn(t, filepath.Join(path, "ann/alone.json"), "[]")
	look()
	if got := look(); len(got) != 1 || filepath.Base(got[0].Paths[0]) != "alone.json" {
		t.Errorf("after two looks: %+v, want the file alone", got)
	}
	look()
	writeIn(t, filepath.Join(path, "ann/export/user.json"), "{}")
	for i := range 4 {
		if got := look(); len(got) != 0 {
			t.Errorf("look %d after a change: %+v", i, got)
		}
	}
	if got := look(); len(got) != 1 || filepath.Base(got[0].Paths[0]) != "export" || got[0].Owner != "ann" {
		t.Errorf("when it has been quiet for 4 looks: %+v", got)
	}
	writeIn(t, filepath.Join(path, "ann/export/_COMPLETE"), "importer: chatgpt\n")
	look()
	if got := look(); len(got) != 1 || got[0].Marker != "importer: chatgpt\n" {
		t.Errorf("with its marker: %+v", got)
	}
}

func TestDropFolderTakesArchivesOfAFolderAsParts(t *testing.T) {
	path, look := watchedFolder(t, 1, zap.NewNop())
	for _, name := range []string{"takeout-001.zip", "takeout-002.zip"} {
		writeIn(t, filepath.Join(path, "ann/takeout", name), "PK\x03\x04 and so on")
	}
	writeIn(t, filepath.Join(path, "ann/takeout/.DS_Store"), "x")
	writeIn(t, filepath.Join(path, "ann/mixed/one.zip"), "PK\x03\x04 and so on")
	writeIn(t, filepath.Join(path, "ann/mixed/readme.txt"), "hello")
	look()
	got := look()
	var paths []string
	for _, d := range got {
		for _, p := range d.Paths {
			paths = append(paths, filepath.Base(p))
		}
	}
	slices.Sort(paths)
	if len(got) != 2 || !slices.Equal(paths, []string{"mixed", "takeout-001.zip", "takeout-002.zip"}) {
		t.Errorf("%+v", got)
	}
}

func TestDropFolderSaysOnceWhatItPassesOver(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	path, look := watchedFolder(t, 1, zap.New(core))
	outside := filepath.Join(t.TempDir(), "private.json")
	writeFile(t, outside, "[]")
	if err := os.MkdirAll(filepath.Join(path, "ann"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(path, "ann", "secret name.json")); err != nil {
		t.Skip("this system lets nobody make links")
	}
	writeIn(t, filepath.Join(path, "Ann Smith/x.json"), "[]")
	for range 4 {
		if got := look(); len(got) != 0 {
			t.Errorf("taken: %+v", got)
		}
	}
	var said []string
	for _, e := range logs.All() {
		said = append(said, e.Message)
		for _, f := range e.Context {
			said = append(said, f.String)
		}
	}
	text := strings.Join(said, "\n")
	if logs.Len() != 2 || !strings.Contains(text, "link") || !strings.Contains(text, "owner id") || strings.Contains(text, "secret") || strings.Contains(text, "Smith") {
		t.Errorf("%d messages:\n%s", logs.Len(), text)
	}
}

func TestMarkerIsNoPartOfAPackedFolder(t *testing.T) {
	d := testDeps(t)
	folder := filepath.Join(t.TempDir(), "export")
	writeIn(t, filepath.Join(folder, "conversations.json"), twoConversations)
	before, err := TakeIn(t.Context(), d.Store, "me", []string{folder}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	writeIn(t, filepath.Join(folder, "_COMPLETE"), "importer: chatgpt\n")
	after, err := TakeIn(t.Context(), d.Store, "me", []string{folder}, d.Scratch)
	if err != nil || after.Drop != before.Drop {
		t.Errorf("the marker makes another drop of it: %v", err)
	}
	if importer, _, err := d.DropSettings("importer: chatgpt\n"); err != nil || importer != "chatgpt" {
		t.Errorf("settings: %q, %v", importer, err)
	}
	if _, _, err := d.DropSettings("owner: bob\n"); fault.Of(err) != fault.Permanent {
		t.Errorf("unknown setting: %v", err)
	}
}

func TestAFileThatGrewWhileAnotherOneWasTakenMustBeStillForAWholePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pause = time.Second
		path := t.TempDir()
		writeFile(t, filepath.Join(path, "a.json"), "large")
		writeFile(t, filepath.Join(path, "b.json"), "begun")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var changed time.Time
		f := &Folder{Path: path, DefaultOwner: "me", Log: zaptest.NewLogger(t), Take: func(_ context.Context, d LocalDrop) error {
			if filepath.Base(d.Paths[0]) == "a.json" {
				time.Sleep(10*pause + pause/2)
				writeFile(t, filepath.Join(path, "b.json"), "begun, and going on")
				changed = time.Now()
				return nil
			}
			if still := time.Since(changed); still < pause {
				t.Errorf("taken %s after it had grown, want %s", still, pause)
			}
			cancel()
			return nil
		}}
		if err := f.Run(ctx, pause); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestDropThatCannotBeReadIsTriedAgainAfterGrowingPauses(t *testing.T) {
	path := t.TempDir()
	writeFile(t, filepath.Join(path, "export.zip"), "x")
	now, tried := 0, []int{}
	core, logs := observer.New(zap.WarnLevel)
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.New(core), Take: func(context.Context, LocalDrop) error {
		tried = append(tried, now)
		if len(tried) < 5 {
			return &fault.NamedError{Doing: "open", Name: "/drops/my secret.zip", Err: &fs.PathError{Op: "open", Path: "/drops/my secret.zip", Err: fs.ErrPermission}}
		}
		return nil
	}}
	for ; now < 30; now++ {
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{1, 2, 4, 8, 16}; !slices.Equal(tried, want) {
		t.Errorf("tried at looks %v, want %v: who gives the right to read it changes neither its size nor its time", tried, want)
	}
	for _, e := range logs.All() {
		if said := e.ContextMap()["error"].(string); strings.Contains(said, "secret") || !strings.Contains(said, "let the user who runs pamline read it") {
			t.Errorf("said %q", said)
		}
	}
}

func TestDropFolderSaysOnceThatAFolderHasNoFile(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	path, look := watchedFolder(t, 2, zap.New(core))
	writeIn(t, filepath.Join(path, "ann/export/_COMPLETE"), "")
	if err := os.MkdirAll(filepath.Join(path, "bob/export"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(path, "ann"), filepath.Join(path, "bob/export/conversations.json")); err != nil {
		t.Skip("this system lets nobody make links")
	}
	for range 5 {
		if got := look(); len(got) != 0 {
			t.Errorf("taken: %+v", got)
		}
	}
	if logs.FilterField(zap.String("owner", "ann")).Len() != 1 || logs.FilterField(zap.String("owner", "bob")).Len() != 1 || logs.Len() != 2 {
		t.Errorf("said: %v", logs.All())
	}
	writeIn(t, filepath.Join(path, "ann/export/conversations.json"), "[]")
	look()
	if got := look(); len(got) != 1 || got[0].Owner != "ann" {
		t.Errorf("with a file in it: %+v", got)
	}
}

func TestNameOfAFileThatCannotBeTakenIsInTheMessageAndNotInTheLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my secret.zip")
	writeFile(t, file, "x")
	changed := &verifying{r: strings.NewReader("y"), h: sha256.New(), want: "another"}
	_, while := io.ReadAll(changed)
	for _, why := range []error{while, errors.New("no answer")} {
		_, err := TakeIn(t.Context(), failingPuts{testDeps(t).Store, why}, "me", []string{file}, t.TempDir())
		if err == nil || fault.Of(err) != fault.Outage || !strings.Contains(err.Error(), "my secret") {
			t.Errorf("take in: %v, want the name and class outage", err)
		}
		if said := pathless(err); strings.Contains(said, "secret") || !strings.Contains(said, why.Error()) {
			t.Errorf("the log says %q", said)
		}
	}
}

// failingPuts is a store that takes nothing.
type failingPuts struct {
	blob.Store
	why error
}

func (s failingPuts) Put(context.Context, string, io.Reader, blob.PutOptions) (blob.Object, error) {
	return blob.Object{}, s.why
}

func TestTakenFolderTellsHowManyLinksAreLeftOut(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "conversations.json"), "[]")
	for _, name := range []string{"user.json", "images"} {
		if err := os.Symlink(folder, filepath.Join(folder, name)); err != nil {
			t.Skip("this system lets nobody make links")
		}
	}
	rec, err := TakeIn(t.Context(), testDeps(t).Store, "me", []string{folder}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if rec.Parts[0].Left != 2 {
		t.Errorf("%d left out, want 2", rec.Parts[0].Left)
	}
}
