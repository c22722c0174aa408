package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// early is how far, in percent, the heap of a young process grows between two collections.
	early = 400
	// small is the size of the live heap, in bytes, up to which a process is young.
	small = 16 << 20
)

// PostponeCollections lets the heap grow faster than usual while it is small: a short command ends
// after few collections instead of a dozen. When the heap has become larger than small, the
// runtime's own pace holds. GOGC in the environment goes before it.
func PostponeCollections() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(early)
	watchCollection(func() bool {
		if liveHeap() <= small {
			return true
		}
		debug.SetGCPercent(usual)
		return false
	})
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
