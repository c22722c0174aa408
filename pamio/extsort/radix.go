package extsort

import (
	"bytes"
	"slices"
)

// fewItems is the number of items up to which comparing is quicker than counting.
const fewItems = 96

// topByte is how far the first byte of a prefix is from its end, in bits.
const topByte = 56

// sortItems sorts items by key and value. Items are divided by one byte of their prefixes after the
// other, so that few comparisons are left: keys are mostly random ids.
func (a *arena) sortItems(items []item, shift int) {
	if len(items) <= fewItems || shift < 0 {
		slices.SortFunc(items, a.compareItems)
		return
	}
	var count, next [256]int
	sorted := true
	for i := range items {
		count[digitOf(items[i], shift)]++
		sorted = sorted && (i == 0 || a.compareItems(items[i-1], items[i]) <= 0)
	}
	if sorted {
		return
	}
	sum := 0
	for d, n := range count {
		next[d] = sum
		sum += n
	}
	end := next
	for d := range end {
		end[d] += count[d]
	}
	for d := range next {
		for next[d] < end[d] {
			it := items[next[d]]
			for at := digitOf(it, shift); at != d; at = digitOf(it, shift) {
				items[next[at]], it = it, items[next[at]]
				next[at]++
			}
			items[next[d]] = it
			next[d]++
		}
	}
	begin := 0
	for d, n := range count {
		if n > 1 {
			a.sortItems(items[begin:end[d]], shift-8)
		}
		begin = end[d]
	}
}

func digitOf(it item, shift int) int { return int(it.prefix >> shift & 0xff) }

func (a *arena) compareItems(x, y item) int {
	if x.prefix != y.prefix {
		if x.prefix < y.prefix {
			return -1
		}
		return 1
	}
	k, v := a.record(x)
	l, w := a.record(y)
	if c := bytes.Compare(k, l); c != 0 {
		return c
	}
	return bytes.Compare(v, w)
}
