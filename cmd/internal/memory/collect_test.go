package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// A process whose heap has grown collects at the pace it had before.
func TestALargeHeapHasTheUsualPace(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(usual) })
	PostponeCollections()
	if got := pace(); got != early {
		t.Fatalf("a young process has pace %d, want %d", got, early)
	}
	heap := make([]byte, 2*small)
	for pace() != 100 { // the deadline of the test ends this if it never comes
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
	PostponeCollections()
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
