package normalize

import (
	"slices"
	"testing"
)

func TestTopicsFollowFromTheSlotElseFromTheType(t *testing.T) {
	for _, c := range []struct {
		typ, attribute, sensitive string
		want                      []string
	}{
		{"identity", "residence", "", []string{"places"}},
		{"fact", "employer", "", []string{"work"}},
		{"relationship", "relative.sister", "", []string{"family"}},
		{"relationship", "relative.friend", "", []string{"friends"}},
		{"relationship", "relative.colleague", "", []string{"work"}},
		{"preference", "favorite.movie", "", []string{"entertainment", "tastes"}},
		{"fact", "allergy", "health", []string{"health"}},
		{"relationship", "event.love_divorced", "", []string{"family"}},
		{"skill", "language", "", []string{"languages"}},
		{"environment", "uses.os", "", []string{"technology"}},
		{"preference", "", "politics", []string{"politics", "tastes"}},
		{"context", "", "", []string{"events"}},
		{"instruction", "answer.style", "", []string{"assistant"}},
		{"fact", "pet.name", "", []string{"pets"}},
	} {
		if got := Topics(c.typ, c.attribute, c.sensitive); !slices.Equal(got, c.want) {
			t.Errorf("Topics(%q, %q, %q) = %q, not %q", c.typ, c.attribute, c.sensitive, got, c.want)
		}
	}
}
