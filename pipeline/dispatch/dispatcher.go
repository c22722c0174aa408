package dispatch

import (
	"context"
	"encoding/json"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
)

// Dispatcher asks for work and sends its tasks. It is safe for concurrent use.
type Dispatcher struct {
	jobs  *job.Jobs
	queue *queue.Queue
	// partitions are those of the queue's topology.
	partitions uint32
}

// New gives a dispatcher for the jobs of a store and a queue with the streams of [Topology].
func New(jobs *job.Jobs, q *queue.Queue) *Dispatcher {
	return &Dispatcher{jobs, q, uint32(q.Lanes(StreamAssemble))} //nolint:gosec // a table is small
}

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

// SendTasks stores the tasks of a job, all of one kind, in their stream. Units that have a message
// already, in any lane or delayed, are left out: a task that waits for its next attempt would get
// all of its attempts once more. A new generation has no messages.
func (d *Dispatcher) SendTasks(ctx context.Context, from queue.Origin, tasks []job.Task) error {
	if len(tasks) == 0 {
		return nil
	}
	queued := map[string]bool{}
	if from != queue.FromAsk {
		var err error
		if queued, err = d.queuedUnits(ctx, tasks[0]); err != nil {
			return err
		}
	}
	for _, t := range tasks {
		if queued[t.Unit()] {
			continue
		}
		if err := d.SendTask(ctx, from, t); err != nil {
			return err
		}
	}
	return nil
}

// SendTask stores one task in its stream, whatever waits there in other lanes or delayed.
func (d *Dispatcher) SendTask(ctx context.Context, from queue.Origin, t job.Task) error {
	m := encodeTask(t, d.partitions)
	if m.Origin == "" {
		m.Origin = from
	}
	return d.queue.Send(ctx, m)
}

// queuedUnits gives the units of a generation that have a message of the kind of a task: waiting,
// in hand or delayed.
func (d *Dispatcher) queuedUnits(ctx context.Context, t job.Task) (map[string]bool, error) {
	subjects, err := d.queue.Subjects(ctx, streams[t.Kind], filterOf(t.Kind, t.Ref))
	if err != nil {
		return nil, err
	}
	units := map[string]bool{}
	for subject := range subjects {
		if gen, unit := unitOf(subject); gen == t.Gen {
			units[unit] = true
		}
	}
	return units, nil
}

// HasMessage tells whether a message is for a generation: waiting, in hand or delayed. The streams
// are asked in the order of the work, so a generation that is passed on meanwhile is not missed.
func (d *Dispatcher) HasMessage(ctx context.Context, ref job.Ref, gen int) (bool, error) {
	for _, kind := range []job.Kind{job.Ingest, job.Extract, job.Assemble} {
		units, err := d.queuedUnits(ctx, job.Task{Kind: kind, Ref: ref, Gen: gen})
		if err != nil || len(units) > 0 {
			return len(units) > 0, err
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
