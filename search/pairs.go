package search

import (
	"encoding/binary"
	"slices"
)

// A pair filter says of a message which words cannot follow one another in it. It is a Bloom filter
// of its pairs of words: a byte for each, and three pairs in a hundred that are not there pass. A
// search for a phrase reads only messages that pass, however many have the words apart.
//
// The filters of a conversation are one value: for each message its size in bytes and its bits.

// pairMarks are the bits that a pair sets in a filter.
const pairMarks = 3

// pairFilter gathers the pairs of a message.
type pairFilter struct {
	hashes []uint64
}

// add adds the pair of two words that follow one another.
func (f *pairFilter) add(a, b string) {
	if isFiltered(a, b) {
		f.hashes = append(f.hashes, hashPair(a, b))
	}
}

// appendTo appends the filter to those of the messages before, and begins the next one.
func (f *pairFilter) appendTo(filters []byte) []byte {
	size := len(f.hashes)
	filters = binary.AppendUvarint(filters, uint64(size)) //nolint:gosec // sizes are not negative
	start := len(filters)
	filters = append(filters, make([]byte, size)...)
	bits := filters[start:]
	for _, h := range f.hashes {
		for i := range pairMarks {
			at := pairPlace(h, i, size)
			bits[at/8] |= 1 << (at % 8)
		}
	}
	f.hashes = f.hashes[:0]
	return filters
}

// pairPlace is a bit of a pair, 0 to 2, in a filter of a size in bytes, which is not 0.
func pairPlace(hash uint64, mark, size int) uint64 {
	part := uint32(hash>>32) + uint32(mark)*uint32(hash) //nolint:gosec // parts of a hash
	return uint64(part) * uint64(size) >> 29             //nolint:gosec // sizes are not negative
}

// isFiltered tells whether filters have a pair. Pairs of short words are words of the index, and
// scripts without spaces have pairs of characters as words.
func isFiltered(a, b string) bool {
	const threeBytes = 0xe0
	return a != "" && b != "" && (len(a) > shortWord || len(b) > shortWord) && (a[0] < threeBytes || b[0] < threeBytes)
}

// hashPair is a hash of two words: FNV-1a with a last step that spreads it over all bits.
func hashPair(a, b string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(a) {
		h = (h ^ uint64(a[i])) * prime
	}
	h = (h ^ ' ') * prime
	for i := range len(b) {
		h = (h ^ uint64(b[i])) * prime
	}
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// pairHashes are the pairs that a message must have: those of the phrases of the query.
func (q *Query) pairHashes() (hashes []uint64) {
	for i := range q.wanted {
		t := &q.wanted[i]
		last := len(t.words) - 1
		for j, word := range t.words[:last] {
			if (j+1 < last || !t.prefix) && isFiltered(word, t.words[j+1]) {
				hashes = append(hashes, hashPair(word, t.words[j+1]))
			}
		}
	}
	return hashes
}

// passingMessages are the messages of a conversation that may have all pairs. Messages are given,
// and come, from the last one to the first.
func passingMessages(messages []int, filters []byte, hashes []uint64) (list []int) {
	left := len(messages)
	for at := 0; left > 0 && len(filters) > 0; at++ {
		size, n := binary.Uvarint(filters)
		if n <= 0 || size > uint64(len(filters)-n) {
			return messages // a damaged filter filters nothing
		}
		end := n + int(size) //nolint:gosec // not longer than the filters
		if at == messages[left-1] {
			left--
			if hasPairs(filters[n:end], hashes) {
				list = append(list, at)
			}
		}
		filters = filters[end:]
	}
	slices.Reverse(list)
	return list
}

func hasPairs(bits []byte, hashes []uint64) bool {
	for _, h := range hashes {
		if len(bits) == 0 {
			return false
		}
		for i := range pairMarks {
			if at := pairPlace(h, i, len(bits)); bits[at/8]>>(at%8)&1 == 0 {
				return false
			}
		}
	}
	return true
}
