package inspect

import (
	"cmp"
	"maps"
	"slices"
)

// maxNames is how many different names one tally keeps; what comes after goes into the name
// "(others)".
const maxNames = 200

// Tally counts by name.
type Tally map[string]int64

func (t Tally) add(name string, n int64) {
	if _, ok := t[name]; !ok && len(t) >= maxNames {
		name = "(others)"
	}
	t[name] += n
}

// sorted lists the names, most frequent first.
func (t Tally) sorted() []string {
	names := slices.Collect(maps.Keys(t))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a, b))
	})
	return names
}

// best keeps the first n of all values in an order.
type best[T any] struct {
	n      int
	before func(a, b T) int
	kept   []T
}

func (b *best[T]) add(v T) {
	at, _ := slices.BinarySearchFunc(b.kept, v, b.before)
	if at >= b.n {
		return
	}
	b.kept = slices.Insert(b.kept, at, v)
	if len(b.kept) > b.n {
		b.kept = b.kept[:b.n]
	}
}
