package pipeline_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// optionsOf are those of a pipeline on the store of a rig.
func optionsOf(t testing.TB, r *stagetest.Rig) pipeline.Options {
	return pipeline.Options{
		Store: r.Store(), Now: time.Now, NewID: uuid.NewString,
		Reading:   pipeline.Reading{Registry: r.Ingest.Registry, Extractors: r.Ingest.Extractors, Limits: r.Ingest.Limits},
		Resources: pipeline.Resources{Scratch: t.TempDir(), Workers: 2},
		Retry:     pipeline.Retry{Attempts: 2, Backoff: queue.Backoff{First: time.Millisecond, Max: 10 * time.Millisecond}},
		Reports:   pipeline.Reports{Log: r.Publish.Log, Name: "test"},
	}
}

// local opens a pipeline of this process.
func local(t testing.TB, o pipeline.Options) *pipeline.Pipeline {
	t.Helper()
	p, err := pipeline.OpenLocal(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// work runs a pipeline until the test ends, and closes it.
func work(t *testing.T, p *pipeline.Pipeline) { t.Cleanup(run(t, p)) }

// run runs a pipeline until stop is called, which closes it.
func run(t testing.TB, p *pipeline.Pipeline) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	return func() { cancel(); running.Wait(); p.Close() }
}

// ended asks for a drop and waits for the report.
func ended(t testing.TB, c pipeline.Client, ref job.Ref, w job.Want) state.Receipt {
	t.Helper()
	asked, err := c.Ask(t.Context(), ref, w)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Wait(t.Context(), ref, asked.Gen)
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Report(t.Context(), ref, r.Gen)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func refOf(drop string) job.Ref { return job.Ref{Owner: stagetest.Owner, Drop: drop} }

func TestAPipelineOfThisProcessImportsADropAndReportsIt(t *testing.T) {
	rig := stagetest.New(t)
	ref := refOf(rig.PutDrop(t, stagetest.TalksZip(t, 3)))
	p := local(t, optionsOf(t, rig))
	work(t, p)
	if r := ended(t, p, ref, job.Want{}); r.State != state.StateDone || r.Counts.Conversations != 3 || !r.Store.Published {
		t.Errorf("%+v", r)
	}
	if r := ended(t, p, ref, job.Want{}); r.State != state.StateDone || r.Gen != 2 || r.Store.Published {
		t.Errorf("the same once more: %+v", r)
	}
	letter := refOf(rig.PutDrop(t, []byte("Dear Anna,")))
	if r := ended(t, p, letter, job.Want{}); r.State != state.StateRefused || r.Hint == "" {
		t.Errorf("%+v", r)
	}
	row, err := pipeline.FindImport(t.Context(), p, "", letter.Drop[:12])
	if err != nil || row.State != state.StateRefused || row.Reason == "" {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := pipeline.FindImport(t.Context(), p, "", "ffffffff"); !errors.Is(err, status.ErrNoImport) {
		t.Error(err)
	}
	if page, err := p.DeadLetters(t.Context(), replay.Filter{}); err != nil || len(page.Letters) > 0 {
		t.Errorf("a refused upload is a dead letter: %+v, %v", page, err)
	}
	if err := p.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAPipelineOfThisProcessExtractsWhileItReads: nothing is read again for an extraction, except
// when the process before was killed: then only the extraction of a shard tells which one kills.
func TestAPipelineOfThisProcessExtractsWhileItReads(t *testing.T) {
	for _, wary := range []bool{false, true} {
		rig := stagetest.New(t)
		ref := refOf(rig.PutDrop(t, stagetest.TalksZip(t, 3)))
		spans := tracetest.NewSpanRecorder()
		o := optionsOf(t, rig)
		o.Retry.Wary, o.Reports.Tracer = wary, sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)).Tracer("test")
		p := local(t, o)
		work(t, p)
		if r := ended(t, p, ref, job.Want{}); r.State != state.StateDone || r.Store.Stats == nil {
			t.Fatalf("%+v", r)
		}
		names := map[string]int{}
		for _, s := range spans.Ended() {
			names[s.Name()]++
		}
		if want := map[bool]int{true: 1}[wary]; names["extract shard"] != want || names["pack"] != 1 {
			t.Errorf("wary %v: spans %v", wary, names)
		}
	}
}

func TestWorkThatAnotherProcessHasLeftContinues(t *testing.T) {
	rig := stagetest.New(t)
	ref := refOf(rig.PutDrop(t, stagetest.TalksZip(t, 2)))
	if _, err := rig.Jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
		t.Fatal(err)
	}
	p := local(t, optionsOf(t, rig))
	work(t, p)
	if n, err := p.Resume(t.Context()); n != 1 || err != nil {
		t.Errorf("%d generations, %v", n, err)
	}
	if r, err := p.Wait(t.Context(), ref, 1); err != nil || r.Outcome != job.Done {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestACommandMayBeKilledMoreOftenThanAService(t *testing.T) {
	for unguarded, want := range map[bool]string{true: state.StateDone, false: state.StateRefused} {
		rig := stagetest.New(t)
		ref := refOf(rig.PutDrop(t, stagetest.TalksZip(t, 2)))
		if _, err := rig.Jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"a", "b", "c"} { // of three processes that were killed while they read the archive
			if err := objects.PutEmpty(t.Context(), rig.Data, state.BegunKey(ref.Owner, ref.Drop, 1, string(job.Ingest), id)); err != nil {
				t.Fatal(err)
			}
		}
		o := optionsOf(t, rig)
		o.Retry.Unguarded = unguarded
		p := local(t, o)
		work(t, p)
		if r := ended(t, p, ref, job.Want{}); r.State != want || r.Gen != 1 {
			t.Errorf("unguarded %v: %+v", unguarded, r)
		}
	}
}

func TestAWaiterIsToldThatAHeadHasToBeRepaired(t *testing.T) {
	rig := stagetest.New(t)
	p := local(t, optionsOf(t, rig))
	work(t, p)
	ended(t, p, refOf(rig.PutDrop(t, stagetest.TalksZip(t, 1))), job.Want{})
	key := state.InputsKey(stagetest.Owner, rig.Head(t).Inputs)
	sound, _ := rig.Data.Body(key)
	damage := func(body string) {
		if _, err := rig.Data.Put(t.Context(), key, strings.NewReader(body), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	damage("{")
	ref := refOf(rig.PutDrop(t, stagetest.TalksZip(t, 2)))
	asked, err := p.Ask(t.Context(), ref, job.Want{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(t.Context(), ref, asked.Gen); fault.Of(err) != fault.Permanent || !strings.Contains(err.Error(), key) {
		t.Fatalf("%v", err)
	}
	damage(sound)
	if r := ended(t, p, ref, job.Want{}); r.State != state.StateDone {
		t.Errorf("after the repair: %+v", r)
	}
}

// full is a store without room for imports.
type full struct{ blob.Store }

func (s full) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if strings.Contains(key, "/imports/") {
		return blob.Object{}, syscall.ENOSPC
	}
	return s.Store.Put(ctx, key, body, o)
}

func TestAWaiterLosesPatienceWithOutages(t *testing.T) {
	rig := stagetest.New(t)
	o := optionsOf(t, rig)
	o.Store, o.Retry.Patience = full{o.Store}, 2
	p := local(t, o)
	work(t, p)
	ref := refOf(rig.PutDrop(t, stagetest.TalksZip(t, 1)))
	asked, err := p.Ask(t.Context(), ref, job.Want{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(t.Context(), ref, asked.Gen); fault.Of(err) != fault.Outage || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
}

// Nobody ends a job whose record is gone.
func TestAWaiterDoesNotWaitForAJobThatIsGone(t *testing.T) {
	rig := stagetest.New(t)
	p := local(t, optionsOf(t, rig))
	ref := refOf(rig.PutDrop(t, stagetest.TalksZip(t, 1)))
	if _, err := p.Wait(t.Context(), ref, 1); fault.Of(err) != fault.Outage || !strings.Contains(err.Error(), "is gone") {
		t.Error(err)
	}
}

func TestTheWorkersOfAClusterServeACommand(t *testing.T) {
	rig := stagetest.New(t)
	server := queue.ConnectOptions{URL: natstest.Server(t, nil).ClientURL(), Name: "test"}
	join := func() *pipeline.Pipeline {
		p, err := pipeline.Join(t.Context(), optionsOf(t, rig), server)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	work(t, join())
	command := join()
	defer command.Close()
	ref := refOf(rig.PutDrop(t, stagetest.TalksZip(t, 2)))
	if r := ended(t, command, ref, job.Want{}); r.State != state.StateDone {
		t.Errorf("%+v", r)
	}
	v, leave, err := pipeline.JoinView(t.Context(), rig.Store(), server)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	list, err := v.Imports(t.Context(), status.Query{Owner: stagetest.Owner})
	if err != nil || len(list.Imports) != 1 || list.Imports[0].State != state.StateDone {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestPipelinesOfOneReadingReadAlike(t *testing.T) {
	o := optionsOf(t, stagetest.New(t))
	id := func(o pipeline.Options) string {
		reading, err := o.ReadingID()
		if err != nil || reading == "" {
			t.Fatalf("%q, %v", reading, err)
		}
		return reading
	}
	first := id(o)
	o.Resources.Workers = 7
	if id(o) != first {
		t.Error("the number of workers is no way of reading")
	}
	o.Reading.Limits.MaxDepth = 50
	if id(o) == first {
		t.Error("another limit is another way of reading")
	}
}

func TestOptionsThatLackSomethingAreRefused(t *testing.T) {
	o := optionsOf(t, stagetest.New(t))
	o.Resources.Workers = 0
	if _, err := pipeline.OpenLocal(t.Context(), o); err == nil {
		t.Error("a pipeline without workers")
	}
	if _, err := pipeline.Join(t.Context(), pipeline.Options{}, queue.ConnectOptions{}); err == nil {
		t.Error("a pipeline without a store")
	}
}
