package job_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// decided gives a job whose import has n shards; the shards in empty have nothing to extract.
func decided(t *testing.T, s blob.Store, drop, n int, empty ...int) (*job.Jobs, string) {
	t.Helper()
	j := job.New(s, job.Options{NewID: func() string { return "mark" }})
	a, err := j.Ask(t.Context(), ref(drop), job.Want{Importer: "x", Lane: "bulk"})
	if err != nil {
		t.Fatal(err)
	}
	id := importOf(drops[drop], "x")
	var m struct {
		Shards []state.Shard `json:"shards"`
		Counts struct{}      `json:"counts"`
	}
	for i := range n {
		m.Shards = append(m.Shards, state.Shard{ID: shardOf(id, i), Pack: i, Snapshots: 1})
		if slices.Contains(empty, i) {
			m.Shards[i].Snapshots = 0
		}
	}
	body, err := objects.EncodeSealed(state.ManifestKey(owner, id), m)
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Decide(t.Context(), a.Tasks[0], id, body)
	if err != nil || r.Import != id {
		t.Fatalf("decided %+v, %v", r, err)
	}
	return j, id
}

func complete(t *testing.T, s blob.Store, id string, shards ...int) {
	t.Helper()
	for _, n := range shards {
		if _, err := objects.PutOnce(t.Context(), s, state.CompleteKey(owner, id, shardOf(id, n)), []byte("done")); err != nil {
			t.Fatal(err)
		}
	}
}

// names shortens tasks to their kinds and packs.
func names(tasks []job.Task) string {
	var out []string
	for _, t := range tasks {
		if t.Kind == job.Extract {
			out = append(out, fmt.Sprint(t.Pack))
		} else {
			out = append(out, t.Unit())
		}
	}
	return strings.Join(out, " ")
}

func TestNextGivesTheUnsettledShardsOfTheWindow(t *testing.T) {
	s := stagetest.NewStore()
	j, id := decided(t, s, 0, 70, 2)
	complete(t, s, id, 0, 1, 5)
	if err := j.Fail(t.Context(), job.Task{Kind: job.Extract, Ref: ref(0), Gen: 1, Import: id, Shard: shardOf(id, 4)}, job.Failure{Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	got, err := j.Next(t.Context(), ref(0))
	if err != nil {
		t.Fatal(err)
	}
	if n := names(got); !strings.HasPrefix(n, "3 6 7 8") || !strings.HasSuffix(n, "65 66") || len(got) != 62 {
		t.Errorf("next: %s", n)
	}
	want := job.Task{Kind: job.Extract, Ref: ref(0), Gen: 1, Import: id, Shard: shardOf(id, 3), Pack: 3, Lane: "bulk"}
	if got[0] != want {
		t.Errorf("next is %+v", got[0])
	}
}

func TestAfterAShardOnlyTheOneOneWindowLaterIsSent(t *testing.T) {
	s := stagetest.NewStore()
	_, id := decided(t, s, 0, 200, 64)
	lists := 0
	j := job.New(s.View(func(c statetest.Call) error {
		if c.Op == "list" && strings.HasPrefix(c.Key, "owners/") {
			lists++
		}
		return nil
	}, nil), job.Options{})
	after := func(n int) string {
		t.Helper()
		lists = 0
		got, err := j.NextAfter(t.Context(), job.Task{Kind: job.Extract, Ref: ref(0), Gen: 1, Import: id, Shard: shardOf(id, n), Pack: n})
		if err != nil {
			t.Fatal(err)
		}
		return names(got)
	}
	for n, want := range map[int]string{1: "65", 0: "128", 100: "164"} {
		if got := after(n); got != want || lists > 0 {
			t.Errorf("after %d: %s with %d listings, want %s", n, got, lists, want)
		}
	}
	if got := after(199); !strings.HasPrefix(got, "0 1 2") || lists != 1 {
		t.Errorf("after the last: %s with %d listings", got, lists)
	}
	all := make([]int, 200)
	for i := range all {
		all[i] = i
	}
	complete(t, s, id, all...)
	if got := after(199); got != "assemble" || lists != 1 {
		t.Errorf("after all: %s with %d listings", got, lists)
	}
}

func TestAShardSendsNothingBeforeTheImportIsDecided(t *testing.T) {
	s := stagetest.NewStore()
	j := job.New(s, job.Options{})
	a, err := j.Ask(t.Context(), ref(0), job.Want{})
	if err != nil || names(a.Tasks) != "ingest" {
		t.Fatal(a, err)
	}
	early := job.Task{Kind: job.Extract, Ref: ref(0), Gen: a.Gen, Import: importOf(drops[0], "x"), Shard: shardOf(importOf(drops[0], "x"), 0)}
	if o, err := j.Open(t.Context(), early); err != nil || o.Settled {
		t.Errorf("opened %+v, %v", o, err)
	}
	if got, err := j.NextAfter(t.Context(), early); err != nil || len(got) > 0 {
		t.Errorf("sends %v, %v", got, err)
	}
}

// TestMessagesAloneFinish: without kills, losses and passes, the tasks that Ask and the handlers
// give are enough. A queue drops a task that it has already.
func TestMessagesAloneFinish(t *testing.T) {
	for seed := range 40 {
		sc := scenario{shards: both("cf", "c", "cp", "cfp", "c", "c", "cf"), ingestFail: true, asmFail: true}
		s := stagetest.NewStore()
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		h := sc.always(s, s, 0)
		h.choose = func(_ string, options int) int { return rng.IntN(options) }
		var queue []job.Task
		send := func(tasks []job.Task) {
			for _, task := range tasks {
				if !slices.Contains(queue, task) {
					queue = append(queue, task)
				}
			}
		}
		for _, a := range []ask{{0, "x"}, {1, "x"}, {0, "redrive"}, {0, "y"}, {2, "edits:a"}, {1, "redrive"}} {
			got, err := a.do(t.Context(), h.jobs())
			if err != nil {
				t.Fatal(err)
			}
			send(got.Tasks)
			for range seed % 9 {
				if len(queue) > 0 {
					step(t, h, &queue, send, seed)
				}
			}
		}
		for len(queue) > 0 {
			step(t, h, &queue, send, seed)
		}
		v, err := viewOf(s)
		if err != nil {
			t.Fatal(err)
		}
		for drop, r := range v.records {
			if r.State != job.Ended {
				t.Errorf("seed %d: job %s is %+v, and the queue is empty", seed, drop[:4], r)
			}
		}
	}
}

// step handles one message, the first or the last, and acknowledges it afterwards.
func step(t *testing.T, h *handler, queue *[]job.Task, send func([]job.Task), seed int) {
	t.Helper()
	i := seed % 2 * (len(*queue) - 1)
	task := (*queue)[i]
	if err := h.handle(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	tasks, err := h.jobs().NextAfter(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	send(tasks)
	*queue = slices.DeleteFunc(*queue, func(q job.Task) bool { return q == task })
}

func TestADropIsWrittenInThisOrder(t *testing.T) {
	s := stagetest.NewStore()
	var writes []string
	calls := 0
	v := s.View(nil, func(c statetest.Call) error {
		calls++
		if c.IsWrite() {
			writes = append(writes, c.Op+" "+strings.Join(strings.Split(strings.ReplaceAll(c.Key, drops[0], "D"), "/")[:2], "/"))
		}
		return nil
	})
	sc := scenario{shards: one("c")}
	h := sc.always(v, s, 0)
	if _, err := (ask{0, "x"}).do(t.Context(), h.jobs()); err != nil {
		t.Fatal(err)
	}
	for tasks := sc.offered(s); len(tasks) > 0; tasks = sc.offered(s) {
		if err := h.handle(t.Context(), tasks[0]...); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d calls: %s", calls, strings.Join(writes, ", "))
	if len(writes) != 11 || calls > 35 {
		t.Errorf("%d calls, %d writes", calls, len(writes))
	}
}

func TestOpenTellsStaleTasks(t *testing.T) {
	s := stagetest.NewStore()
	j, id := decided(t, s, 0, 1)
	shard := job.Task{Kind: job.Extract, Ref: ref(0), Gen: 1, Import: id, Shard: shardOf(id, 0)}
	other := shard
	other.Import = importOf(drops[0], "y")
	later := shard
	later.Gen = 2
	for what, task := range map[string]job.Task{"another import": other, "another generation": later, "no job": {Kind: job.Ingest, Ref: ref(1), Gen: 1}} {
		if _, err := j.Open(t.Context(), task); err != job.ErrStale { //nolint:errorlint // the sentinel itself
			t.Errorf("%s: %v", what, err)
		}
	}
	if o, err := j.Open(t.Context(), job.Task{Kind: job.Ingest, Ref: ref(0), Gen: 1}); err != nil || !o.Settled {
		t.Errorf("ingest of a decided job: %+v, %v", o, err)
	}
	complete(t, s, id, 0)
	if o, err := j.Open(t.Context(), shard); err != nil || !o.Settled {
		t.Errorf("a complete shard: %+v, %v", o, err)
	}
	if p, err := j.Progress(t.Context(), ref(0)); err != nil || p.Shards != 1 || p.Complete != 1 || p.Failed != 0 {
		t.Errorf("progress %+v, %v", p, err)
	}
}

func TestAskRefusesNamesThatAreNoKeys(t *testing.T) {
	j := job.New(stagetest.NewStore(), job.Options{})
	for _, r := range []job.Ref{{Owner: "Ann", Drop: drops[0]}, {Owner: "ann", Drop: "../x"}, {Owner: "", Drop: drops[0]}, {Owner: "ann"}} {
		if _, err := j.Ask(t.Context(), r, job.Want{}); err == nil {
			t.Errorf("%+v was asked for", r)
		}
	}
	if _, err := j.Redrive(t.Context(), ref(0)); fault.Of(err) != fault.Permanent {
		t.Errorf("redrive of no job: %v", err)
	}
}
