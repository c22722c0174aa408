package extsort

import "encoding/binary"

// arena holds records in big chunks, so that a million small records are not a million allocations.
// Chunks start small and double, so that a few records are cheap as well. A record is kept in the
// form that scratch files have: the lengths of key and value, then both.
type arena struct {
	size   int      // of the largest chunks
	chunks [][]byte // used again after reset
	at     int      // chunks in use
	next   int      // what of the last of them is used
	large  [][]byte // records with a chunk of their own
	used   int64
}

// isLarge marks a place in the large records.
const isLarge = 1 << 31

func chunkSize(budget int64) int { return int(min(max(budget/16, smallestChunk), 1<<20)) }

const smallestChunk = 4 << 10

// maxHead is the most bytes that the two lengths of a record take.
const maxHead = 2 * binary.MaxVarintLen64

// add copies a record and gives its place. A record larger than a quarter of the largest chunk gets
// memory of its own.
func (a *arena) add(key, value []byte) (chunk, offset uint32) {
	need := maxHead + len(key) + len(value)
	if need > a.size/4 {
		a.used += int64(need)
		a.large = append(a.large, appendRecord(make([]byte, 0, need), key, value))
		return isLarge | uint32(len(a.large)-1), 0 //nolint:gosec // fewer than fit into the budget
	}
	for a.at == 0 || need > len(a.chunks[a.at-1])-a.next {
		if a.at == len(a.chunks) {
			size := smallestChunk
			if a.at > 0 {
				size = min(2*len(a.chunks[a.at-1]), a.size)
			}
			a.chunks = append(a.chunks, make([]byte, max(size, need)))
		}
		a.used += int64(len(a.chunks[a.at]))
		a.at++
		a.next = 0
	}
	start := a.next
	a.next = len(appendRecord(a.chunks[a.at-1][:start], key, value))
	return uint32(a.at - 1), uint32(start) //nolint:gosec // chunks have at most a MiB
}

func appendRecord(dst, key, value []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(key)))
	dst = binary.AppendUvarint(dst, uint64(len(value)))
	return append(append(dst, key...), value...)
}

// text is a record as it is written, and where its key and value begin.
func (a *arena) text(it item) (text []byte, key, value int) {
	var b []byte
	if it.chunk&isLarge != 0 {
		b = a.large[it.chunk&^isLarge]
	} else {
		b = a.chunks[it.chunk][it.offset:]
	}
	keyLength, n := uint64(b[0]), 1
	if keyLength >= 0x80 {
		keyLength, n = binary.Uvarint(b)
	}
	valueLength, m := uint64(b[n]), 1
	if valueLength >= 0x80 {
		valueLength, m = binary.Uvarint(b[n:])
	}
	key = n + m
	value = key + int(keyLength)    //nolint:gosec // it was the length of a slice
	end := value + int(valueLength) //nolint:gosec // as above
	return b[:end:end], key, value  // what is appended to it must not reach the next record
}

func (a *arena) record(it item) (key, value []byte) {
	text, k, v := a.text(it)
	return text[k:v:v], text[v:]
}

func (a *arena) key(it item) []byte {
	text, k, v := a.text(it)
	return text[k:v]
}

func (a *arena) reset() { a.at, a.next, a.large, a.used = 0, 0, nil, 0 }
