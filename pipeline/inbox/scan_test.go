package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

func (r *rig) scan(t testing.TB) Scan {
	t.Helper()
	s, err := r.ScanInbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// waiting gives the subjects of the tasks that wait.
func waiting(t testing.TB, q *queue.Queue, filter string) []string {
	t.Helper()
	subjects, err := q.Subjects(t.Context(), dispatch.StreamTake, filter)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for s := range subjects {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// work handles the tasks and notifications in the queue until none is left.
func (r *rig) work(t testing.TB, q *queue.Queue) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var g sync.WaitGroup
	defer g.Wait()
	defer stop()
	g.Go(func() { _ = r.ConsumeTakes(ctx) })
	g.Go(func() { _ = r.ConsumeEvents(ctx) })
	natstest.Eventually(t, "the end of all tasks", func() bool {
		return natstest.CountMessages(t, q.JetStream(), dispatch.StreamEvents, dispatch.StreamTake) == 0
	})
}

func TestScanSendsATaskForEachEntryWithoutARecord(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	// Owners whose order with and without the slash differs, and one beside the records of nobody.
	for _, owner := range []string{"a", "a-b", "a0", "ann", "ann-b", "ann_b", "0", "zoe"} {
		for i := range 3 {
			r.put(t, fmt.Sprintf("inbox/%s/%d.json", owner, i), fmt.Sprint(owner, i))
		}
	}
	r.put(t, "inbox/root.json", "root")
	r.put(t, "inbox/No Owner/x", "x")
	r.putStrange("inbox/ann/tab\t.zip")
	const all = 8*3 + 3
	if s := r.scan(t); s.Sent != all || s.Entries != all {
		t.Fatalf("first scan: %+v", s)
	}
	if s := r.scan(t); s.Sent != 0 || s.Queued != all {
		t.Errorf("while all wait: %+v", s)
	}
	r.work(t, q)
	if s := r.scan(t); s.Sent != 0 || s.Known != all || s.Removed != 0 {
		t.Errorf("when all are taken: %+v", s)
	}
	if got := waiting(t, q, ">"); len(got) != 0 || len(r.asked) != all-2 {
		t.Errorf("%d tasks wait, %d drops were asked for", len(got), len(r.asked))
	}
	// What goes takes its record along; what comes is found.
	r.memory.Advance(time.Second)
	for _, key := range []string{"inbox/0/0.json", "inbox/a/1.json", "inbox/zoe/0.json", "inbox/zoe/1.json", "inbox/zoe/2.json", "inbox/root.json"} {
		if err := r.memory.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	r.put(t, "inbox/ann/new.json", "new")
	if s := r.scan(t); s.Sent != 1 || s.Removed != 6 || s.Known != all-6 {
		t.Errorf("after changes: %+v", s)
	}
	if s := r.scan(t); s.Removed != 0 {
		t.Errorf("records are removed twice: %+v", s)
	}
}

func TestRefusalGoesWithItsEntry(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.withQueue(t, dispatch.TopologyOptions{})
	r.put(t, "inbox/No Owner/x", "x")
	r.put(t, "inbox/ann/only/_COMPLETE", "")
	r.takeAll(t)
	if s := r.scan(t); s.Known != 2 || s.Sent != 0 {
		t.Errorf("%+v: what was refused must not be looked at again", s)
	}
	r.memory.Advance(time.Second)
	for _, key := range r.memory.Keys(state.InboxRoot) {
		if err := r.memory.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if s := r.scan(t); s.Removed != 2 || len(r.reasons(t)) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestRecordThatIsWrittenDuringAScanStays(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.withQueue(t, dispatch.TopologyOptions{})
	late := state.TakenKey("ann", strings.Repeat("ab", 16))
	r.put(t, late, "{}") // at the very time of the scan, so its entry may have come since
	if s := r.scan(t); s.Removed != 0 {
		t.Errorf("%+v", s)
	}
}

func TestScanWaitsForWhatIsNotComplete(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.withQueue(t, dispatch.TopologyOptions{})
	r.put(t, "inbox/ann/f/x.json", "x")
	r.memory.Advance(time.Minute)
	if s := r.scan(t); s.Growing != 1 || s.Sent != 0 {
		t.Errorf("before: %+v", s)
	}
	r.memory.Advance(time.Minute)
	if s := r.scan(t); s.Growing != 0 || s.Sent != 1 {
		t.Errorf("after: %+v", s)
	}
}

func TestManyNewDropsOfOneOwnerDoNotFillTheSmallLane(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{OwnerSmall: 5})
	for i := range 40 {
		r.put(t, fmt.Sprintf("inbox/ann/%d", i), "x")
	}
	r.put(t, "inbox/bob/1", "x")
	r.scan(t)
	if small := waiting(t, q, "pam.take.small.>"); len(small) != 6 {
		t.Errorf("%d in the small lane, want 5 of one owner and 1 of the other", len(small))
	}
}

func TestScanOfKnownEntriesIsListingsAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	calls := map[string]int{}
	memory := statetest.New()
	r := newRigOver(t, memory, func(c statetest.Call) error {
		mu.Lock()
		defer mu.Unlock()
		calls[c.Op]++
		return nil
	}, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	for i := range 50 {
		r.put(t, fmt.Sprintf("inbox/owner%d/export.zip", i), fmt.Sprint(i))
	}
	r.scan(t)
	r.work(t, q)
	clear(calls)
	if s := r.scan(t); s.Known != 50 {
		t.Fatalf("%+v", s)
	}
	if calls["list"] != 3 || calls["get"] != 0 || calls["head"] != 1 || calls["put"] != 1 {
		t.Errorf("requests %v: want two listings, that of the root's records, and the clock", calls)
	}
}

func TestTwoScansAtTheSameTimeMakeOneDropOfEachContent(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	q := r.withQueue(t, dispatch.TopologyOptions{})
	for i := range 100 {
		r.put(t, fmt.Sprintf("inbox/ann/%d.json", i), fmt.Sprint(i%10))
	}
	var g sync.WaitGroup
	for range 2 {
		g.Go(func() { r.scan(t) })
	}
	g.Wait()
	r.work(t, q)
	if jobs := r.memory.Keys("owners/ann/jobs/"); len(jobs) != 10 {
		t.Errorf("%d jobs, want those of 10 contents", len(jobs))
	}
	if s := r.scan(t); s.Known != 100 || s.Sent != 0 {
		t.Errorf("%+v", s)
	}
}

func TestStrangeObjectsAmongTheRecordsDoNotStopTheScan(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.withQueue(t, dispatch.TopologyOptions{})
	r.put(t, "inbox/ann/a.json", "x")
	for _, key := range []string{"drops/ann/short.json", "drops/x", "drops/Not/" + objects.Digest("x")[:32] + ".json", "drops/_/other"} {
		r.put(t, key, "{")
	}
	r.memory.Advance(time.Second)
	if s := r.scan(t); s.Sent != 1 || s.Removed != 0 {
		t.Errorf("%+v", s)
	}
}

func TestScanThatFailsRemovesNothingOfWhatItHasNotSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it is one scan after the other")
	}
	t.Parallel()
	for n := 0; ; n++ {
		memory := statetest.New()
		hook, reached := statetest.FailCall(n, fmt.Errorf("no answer"))
		r := newRigOver(t, memory, hook, nil)
		r.withQueue(t, dispatch.TopologyOptions{})
		var records []string
		for _, owner := range []string{"ann", "bob"} {
			r.put(t, "inbox/"+owner+"/a.json", owner)
			e, _, err := r.findEntry(t.Context(), memory, "inbox/"+owner+"/a.json")
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, state.TakenKey(owner, e.id))
			r.put(t, records[len(records)-1], "{}")
		}
		memory.Advance(time.Second)
		s, err := r.ScanInbox(t.Context())
		for _, key := range records {
			if _, there := memory.Body(key); !there {
				t.Errorf("call %d fails: %s was removed", n, key)
			}
		}
		if !reached() {
			if err != nil || s.Known != 2 {
				t.Errorf("%+v, %v", s, err)
			}
			return
		}
		if fault.Of(err) != fault.Outage {
			t.Errorf("call %d fails: %v", n, err)
		}
	}
}
