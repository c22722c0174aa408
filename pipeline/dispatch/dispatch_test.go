package dispatch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
)

var ann = job.Ref{Owner: "ann", Drop: strings.Repeat("5c", 32)}

func testDispatcher(t *testing.T) *Dispatcher { return dispatcherOn(t, TopologyOptions{}) }

func dispatcherOn(t *testing.T, o TopologyOptions) *Dispatcher {
	t.Helper()
	s, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	q, err := queue.OpenEmbedded(t.Context(), Topology(o), queue.Options{Log: zaptest.NewLogger(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	n := 0
	return New(job.New(s, job.Options{NewID: func() string { n++; return fmt.Sprint(n) }}), q)
}

func shardTask(n int) job.Task {
	return job.Task{Kind: job.Extract, Ref: ann, Gen: 3, Import: strings.Repeat("1a", 16), Shard: fmt.Sprintf("%064x", n), Pack: n, Lane: state.LaneSmall}
}

func subjects(t *testing.T, d *Dispatcher, stream string) []string {
	t.Helper()
	all, err := d.queue.Subjects(t.Context(), stream, ">")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for s := range all {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

func TestTasksReturnFromTheirMessages(t *testing.T) {
	t.Parallel()
	owner := job.Ref{Owner: "ann", Drop: state.OwnerJob}
	for _, want := range []job.Task{
		{Kind: job.Ingest, Ref: ann, Gen: 1, Lane: state.LaneBulk},
		{Kind: job.Ingest, Ref: ann, Gen: 12, Lane: state.LaneSmall, Resent: true},
		shardTask(7),
		{Kind: job.Assemble, Ref: ann, Gen: 2},
		{Kind: job.Assemble, Ref: owner, Gen: 2},
	} {
		m := Encode(want)
		if m.Origin == "" {
			m.Origin = queue.FromHandler
		}
		got, err := Decode(m)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", m.Subject, got, err, want)
		}
	}
}

func TestMessagesOfAnotherFormAreRefused(t *testing.T) {
	t.Parallel()
	shard := Encode(shardTask(1))
	for name, m := range map[string]queue.Task{
		"short":      {Subject: "pam.ingest.small.ann"},
		"owner":      {Subject: "pam.ingest.small.Ann." + ann.Drop + ".1"},
		"drop":       {Subject: "pam.ingest.small.ann.x.1"},
		"generation": {Subject: "pam.ingest.small.ann." + ann.Drop + ".0"},
		"lane":       {Subject: "pam.ingest.huge.ann." + ann.Drop + ".1"},
		"kind":       {Subject: "pam.paint.small.ann." + ann.Drop + ".1"},
		"no body":    {Subject: shard.Subject},
		"body":       {Subject: shard.Subject, Body: []byte(`{"import":"../x","pack":0}`)},
		"pack":       {Subject: shard.Subject, Body: []byte(`{"import":"` + strings.Repeat("1a", 16) + `","pack":-1}`)},
		"shard":      {Subject: strings.TrimSuffix(shard.Subject, shardTask(1).Shard) + "x", Body: shard.Body},
	} {
		if got, err := Decode(m); err == nil {
			t.Errorf("%s: decoded as %v", name, got)
		}
	}
}

func TestAnOwnerHasOnePartition(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for i := range 200 {
		seen[PartitionOf(fmt.Sprint("owner-", i))] = true
	}
	if first := PartitionOf("ann"); len(seen) != Partitions || PartitionOf("ann") != first {
		t.Errorf("%d partitions are used", len(seen))
	}
}

// The queue of a command for one owner has one partition, to which every owner maps.
func TestQueueOfOneOwnerTakesTheTasksOfEveryStage(t *testing.T) {
	t.Parallel()
	d := dispatcherOn(t, TopologyOptions{OneOwner: true})
	for i := range 20 {
		ref := job.Ref{Owner: fmt.Sprint("owner-", i), Drop: ann.Drop}
		if _, err := d.Ask(t.Context(), ref, job.Want{}); err != nil {
			t.Fatal(err)
		}
		for _, task := range []job.Task{
			{Kind: job.Extract, Ref: ref, Gen: 1, Import: strings.Repeat("1a", 16), Shard: ann.Drop},
			{Kind: job.Assemble, Ref: ref, Gen: 1},
		} {
			if err := d.SendTasks(t.Context(), queue.FromHandler, []job.Task{task}); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := map[string]uint64{"ingest-small": 20, "ingest-bulk": 0, "ingest-wait": 0, "extract-small": 20, "extract-bulk": 0, "extract-wait": 0, "assemble-00": 20, "assemble-wait": 0}
	natstest.Eventually(t, fmt.Sprintf("tasks wait as %v", want), func() bool { // the server counts behind its answers
		depths, err := d.queue.Depths(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waiting := map[string]uint64{}
		for _, c := range depths {
			waiting[c.Consumer] += c.Waiting
		}
		return maps.Equal(waiting, want)
	})
}

func TestAnAskSendsItsTaskOnceAndIsLogged(t *testing.T) {
	t.Parallel()
	d := testDispatcher(t)
	for i := range 2 {
		asked, err := d.Ask(t.Context(), ann, job.Want{Lane: state.LaneSmall})
		if err != nil || asked.Gen != 1 || asked.Shared != (i == 1) {
			t.Fatalf("ask %d: %+v, %v", i, asked, err)
		}
	}
	if got := subjects(t, d, StreamIngest); len(got) != 1 || got[0] != "pam.ingest.small.ann."+ann.Drop+".1" {
		t.Errorf("queued %v", got)
	}
	if got := subjects(t, d, StreamDrops); len(got) != 1 {
		t.Errorf("logged %v", got)
	}
}

func TestASharedGenerationThatLostItsMessagesGetsThemAsOfAPass(t *testing.T) {
	t.Parallel()
	d := testDispatcher(t)
	if _, err := d.jobs.Ask(t.Context(), ann, job.Want{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Ask(t.Context(), ann, job.Want{}); err != nil {
		t.Fatal(err)
	}
	got := make(chan job.Task, 1)
	consumeOne(t, d, StreamIngest, func(del *queue.Delivery) queue.Result {
		task, err := Decode(del.Task)
		if err != nil {
			t.Error(err)
		}
		got <- task
		return queue.Done()
	})
	if task := <-got; !task.Resent {
		t.Errorf("%+v counts as sent for the first time", task)
	}
}

// consumeOne handles the tasks of a stream until the end of the test.
func consumeOne(t *testing.T, d *Dispatcher, stream string, h func(*queue.Delivery) queue.Result) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.queue.Consume(ctx, stream, func(_ context.Context, del *queue.Delivery) queue.Result { return h(del) },
			queue.Pull{Consumer: strings.ToLower(strings.TrimPrefix(stream, "PAM_")) + "-small", Parallel: 1}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
}

func TestMessagesOfAGenerationAreFoundWhereverTheyWait(t *testing.T) {
	t.Parallel()
	d := testDispatcher(t)
	has := func(gen int) bool {
		ok, err := d.HasMessage(t.Context(), ann, gen)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if err := d.SendTasks(t.Context(), queue.FromHandler, []job.Task{shardTask(1)}); err != nil {
		t.Fatal(err)
	}
	delayed := job.Task{Kind: job.Ingest, Ref: ann, Gen: 5, Lane: state.LaneBulk}
	if err := d.queue.SendAfter(t.Context(), Encode(delayed), time.Hour); err != nil {
		t.Fatal(err)
	}
	if !has(3) || !has(5) || has(1) || has(33) {
		t.Errorf("3: %v, 5: %v, 1: %v, 33: %v", has(3), has(5), has(1), has(33))
	}
}

func TestShardsWithAMessageInAnotherLaneAreNotSentAgain(t *testing.T) {
	t.Parallel()
	d := testDispatcher(t)
	bulk := shardTask(1)
	bulk.Lane = state.LaneBulk
	if err := d.SendTasks(t.Context(), queue.FromHandler, []job.Task{bulk}); err != nil {
		t.Fatal(err)
	}
	if err := d.queue.SendAfter(t.Context(), Encode(shardTask(2)), time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := d.SendTasks(t.Context(), queue.FromHandler, []job.Task{shardTask(1), shardTask(2), shardTask(3)}); err != nil {
		t.Fatal(err)
	}
	if got := subjects(t, d, StreamExtract); len(got) != 3 || got[1] != Encode(shardTask(3)).Subject {
		t.Errorf("queued %v", got)
	}
}

func TestATaskThatWaitsForItsNextAttemptIsNotSentAgain(t *testing.T) {
	t.Parallel()
	d := testDispatcher(t)
	for _, task := range []job.Task{shardTask(1), {Kind: job.Ingest, Ref: ann, Gen: 3}, {Kind: job.Assemble, Ref: ann, Gen: 3}} {
		if err := d.queue.SendAfter(t.Context(), Encode(task), time.Hour); err != nil {
			t.Fatal(err)
		}
		for _, from := range []queue.Origin{queue.FromHandler, queue.FromPass} {
			if err := d.SendTasks(t.Context(), from, []job.Task{task}); err != nil {
				t.Fatal(err)
			}
		}
		if got := subjects(t, d, streams[task.Kind]); len(got) != 1 {
			t.Errorf("queued %v", got)
		}
		task.Gen = 33 // another generation has messages of its own
		if err := d.SendTasks(t.Context(), queue.FromHandler, []job.Task{task}); err != nil {
			t.Fatal(err)
		}
		if got := subjects(t, d, streams[task.Kind]); len(got) != 2 {
			t.Errorf("queued %v", got)
		}
	}
}

func TestAnOwnerWithManyTasksFillsTheLargeLane(t *testing.T) {
	t.Parallel()
	d := testDispatcher(t)
	var tasks []job.Task
	for i := range 12 {
		tasks = append(tasks, shardTask(i))
	}
	if err := d.SendTasks(t.Context(), queue.FromHandler, tasks); err != nil {
		t.Fatal(err)
	}
	lanes := map[string]int{}
	for _, s := range subjects(t, d, StreamExtract) {
		lanes[strings.Split(s, ".")[2]]++
	}
	if lanes[state.LaneSmall] != DefaultOwnerSmall || lanes[state.LaneBulk] != 12-DefaultOwnerSmall {
		t.Errorf("%v", lanes)
	}
}

// FuzzDecode checks that whatever is decoded is a task that encodes to the same message.
func FuzzDecode(f *testing.F) {
	for _, t := range []job.Task{{Kind: job.Ingest, Ref: ann, Gen: 1, Lane: state.LaneBulk}, shardTask(7), {Kind: job.Assemble, Ref: ann, Gen: 2}} {
		m := Encode(t)
		f.Add(m.Subject, m.Body)
	}
	f.Add("pam.ingest.small.ann."+ann.Drop+".01", []byte(nil))
	f.Add("pam.assemble.99.ann."+ann.Drop+".1", []byte("{}"))
	f.Fuzz(func(t *testing.T, subject string, body []byte) {
		task, err := Decode(queue.Task{Subject: subject, Body: body, Origin: queue.FromHandler})
		if err != nil {
			return
		}
		again, err := Decode(queue.Task{Subject: Encode(task).Subject, Body: Encode(task).Body, Origin: queue.FromHandler})
		if err != nil || again != task {
			t.Errorf("%q gives %+v, then %+v, %v", subject, task, again, err)
		}
	})
}
