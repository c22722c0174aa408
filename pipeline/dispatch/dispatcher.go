package dispatch

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
)

// Dispatcher asks for work and sends its tasks. It is safe for concurrent use.
type Dispatcher struct {
	jobs  *job.Jobs
	queue *queue.Queue
}

// New gives a dispatcher for the jobs of a store and a queue with the streams of [Topology].
func New(jobs *job.Jobs, q *queue.Queue) *Dispatcher { return &Dispatcher{jobs, q} }

// Jobs are the jobs that the dispatcher asks for.
func (d *Dispatcher) Jobs() *job.Jobs { return d.jobs }

// Queue is the queue that the dispatcher sends to.
func (d *Dispatcher) Queue() *queue.Queue { return d.queue }

// Ask wants work for a job and sends its tasks (job.Jobs.Ask). If the queue is out, the generation
// is open nevertheless: Ask gives it beside the error, and a pass sends its tasks later.
func (d *Dispatcher) Ask(ctx context.Context, ref job.Ref, w job.Want) (job.Asked, error) {
	asked, err := d.jobs.Ask(ctx, ref, w)
	if err != nil {
		return asked, err
	}
	if !asked.Shared {
		if err := d.logDrop(ctx, ref, asked.Gen, w); err != nil {
			return asked, err
		}
	}
	return asked, d.SendAsked(ctx, ref, asked)
}

// Redrive wants the failed units of a job's last generation again (job.Jobs.Redrive).
func (d *Dispatcher) Redrive(ctx context.Context, ref job.Ref) (job.Asked, error) {
	asked, err := d.jobs.Redrive(ctx, ref)
	if err != nil {
		return asked, err
	}
	return asked, d.SendAsked(ctx, ref, asked)
}

// SendAsked sends the tasks of an Ask. A shared generation needs none if it has a message; the
// tasks of one that has lost its messages are sent as those of a pass, for a worker may have
// crashed.
func (d *Dispatcher) SendAsked(ctx context.Context, ref job.Ref, asked job.Asked) error {
	if !asked.Shared {
		return d.SendTasks(ctx, queue.FromAsk, asked.Tasks)
	}
	if has, err := d.HasMessage(ctx, ref, asked.Gen); err != nil || has {
		return err
	}
	return d.SendTasks(ctx, queue.FromPass, asked.Tasks)
}

// SendTasks stores tasks in their streams. If there are several shards, those that have a message
// already, in any lane or delayed, are left out.
func (d *Dispatcher) SendTasks(ctx context.Context, from queue.Origin, tasks []job.Task) error {
	queued := map[string]bool{}
	if len(tasks) > 1 && tasks[0].Kind == job.Extract {
		var err error
		if queued, err = d.QueuedShards(ctx, tasks[0].Ref, tasks[0].Gen); err != nil {
			return err
		}
	}
	for _, t := range tasks {
		if t.Kind == job.Extract && queued[t.Shard] {
			continue
		}
		m := Encode(t)
		if m.Origin == "" {
			m.Origin = from
		}
		if err := d.queue.Send(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// QueuedShards gives the shards of a generation that have a message: waiting, in hand or delayed.
func (d *Dispatcher) QueuedShards(ctx context.Context, ref job.Ref, gen int) (map[string]bool, error) {
	subjects, err := d.queue.Subjects(ctx, StreamExtract, "pam.extract.*."+ref.Owner+"."+ref.Drop+"."+strconv.Itoa(gen)+".>")
	if err != nil {
		return nil, err
	}
	shards := map[string]bool{}
	for subject := range subjects {
		shards[shardOf(subject)] = true
	}
	return shards, nil
}

// HasMessage tells whether a message is for a generation: waiting, in hand or delayed. The streams
// are asked in the order of the work, so a generation that is passed on meanwhile is not missed.
func (d *Dispatcher) HasMessage(ctx context.Context, ref job.Ref, gen int) (bool, error) {
	for _, s := range []struct{ stream, kind string }{{StreamIngest, "ingest"}, {StreamExtract, "extract"}, {StreamAssemble, "assemble"}} {
		subjects, err := d.queue.Subjects(ctx, s.stream, "pam."+s.kind+".*."+ref.Owner+"."+ref.Drop+".>")
		if err != nil {
			return false, err
		}
		for subject := range subjects {
			if tokens := strings.Split(subject, "."); len(tokens) > 5 && tokens[5] == strconv.Itoa(gen) {
				return true, nil
			}
		}
	}
	return false, nil
}

// logEntry is one line of the log of drops.
type logEntry struct {
	V     int      `json:"v"`
	Owner string   `json:"owner"`
	Drop  string   `json:"drop"`
	Gen   int      `json:"gen"`
	Want  job.Want `json:"want"`
}

// logDrop records a new generation in the log of drops, which keeps the newest of each drop.
func (d *Dispatcher) logDrop(ctx context.Context, ref job.Ref, gen int, w job.Want) error {
	body, err := json.Marshal(logEntry{1, ref.Owner, ref.Drop, gen, w})
	if err != nil {
		return err
	}
	return d.queue.Send(ctx, queue.Task{Subject: "pam.drop.asked." + ref.Owner + "." + ref.Drop, Body: body, Origin: queue.FromAsk})
}
