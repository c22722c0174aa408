package rules

import "testing"

// The sets are compared word by word, without a loop.
func TestSetsOfClassesMeetInEachClass(t *testing.T) {
	for c := range classID(maxClasses) {
		var one, other classSet
		one.add(c)
		if one.meets(&other) {
			t.Fatalf("a set with class %d meets an empty one", c)
		}
		other.add(c)
		if !one.meets(&other) || !other.meets(&one) || !one.has(c) {
			t.Fatalf("two sets with class %d do not meet", c)
		}
	}
}
