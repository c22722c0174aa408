package status_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/jobtest"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/status"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// clock is a clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

// reports gives what a board has of a drop.
func reports(t *testing.T, b status.Board, ref job.Ref) []status.Progress {
	t.Helper()
	var list []status.Progress
	for p, err := range b.Progress(t.Context(), ref.Owner, ref.Drop) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func event(ref job.Ref, gen int, stage string) telemetry.Event {
	return telemetry.Event{Stage: stage, Owner: ref.Owner, Drop: ref.Drop, Gen: gen}
}

func TestProgressOfThisProcessIsPartOfTheRowUntilTheImportEnds(t *testing.T) {
	w, at := jobtest.New(t), newClock()
	ref := w.Drop("ann", "a.zip")
	if _, err := w.Jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
		t.Fatal(err)
	}
	tracker := status.NewTracker(status.TrackerOptions{Now: at.Now, Name: "here"})
	c := status.NewCatalog(w.Store)
	c.Board = tracker
	heard := 0
	observe := tracker.Before(func(telemetry.Event) { heard++ })
	read := event(ref, 1, telemetry.StageIngest)
	read.Import, read.Bytes, read.Total, read.Units = "5a5a5a", 100, 400, 10
	observe(read)
	at.advance(2 * time.Second)
	read.Bytes, read.Units = 200, 30
	observe(read)
	tracker.ReportTrouble(job.Task{Kind: job.Ingest, Ref: ref, Gen: 1}, fault.Unit, 2)
	row, err := c.Find(t.Context(), "ann", ref.Drop)
	if err != nil || row.State != status.StateReading || row.BytesRead != 200 || row.BytesTotal != 400 || row.Conversations != 30 ||
		row.BytesPerSecond != 100 || row.ConversationsPerSecond != 15 || row.SecondsLeft == nil || *row.SecondsLeft != 2 || row.Import != "5a5a5a" || row.Worker != "here" {
		t.Errorf("%+v, %v", row, err)
	}
	if tr := row.Trouble; tr == nil || tr.Stage != "ingest" || tr.Class != fault.Unit || tr.Delivery != 2 {
		t.Errorf("trouble %+v", tr)
	}
	// Late events of an older generation, and those of no drop, change nothing.
	observe(event(ref, 2, telemetry.StageIngest))
	observe(event(ref, 1, telemetry.StageDone))
	observe(telemetry.Event{Stage: telemetry.StageIngest})
	if list := reports(t, tracker, ref); len(list) != 1 || list[0].Gen != 2 || list[0].BytesRead != 0 {
		t.Errorf("%+v", list)
	}
	if row, err := c.Find(t.Context(), "ann", ref.Drop); err != nil || row.State != status.StateWaiting {
		t.Errorf("another generation's progress: %+v, %v", row, err)
	}
	observe(event(ref, 2, telemetry.StageDone))
	if list := reports(t, tracker, job.Ref{}); len(list) != 0 || heard != 6 {
		t.Errorf("%+v, %d events passed on", list, heard)
	}
}

func TestTheTimeLeftIsThatOfTheStateTheImportIsIn(t *testing.T) {
	w, at := jobtest.New(t), newClock()
	ref := w.Drop("ann", "a.zip")
	tracker := status.NewTracker(status.TrackerOptions{Now: at.Now})
	w.Plans[ref] = jobtest.Plan{Shards: 4}
	if _, err := w.Jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
		t.Fatal(err)
	}
	tracker.Observe(event(ref, 1, telemetry.StageIngest))
	c := status.NewCatalog(w.Store)
	c.Board = tracker
	for _, step := range []struct {
		state string
		left  float64 // 0: not known
	}{{status.StateReading, 0}, {status.StateExtracting, 0}, {status.StateExtracting, 12}, {status.StateExtracting, 6}, {status.StateExtracting, 2.7}, {status.StateAssembling, 0}} {
		row, err := c.Find(t.Context(), "ann", ref.Drop)
		if err != nil || row.State != step.state || (row.SecondsLeft == nil) != (step.left == 0) || row.SecondsLeft != nil && *row.SecondsLeft != step.left {
			t.Errorf("want %+v: %+v, %v", step, row, err)
		}
		tasks, err := w.Jobs.Next(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		w.Do(tasks[0])
		at.advance(2 * time.Second)
		tracker.Observe(event(ref, 1, telemetry.StageExtract))
	}
}

// shared gives a tracker for each of two workers of a cluster, and its board.
func shared(t *testing.T, at *clock) (a, b *status.Tracker, board status.BucketBoard) {
	t.Helper()
	q, err := queue.OpenEmbedded(t.Context(), queue.Topology{Buckets: []queue.Bucket{{Name: "PROGRESS"}}}, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	o := status.TrackerOptions{Now: at.Now, Name: "a", Queue: q, Bucket: "PROGRESS"}
	a = status.NewTracker(o)
	o.Name = "b"
	return a, status.NewTracker(o), status.BucketBoard{Queue: q, Bucket: "PROGRESS"}
}

// writeAll has a tracker write what it knows, as at the end of its process.
func writeAll(t *testing.T, tracker *status.Tracker) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tracker.Run(ctx)
}

func TestTheWorkersOfAClusterReportTogether(t *testing.T) {
	w, at := jobtest.New(t), newClock()
	ref := w.Drop("ann", "a.zip")
	if _, err := w.Jobs.Ask(t.Context(), ref, job.Want{}); err != nil {
		t.Fatal(err)
	}
	a, b, board := shared(t, at)
	read := event(ref, 1, telemetry.StageIngest)
	read.Bytes = 70
	a.Observe(read)
	at.advance(time.Second)
	read.Bytes = 50
	b.Observe(read)
	writeAll(t, b)
	writeAll(t, a)
	if list := reports(t, board, ref); len(list) != 1 || list[0].BytesRead != 70 || list[0].StartedAt != "2026-01-02T03:04:05.000Z" || list[0].Worker != "b" || list[0].Writes != 2 {
		t.Errorf("%+v", list)
	}
	c := status.NewCatalog(w.Store)
	c.Board, c.Shared = board, true
	for _, q := range []status.Query{{}, {State: status.StateOpen}, {ID: ref.Drop[:6]}} {
		if lines, _ := list(t, c, q); len(lines) != 1 || lines[0] != "a.zip: reading" {
			t.Errorf("%+v: %q", q, lines)
		}
	}
	// The end of a generation, and the next generation.
	w.Run(ref)
	a.Observe(event(ref, 1, telemetry.StageDone))
	writeAll(t, a)
	if lines, _ := list(t, c, status.Query{}); len(lines) != 1 || lines[0] != "a.zip: done" {
		t.Errorf("%q", lines)
	}
	b.Observe(event(ref, 2, telemetry.StageIngest))
	writeAll(t, b)
	a.Observe(event(ref, 1, telemetry.StageExtract)) // late
	writeAll(t, a)
	if list := reports(t, board, job.Ref{}); len(list) != 1 || list[0].Gen != 2 || list[0].Ended || list[0].BytesRead != 0 {
		t.Errorf("%+v", list)
	}
}

func TestAnImportThatNobodyHasReportedLatelyIsFoundInStorage(t *testing.T) {
	w := jobtest.New(t)
	ref := w.Drop("ann", "a.zip")
	w.Import(ref, small, job.Want{})
	_, _, board := shared(t, newClock())
	c := status.NewCatalog(w.Store)
	c.Board, c.Shared = board, true
	if row, err := c.Find(t.Context(), "", jobtest.ImportID(ref, small.Importers...)); err != nil || row.State != "done" {
		t.Errorf("%+v, %v", row, err)
	}
	if lines, _ := list(t, c, status.Query{Owner: "ann"}); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}

func TestReportsAreWrittenAtMostOnceASecond(t *testing.T) {
	at := newClock()
	a, _, board := shared(t, at)
	ref := job.Ref{Owner: "ann", Drop: "d0d0d0"}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { a.Run(ctx) })
	a.Observe(event(ref, 1, telemetry.StageIngest))
	for len(reports(t, board, ref)) == 0 { // the first report is due at once
		if t.Context().Err() != nil {
			t.Fatal("not written")
		}
	}
	read := event(ref, 1, telemetry.StageIngest)
	read.Bytes = 9
	for range 100 { // the clock stands still: nothing more is due until the end
		a.Observe(read)
	}
	cancel()
	running.Wait()
	if list := reports(t, board, ref); len(list) != 1 || list[0].BytesRead != 9 || list[0].Writes != 2 {
		t.Errorf("%+v", list)
	}
}

func TestProgressThatCannotBeWrittenIsLoggedOnce(t *testing.T) {
	at := newClock()
	_, _, board := shared(t, at)
	core, logged := observer.New(zap.WarnLevel)
	tracker := status.NewTracker(status.TrackerOptions{Now: at.Now, Log: zap.New(core), Queue: board.Queue, Bucket: "MISSING"})
	for range 3 {
		tracker.Observe(event(job.Ref{Owner: "ann", Drop: "d0"}, 1, telemetry.StageIngest))
		writeAll(t, tracker)
	}
	if logged.Len() != 1 {
		t.Errorf("%d lines", logged.Len())
	}
	c := status.NewCatalog(jobtest.New(t).Store)
	c.Board, c.Shared = status.BucketBoard{Queue: board.Queue, Bucket: "MISSING"}, true
	if _, err := c.List(t.Context(), status.Query{}); err == nil {
		t.Error("a list of the missing bucket has no error")
	}
}

func TestManyWorkersReportOfOneDropAndNothingIsLost(t *testing.T) {
	at := newClock()
	_, _, board := shared(t, at)
	ref := job.Ref{Owner: "ann", Drop: "d0d0d0"}
	var all sync.WaitGroup
	for i := range 24 {
		tracker := status.NewTracker(status.TrackerOptions{Now: at.Now, Name: "w", Queue: board.Queue, Bucket: "PROGRESS"})
		read := event(ref, 1, telemetry.StageIngest)
		read.Bytes = int64(i)
		tracker.Observe(read)
		all.Go(func() { writeAll(t, tracker) })
	}
	all.Wait()
	if list := reports(t, board, ref); len(list) != 1 || list[0].BytesRead != 23 || list[0].Writes != 24 {
		t.Errorf("%+v", list)
	}
}
