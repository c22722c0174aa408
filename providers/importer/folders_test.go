package importer_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
)

func TestFoldersAbove(t *testing.T) {
	for folders, want := range map[string]string{
		"":          "",
		".":         ".",
		"a/b/c a/d": ". a a/b a/b/c a/d",
		"/x/y":      "/ /x /x/y",
	} {
		in := map[string]bool{}
		for _, f := range strings.Fields(folders) {
			in[f] = true
		}
		if got := strings.Join(slices.Sorted(maps.Keys(importer.Above(in))), " "); got != want {
			t.Errorf("above %q are %q, want %q", folders, got, want)
		}
	}
}
