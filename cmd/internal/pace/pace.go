// Package pace decides how often the garbage collector of a short command runs. A program that
// imports it has the pace from its first packages on: a command's packages make 12 MB of tables while
// they are initialized, and at the usual pace that alone takes four collections.
package pace

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// early is how far, in percent, the heap of a young process grows between two collections.
	early = 1000
	// least is the same for a large heap.
	least = 50
	// room is how many bytes the heap grows between two collections, within these bounds.
	room = 30 << 20
)

func init() { postponeCollections() }

// postponeCollections lets the heap grow by about the same number of bytes between two collections,
// whatever its size: a short command ends after few collections instead of a dozen, and the memory
// of a long one does not become twice what is in use. GOGC in the environment goes before it.
func postponeCollections() {
	if os.Getenv("GOGC") != "" {
		return
	}
	set := early
	debug.SetGCPercent(set)
	watchCollection(func() bool {
		// A change stops all threads for a moment, and so small ones are not worth it.
		if next := paceOf(liveHeap()); next < set-set/8 || next > set+set/8 {
			set = next
			debug.SetGCPercent(set)
		}
		return true
	})
}

// paceOf is how far, in percent, a heap grows before the next collection.
func paceOf(live uint64) int {
	return int(min(max(room*100/max(live, 1), least), early))
}

// watchCollection calls again after each collection, until it gives false.
func watchCollection(again func() bool) {
	type sentinel struct{ _ [16]byte } // nothing refers to it: each collection frees it
	runtime.AddCleanup(new(sentinel), func(struct{}) {
		if again() {
			watchCollection(again)
		}
	}, struct{}{})
}

// liveHeap is what the last collection left, in bytes.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
