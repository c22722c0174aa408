package extsort

// arena hands out pieces of big chunks, so that a million small records are not a million
// allocations. Chunks start small and double, so that a few records are cheap as well.
type arena struct {
	size   int      // of the largest chunks
	chunks [][]byte // used again after reset
	at     int      // chunk that is being filled
	free   []byte   // what is left of it
	used   int64
}

func chunkSize(budget int64) int { return int(min(max(budget/16, smallestChunk), 1<<20)) }

const smallestChunk = 4 << 10

// take gives n bytes. A piece larger than a quarter of the largest chunk is allocated on its own.
func (a *arena) take(n int) []byte {
	if n > a.size/4 {
		a.used += int64(n)
		return make([]byte, n)
	}
	for n > len(a.free) {
		if a.at == len(a.chunks) {
			next := smallestChunk
			if a.at > 0 {
				next = min(2*len(a.chunks[a.at-1]), a.size)
			}
			a.chunks = append(a.chunks, make([]byte, max(next, n)))
		}
		a.free = a.chunks[a.at]
		a.at++
		a.used += int64(len(a.free))
	}
	piece := a.free[:n:n]
	a.free = a.free[n:]
	return piece
}

func (a *arena) reset() { a.at, a.free, a.used = 0, nil, 0 }
