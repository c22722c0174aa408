package search

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestMessagesOfEachRoleAreFound(t *testing.T) {
	says := [][2]string{{"user", "green tea"}, {"assistant", "tea is fine"}, {"system", "mention tea"}, {"tool", "found tea"}}
	folder := t.TempDir()
	write(t, folder, []talk{
		{title: "Tea", day: "2024-03-05", says: says}, {title: "More tea", day: "2024-03-06", says: [][2]string{says[1], says[0]}},
	}, []remembered{{"Likes tea.", "fact", "active", "2024-03-05"}})
	x, b, _ := updated(t, filepath.Join(t.TempDir(), "me.db"), folder)
	for role, want := range map[string][]string{
		"user": {"More tea/m1", "Tea/m0"}, "assistant": {"More tea/m0", "Tea/m1"}, "system": {"Tea/m2"}, "tool": {"Tea/m3"},
	} {
		got := find(t, x, b, "tea", Options{Role: role, Limit: 10})
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", role, got, want)
		}
	}
}
