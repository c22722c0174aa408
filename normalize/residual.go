package normalize

import (
	"slices"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Taken marks the values of one source document that got a field of their own; what is not taken is
// its residual. The zero Taken is empty; values are marked in any order before the first Residual.
type Taken struct {
	at     []int // offsets of the values; every value starts somewhere else
	sorted bool
}

// Reset empties t and keeps its memory.
func (t *Taken) Reset() { t.at, t.sorted = t.at[:0], true }

// Take marks a value.
func (t *Taken) Take(n jsonscan.Node) {
	o := n.Offset()
	t.sorted = (t.sorted || len(t.at) == 0) && (len(t.at) == 0 || t.at[len(t.at)-1] <= o)
	t.at = append(t.at, o)
}

// within tells whether something inside the value, or the value itself, is taken.
func (t *Taken) within(n jsonscan.Node) bool {
	if len(t.at) == 0 {
		return false
	}
	if !t.sorted {
		slices.Sort(t.at)
		t.sorted = true
	}
	i, _ := slices.BinarySearch(t.at, n.Offset())
	return i < len(t.at) && t.at[i] < n.Offset()+len(n.Raw())
}

// Has tells whether the value itself is taken.
func (t *Taken) Has(n jsonscan.Node) bool {
	if !t.within(n) {
		return false
	}
	_, ok := slices.BinarySearch(t.at, n.Offset())
	return ok
}

// AppendResidual appends the value, compact and verbatim, without what is taken: a taken field is
// left out with its key, a taken array element leaves an empty string in its place, and so does a
// value that is taken as a whole. The leaves that are left are counted.
func (t *Taken) AppendResidual(dst []byte, n jsonscan.Node, left *int) []byte {
	if !t.within(n) {
		*left += Leaves(n)
		return n.AppendCompact(dst)
	}
	if t.Has(n) {
		return append(dst, '"', '"')
	}
	first := true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	if n.Kind() == jsonscan.Array {
		dst = append(dst, '[')
		for v := range n.Items() {
			comma()
			dst = t.AppendResidual(dst, v, left)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for k, v := range n.Fields() {
		if t.Has(v) {
			continue
		}
		comma()
		dst = append(append(dst, k.Raw()...), ':')
		dst = t.AppendResidual(dst, v, left)
	}
	return append(dst, '}')
}

// Leaves counts what a value holds: scalars, and containers that are empty.
func Leaves(n jsonscan.Node) int {
	c := 0
	switch n.Kind() {
	case jsonscan.Array:
		for v := range n.Items() {
			c += Leaves(v)
		}
	case jsonscan.Object:
		for _, v := range n.Fields() {
			c += Leaves(v)
		}
	case jsonscan.Invalid:
		return 0
	default:
		return 1
	}
	return max(c, 1)
}
