package progress

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFilesShowHowMuchOfThemIsRead(t *testing.T) {
	files := fstest.MapFS{"a": {Data: make([]byte, 3<<20)}, "b/c": {Data: make([]byte, 1<<20)}}
	var out bytes.Buffer
	d := New(&out, true)
	seen := d.Files("checking", files)
	for _, name := range []string{"a", "b/c", "a"} {
		body, err := fs.ReadFile(seen, name)
		if err != nil || len(body) != len(files[name].Data) {
			t.Fatal(len(body), err)
		}
	}
	if list, err := fs.ReadDir(seen, "b"); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
	d.Stop()
	if !strings.Contains(out.String(), "4.2 of 4.2 MB") {
		t.Errorf("drew %q", out.String())
	}
}

func TestFilesAreThemselvesOutsideATerminal(t *testing.T) {
	files := fstest.MapFS{}
	if got := (*Display)(nil).Files("checking", files); got.(fstest.MapFS) == nil {
		t.Error("files were replaced")
	}
}
