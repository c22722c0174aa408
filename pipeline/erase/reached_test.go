package erase

import (
	"testing"

	"github.com/pamline/pamline/pipeline/check"
)

func TestEachKindOfObjectIsReached(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for _, kind := range check.Kinds() {
		kinds[kind] = true
		if reached[kind] == "" {
			t.Errorf("the storage layout has the kind %q: say in reached.go how an erasure reaches it, and test that", kind)
		}
	}
	for kind := range reached {
		if !kinds[kind] {
			t.Errorf("the storage layout has no kind %q", kind)
		}
	}
}
