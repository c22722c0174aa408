package normalize

import (
	"testing"

	"github.com/pamline/pamline/pamio"
)

// The ids of memories are in published stores: these must never change.
func TestMemoryIDsAreFrozen(t *testing.T) {
	if MemoryIDRules != 1 {
		t.Fatal("new rules need new cases here; the old ones stay")
	}
	for _, tt := range []struct{ typ, custom, content, want string }{
		{"fact", "", "Likes tea", "218c4d1e-9488-5b48-9a6a-f61df2a3a954"},
		{"preference", "", "Likes tea", "d036a6b1-6f0c-5745-8d5f-4a09b747ef79"},
		{"custom", "pet", "Has a cat", "cadf46d8-f7d0-58ce-826e-7fea38b9bb92"},
	} {
		if got := MemoryID(tt.typ, tt.custom, pamio.ContentHash(tt.content)); got != tt.want {
			t.Errorf("%v: %s", tt, got)
		}
	}
}
