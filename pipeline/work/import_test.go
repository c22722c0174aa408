package work

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
	"github.com/pamline/pamline/pipeline/telemetry"
)

const likes = "My name is Ada and I live in Lisbon. I like walk number %d."

func TestADropBecomesAPublishedStore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref := r.drop("ann", talks("a", 5, likes))
	p := r.start()
	p.run()
	rec := p.importDrop(ref)
	if rec.Outcome != job.Done || rec.Gen != 1 {
		t.Fatalf("record %+v", rec)
	}
	receipt := r.receipt(ref, 1)
	if receipt.State != state.StateDone || receipt.Counts.Conversations != 5 || receipt.Extraction.Shards != 1 ||
		receipt.Extraction.Candidates == 0 || !receipt.Store.Published || receipt.Store.Conversations != 5 {
		t.Errorf("receipt %+v", receipt)
	}
	head, in := r.head("ann")
	if in.Drops[ref.Drop] != (state.Entry{Import: rec.Import, Gen: 1}) || head.ConversationCount != 5 {
		t.Errorf("head %+v of %+v", head, in)
	}
	for _, prefix := range []string{"work/", "failed/"} {
		if left := r.store.Keys(prefix); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	if lines := r.logged(zapcore.WarnLevel, ""); len(lines) > 0 {
		t.Errorf("logged %v", lines)
	}
}

// requests counts the calls of the store by their kind.
type requests struct {
	mu    sync.Mutex
	calls []string
}

func (q *requests) count(c statetest.Call) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !strings.HasPrefix(c.Key, "keys/") { // an encrypted store looks at its key before each write
		q.calls = append(q.calls, c.String())
	}
	return nil
}

// take gives the calls of n drops by kind, each as an average, and forgets them.
func (q *requests) take(n int) map[string]float64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := map[string]float64{}
	for _, c := range q.calls {
		op, _, _ := strings.Cut(c, " ")
		all[op] += 1 / float64(n)
	}
	q.calls = nil
	return all
}

func TestASmallDropTakesFewStorageRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: it counts, and other drops run the same code")
	}
	t.Parallel()
	r, q := newRig(t), &requests{}
	r.topology.AckWait = time.Hour // a redelivery, on a machine that is busy, takes requests of its own
	r.before = q.count
	r.shareQueue()
	p := r.start()
	p.run()
	check := func(what string, n int, most map[string]float64) {
		t.Helper()
		got := q.take(n)
		t.Logf("%s: %.1f GET, %.1f HEAD, %.1f LIST, %.1f PUT, %.1f DELETE a drop", what, got["get"], got["head"], got["list"], got["put"], got["delete"])
		for op, n := range most {
			if got[op] > n+0.01 {
				t.Errorf("%s: %.1f %s requests a drop, at most %v are known", what, got[op], op, n)
			}
		}
	}
	p.importDrop(r.drop("ann", talks("first", 5, likes)))
	check("the first drop of an owner, 5 conversations", 1, map[string]float64{"get": 29, "head": 11, "put": 22, "list": 2, "delete": 2})
	p.importDrop(r.drop("ann", talks("second", 5, likes)))
	check("one more", 1, map[string]float64{"get": 30, "head": 13, "put": 22, "list": 0, "delete": 2})
	p.stop()

	const many = 100
	var refs []job.Ref
	for i := range many {
		refs = append(refs, r.drop("bob", talks(fmt.Sprint("talk", i), 5, likes)))
	}
	r.extracted(refs...)
	p = r.start()
	p.run(telemetry.StageAssemble)
	for _, ref := range refs {
		p.wait(ref, 1)
	}
	p.stop()
	check("100 drops at once, 5 conversations each", many, map[string]float64{"get": 21.1, "head": 9.1, "put": 15, "list": 0.03, "delete": 1.1})
}
