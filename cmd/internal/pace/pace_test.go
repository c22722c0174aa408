package pace

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// A heap grows by about the same number of bytes, whatever its size.
func TestPaceGivesTheSameRoomToAllHeaps(t *testing.T) {
	for live, want := range map[uint64]int{0: early, 1 << 20: early, 12 << 20: 250, 30 << 20: 100, 200 << 20: least, 8 << 30: least} {
		if got := paceOf(live); got != want {
			t.Errorf("a heap of %d MiB has pace %d, want %d", live>>20, got, want)
		}
	}
}

// A process whose heap grows collects at the pace of its size.
func TestPaceFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(usual) })
	postponeCollections()
	if got := pace(); got != early {
		t.Fatalf("a young process has pace %d, want %d", got, early)
	}
	heap := make([]byte, 3*room)
	for pace() != least { // the deadline of the test ends this if it never comes
		runtime.GC()
		runtime.Gosched()
	}
	runtime.KeepAlive(heap)
}

// GOGC in the environment is what the operator wants.
func TestTheEnvironmentSetsThePace(t *testing.T) {
	t.Setenv("GOGC", "70")
	usual := debug.SetGCPercent(70)
	t.Cleanup(func() { debug.SetGCPercent(usual) })
	postponeCollections()
	if got := pace(); got != 70 {
		t.Fatalf("pace is %d, want that of the environment", got)
	}
}

// pace is the percentage that the runtime works with.
func pace() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}
