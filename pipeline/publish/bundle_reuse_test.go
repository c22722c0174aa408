package publish_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
)

// What a bundle has already stays, and what a person has done with its files does not.
func TestABundleThatIsReplacedGivesItsUnchangedFiles(t *testing.T) {
	r := notesRig(t)
	first := stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"a","text":"one","files":["files/a"]},{"id":"b","text":"two"}]`, "files/a": "asset"})
	imported(t, r, r.PutDrop(t, first))
	folder := filepath.Join(t.TempDir(), "out")
	asset := "assets/" + objects.Digest("asset") + ".txt"
	conversation := func(names []string, containing string) string {
		for _, name := range names {
			body, err := os.ReadFile(filepath.Join(folder, name))
			if err == nil && strings.HasPrefix(name, "conversations/") && strings.Contains(string(body), containing) {
				return filepath.Join(folder, name)
			}
		}
		t.Fatalf("no conversation of %v has %q", names, containing)
		return ""
	}
	names := bundle(t, r, folder)
	stat := func(name string) os.FileInfo {
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	a, b := conversation(names, `"one"`), conversation(names, `"two"`)
	kept, whole := stat(b), map[string]string{}
	for _, name := range []string{a, b, filepath.Join(folder, asset)} {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		whole[name] = string(body)
	}
	imported(t, r, r.PutDrop(t, stagetest.Zip(t, map[string]string{"notes.json": `[{"id":"c","text":"three"}]`})))

	changes := map[string]func(name string) error{
		"its words": func(name string) error { return os.WriteFile(name, []byte("changed"), 0o600) },
		"a byte": func(name string) error {
			return os.WriteFile(name, []byte(strings.Replace(whole[name], "e", "E", 1)), 0o600)
		},
		"nothing of it left":    os.Remove,
		"a folder in its place": func(name string) error { return os.Mkdir(name, 0o700) },
	}
	if runtime.GOOS != "windows" {
		changes["who may read it"] = func(name string) error { return os.Chmod(name, 0o644) }
		changes["a link to another"] = func(name string) error { return os.Symlink(filepath.Join(folder, "memory-store.json"), name) }
	}
	for what, change := range changes {
		for _, name := range []string{a, filepath.Join(folder, asset)} {
			if strings.Contains(what, "a folder") || strings.Contains(what, "a link") {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			if err := change(name); err != nil {
				t.Fatal(err)
			}
		}
		if got := bundle(t, r, folder); len(got) != len(names)+1 {
			t.Errorf("%s: the bundle has %v", what, got)
		}
		for name, want := range whole {
			body, err := os.ReadFile(name)
			if info := stat(name); err != nil || string(body) != want || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" || !info.Mode().IsRegular() {
				t.Errorf("%s: %s has the mode %v and %d bytes, want %d (%v)", what, name, info.Mode(), len(body), len(want), err)
			}
		}
		if !os.SameFile(kept, stat(b)) {
			t.Errorf("%s: a file that nobody has changed was written again", what)
		}
	}

	// A file that has another name, or lies in another folder, is not shared with the new bundle.
	if runtime.GOOS == "windows" {
		return
	}
	spare, elsewhere := filepath.Join(t.TempDir(), "spare"), filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Link(a, spare); err != nil {
		t.Skip("the file system has no links")
	}
	bundle(t, r, folder)
	if os.SameFile(stat(a), stat(spare)) {
		t.Error("the new bundle shares a file with a copy of the earlier one that a person has made by links")
	}
	talks := filepath.Dir(a)
	if err := os.Rename(talks, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, talks); err != nil {
		t.Fatal(err)
	}
	bundle(t, r, folder)
	if os.SameFile(stat(b), stat(filepath.Join(elsewhere, filepath.Base(b)))) {
		t.Error("the new bundle shares a file with a folder behind a symbolic link")
	}
}
