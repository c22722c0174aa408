package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/cmd/internal/paths"
)

func TestWithinKnowsNeighborsFromContents(t *testing.T) {
	t.Parallel()
	folder := filepath.FromSlash("/data/pam")
	for path, want := range map[string]bool{
		"/data/pam": true, "/data/pam/x": true, "/data/pam/..x": true, "/data/pamline": false, "/data": false, "/": false, "/data/pam/../y": false,
	} {
		if got := paths.Within(filepath.FromSlash(path), folder); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}

func TestContainsFollowsLinksAndNeedsNoFiles(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"way": "data", "lost": "nowhere"} {
		if err := os.Symlink(filepath.Join(root, to), filepath.Join(root, link)); err != nil {
			t.Skip("this system makes no links: ", err)
		}
	}
	for _, c := range []struct {
		folder, path string
		want         bool
	}{
		{"data", "data/new/file", true}, {"data", "way/new/file", true}, {"way", "data/file", true}, {"data", "other/file", false}, {"new", "new/x", true},
	} {
		got, err := paths.Contains(filepath.Join(root, c.folder), filepath.Join(root, c.path))
		if err != nil || got != c.want {
			t.Errorf("%s in %s: %t, %v", c.path, c.folder, got, err)
		}
	}
	if got, err := paths.Contains("", root); got || err != nil {
		t.Errorf("no folder contains something: %t, %v", got, err)
	}
	if _, err := paths.Followed(filepath.Join(root, "lost", "x")); err == nil || !strings.Contains(err.Error(), "does not exist: create that folder") {
		t.Errorf("a link to nothing: %v", err)
	}
}
