package pipeline

import (
	"context"
	"errors"
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
)

func TestDropFolderTriesAgainAfterAnOutage(t *testing.T) {
	path := t.TempDir()
	writeFile(t, filepath.Join(path, "export.zip"), "x")
	calls := 0
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.NewNop(), Take: func(context.Context, LocalDrop) error {
		calls++
		if calls == 1 {
			return &Fault{Class: Outage, Err: errors.New("no storage")}
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
	before, err := TakeIn(t.Context(), d.Store, "me", []string{folder}, d.Limits.Archive, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	writeIn(t, filepath.Join(folder, "_COMPLETE"), "importer: chatgpt\n")
	after, err := TakeIn(t.Context(), d.Store, "me", []string{folder}, d.Limits.Archive, d.Scratch)
	if err != nil || after.Drop != before.Drop {
		t.Errorf("the marker makes another drop of it: %v", err)
	}
	if importer, _, err := d.DropSettings("importer: chatgpt\n"); err != nil || importer != "chatgpt" {
		t.Errorf("settings: %q, %v", importer, err)
	}
	if _, _, err := d.DropSettings("owner: bob\n"); ClassOf(err) != Permanent {
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
