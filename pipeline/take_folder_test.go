package pipeline

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

func TestFolderInTheInboxImportsLikeAFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "export")
	for name, text := range unpacked {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, file, text)
	}
	local := testDeps(t)
	rec, err := TakeIn(t.Context(), local.Store, "ann", []string{folder}, local.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	want, wantFiles, err := importsAs(t, local, state.Request{V: state.MessageVersion, Owner: "ann", Drop: rec.Drop, Lane: state.LaneSmall})
	if err != nil {
		t.Fatal(err)
	}

	d, s := inboxDeps(t)
	for name, text := range unpacked {
		s.put(t, "inbox/ann/export/"+name, text)
	}
	s.put(t, "inbox/ann/export/_COMPLETE", "")
	requests, bad := takeAll(t, d)
	if len(bad) > 0 || len(requests) != 1 {
		t.Fatalf("%+v, refused %v", requests, bad)
	}
	got, gotFiles, err := importsAs(t, d, requests[0])
	if err != nil || got.State != want.State || got.Counts.Conversations != 6 {
		t.Fatalf("%v: %+v", err, got)
	}
	if !maps.Equal(gotFiles, wantFiles) {
		for name := range wantFiles {
			if gotFiles[name] != wantFiles[name] {
				t.Errorf("%s differs:\n%s\n%s", name, gotFiles[name], wantFiles[name])
			}
		}
	}
	if len(got.Parts) != 1 || got.Parts[0].Kind != "folder" || got.Parts[0].Members != want.Parts[0].Members {
		t.Errorf("parts %+v, want %+v", got.Parts, want.Parts)
	}

	// A file that was replaced since is noticed when the folder is read.
	s.put(t, "inbox/ann/export/user.json", `{"id":"user-2"}`)
	if err := d.Store.Delete(t.Context(), state.ManifestKey("ann", got.Import)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := importsAs(t, d, requests[0]); fault.Of(err) != fault.Permanent {
		t.Errorf("import of a folder with a replaced file: %v", err)
	}
}

func TestArchivesSideBySideInAFolderAreTheDropTheyAreOnTheCommandLine(t *testing.T) {
	t.Parallel()
	one := zipOf(t, map[string]string{"conversations.json": twoConversations})
	two := zipOf(t, map[string]string{"deep/conversations.json": manyConversations(2)})
	local := testDeps(t)
	rec, err := TakeIn(t.Context(), local.Store, "ann", []string{one, two}, local.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	d, s := inboxDeps(t)
	for name, file := range map[string]string{"takeout-001.zip": two, "takeout-002.zip": one, "again.zip": one} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, "inbox/ann/takeout/"+name, string(text))
	}
	s.put(t, "inbox/ann/takeout/_COMPLETE", "")
	requests, bad := takeAll(t, d)
	if len(bad) > 0 || len(requests) != 1 || requests[0].Drop != rec.Drop {
		t.Fatalf("%+v, want drop %s, refused %v", requests, rec.Drop, bad)
	}
	if r, files, err := importsAs(t, d, requests[0]); err != nil || r.Counts.Conversations != 4 || len(files) != 3 {
		t.Errorf("%v: %d conversations of %+v", err, len(files), r.Counts)
	}
}

func TestFolderIsTakenWhenItIsQuietByTheStoresClock(t *testing.T) {
	d, s := inboxDeps(t)
	// This machine's clock is a year ahead; that must not make the folder old.
	d.Now = func() time.Time { return time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC) }
	s.put(t, "inbox/ann/f/conversations.json", twoConversations)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s.times[clockKey] = now
	task := importTask("inbox/ann/f/")
	later := (*fault.Later)(nil)

	s.times["inbox/ann/f/conversations.json"] = now.Add(-30 * time.Second)
	if _, err := takeOne(t, d, task); !errors.As(err, &later) || later.After != 90*time.Second {
		t.Errorf("half a minute after the last change: %v", err)
	}
	s.times["inbox/ann/f/conversations.json"] = now.Add(time.Hour)
	if _, err := takeOne(t, d, task); !errors.As(err, &later) || later.After != d.Inbox.Quiet {
		t.Errorf("changed in the store's future: %v", err)
	}
	s.times["inbox/ann/f/conversations.json"] = now.Add(-time.Hour)
	s.put(t, "inbox/ann/f/upload.part", "x")
	s.times["inbox/ann/f/upload.part"] = now.Add(-time.Second)
	if _, err := takeOne(t, d, task); !errors.As(err, &later) {
		t.Errorf("while something is being written there: %v", err)
	}
	s.times["inbox/ann/f/upload.part"] = now.Add(-time.Hour)
	if r, err := takeOne(t, d, task); err != nil || len(r) != 1 {
		t.Errorf("when it is quiet: %v", err)
	}

	s.put(t, "inbox/ann/g/conversations.json", twoConversations)
	s.times["inbox/ann/g/conversations.json"] = now
	s.put(t, "inbox/ann/g/_COMPLETE", "")
	if r, err := takeOne(t, d, importTask("inbox/ann/g/")); err != nil || len(r) != 1 {
		t.Errorf("with its marker: %v", err)
	}

	// A folder as store may show a file that is still growing.
	d.Inbox.Bucket = ""
	s.put(t, "inbox/ann/growing.json", twoConversations)
	s.times["inbox/ann/growing.json"] = now
	if _, err := takeOne(t, d, importTask("inbox/ann/growing.json")); !errors.As(err, &later) {
		t.Errorf("a file that may grow: %v", err)
	}
}

func FuzzMarker(f *testing.F) {
	for _, seed := range []string{"", "importer: chatgpt\nextractors: a,b", "# x\n\n", "\ufeffimporter:", ":", "a:b:c", "importer: a\nimporter: b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		said, err := parseMarker(text)
		if err != nil {
			return
		}
		for name, value := range said {
			if name == "" || name != strings.TrimSpace(name) || strings.ContainsAny(value, "\n") || !strings.Contains(strings.ToLower(text), name) {
				t.Errorf("%q says %q: %q", text, name, value)
			}
		}
	})
}
