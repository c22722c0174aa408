package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// The notifications of all owners come in one stream, in the order in which things happened, and seeing to one takes requests.
// So that none waits for those before it, they are read as fast as NATS gives them and wait in memory, owner by owner; the
// owners take turns. Of an owner who has more than a few waiting, all are acknowledged but one, and instead of the store being
// asked for each of their objects, their inbox is listed once beside their records ([intake.look]). What the process holds is
// bounded so, however many there are of whom. While they wait, heartbeats keep them; when the process dies they come again, and
// what was acknowledged for a look that did not end is found by the look that whatever comes again asks for.

const (
	// eventFetch is how many notifications are asked of NATS at a time.
	eventFetch = 256
	// eventsMost is how many hints this process holds, of all owners together, and eventsBytes how many bytes of notifications. Then
	// it stops reading. One fetch may come on top.
	eventsMost  = 4096
	eventsBytes = 32 << 20
	// inboxMost is how many hints of one inbox wait; inboxCrowded, when half of eventsMost is taken.
	inboxMost    = 64
	inboxCrowded = 8
	// turnsMost inboxes have a turn at a time, of turnHints hints each, of which turnWide are asked for at a time.
	turnsMost = 64
	turnHints = 8
	turnWide  = 4
	// looksMost inboxes are looked through at a time. Each look holds the ids of its records.
	looksMost = 4
)

// intake holds the notifications that this process has in hand.
type intake struct {
	w     *Worker
	st    stage
	tasks jetstream.Stream
	// ctx ends when nothing new is to be begun.
	ctx    context.Context
	cancel context.CancelFunc
	held   *held

	running sync.WaitGroup
	// left has something in it when there is less in hand than before.
	left chan struct{}

	mu           sync.Mutex
	stopped      bool
	inboxes      map[ownerInbox]*inboxQueue
	turns, looks crew
	hints, bytes int
	unread       int // that wait for their dead letters
	unlettered   int // that got none since
}

// readEvents sees to notifications until ctx ends.
func (w *Worker) readEvents(ctx context.Context) error {
	pullers, err := w.consumers(ctx, StreamEvents, telemetry.StageEvents, []string{telemetry.StageEvents})
	if err != nil || pullers == nil {
		return err
	}
	tasks, err := answered(ctx, w, func() (jetstream.Stream, error) { return w.js.Stream(ctx, StreamTake) })
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open stream %s: %w", StreamTake, err)
	}
	for ctx.Err() == nil {
		w.newIntake(ctx, tasks).read(pullers[0])
	}
	return nil
}

func (w *Worker) newIntake(ctx context.Context, tasks jetstream.Stream) *intake {
	in := &intake{
		w: w, st: stage{name: telemetry.StageEvents, giveUp: w.giveUpEvents}, tasks: tasks, left: make(chan struct{}, 1),
		inboxes: map[ownerInbox]*inboxQueue{}, turns: crew{most: turnsMost}, looks: crew{most: looksMost},
		held: &held{w: w, open: map[jetstream.Msg]bool{}},
	}
	in.held.ctx, in.held.cancel = context.WithCancelCause(lasting(ctx))
	in.held.beats.Go(in.held.beat)
	in.ctx, in.cancel = context.WithCancel(ctx)
	context.AfterFunc(in.held.ctx, in.cancel) // also when the messages are somebody else's
	in.running.Go(func() {
		<-in.ctx.Done()
		in.stop()
	})
	return in
}

// read takes notifications in until ctx ends or those in hand are lost, and returns when all in hand are settled.
func (in *intake) read(c jetstream.Consumer) {
	w, gate := in.w, in.w.gates[telemetry.StageEvents]
	for in.ctx.Err() == nil {
		gate.enter(in.ctx)
		n := in.room()
		if n == 0 {
			break
		}
		msgs, err := c.Fetch(n, w.fetchWait(in.ctx))
		if err != nil {
			w.pause(in.ctx, err)
			continue
		}
		for msg := range msgs.Messages() {
			in.Accept(msg)
		}
		w.pulled(in.ctx, msgs)
	}
	in.Close()
}

// close gives back what waits, and returns when what has begun is settled.
func (in *intake) Close() {
	in.cancel()
	in.running.Wait()
	if errors.Is(context.Cause(in.held.ctx), errTaken) {
		in.w.Log.Warn("notifications in hand were left to whoever has them now", zap.String("stage", telemetry.StageEvents), zap.Error(errTaken))
	}
	in.held.release()
}

// stop gives back what waits, and what comes from now on. What has begun goes on.
func (in *intake) stop() {
	in.mu.Lock()
	in.stopped = true
	var back []*notice
	for p, q := range in.inboxes {
		for _, h := range q.waiting {
			back = append(back, h.notice)
		}
		q.waiting = nil
		if q.wanted != nil {
			back = append(back, q.wanted)
			q.wanted = nil
		}
		in.tidy(p, q)
	}
	in.mu.Unlock()
	for _, n := range back {
		n.giveBack()
	}
}

// room waits until there is some, and tells how many notifications to ask for; 0 when nothing new is to be begun.
func (in *intake) room() int {
	for {
		switch {
		case in.ctx.Err() != nil:
			return 0
		case !in.full():
			return eventFetch
		}
		select {
		case <-in.left:
		case <-in.ctx.Done():
		}
	}
}

// accept takes one notification in. It asks nobody, so that the next is read at once.
func (in *intake) Accept(msg jetstream.Msg) {
	n := &notice{in: in, msg: msg, weight: 1, open: 1}
	n.ctx, n.cancel = context.WithCancelCause(in.held.ctx)
	_, n.account = in.w.beginUnit(n.ctx, telemetry.StageEvents, msg, telemetry.Unit{}) // it is about no unit of ours yet
	in.held.keep(msg)
	var hints []hint
	err := fault.Recovered("read notification", func() (err error) {
		hints, err = in.w.Inbox.hints(msg.Data())
		return err
	})
	in.mu.Lock()
	n.weight = max(1, len(hints))
	in.hints += n.weight
	in.bytes += len(msg.Data())
	if in.stopped {
		in.mu.Unlock()
		n.giveBack()
		return
	}
	if err != nil {
		in.mu.Unlock()
		in.unreadable(n, err)
		return
	}
	var covered []*notice
	for _, h := range hints {
		covered = append(covered, in.Add(waiting{h, n})...)
	}
	in.mu.Unlock()
	for _, n := range append(covered, n) {
		n.release(nil)
	}
}

// leave: a notice is settled.
func (in *intake) leave(n *notice) {
	in.held.settled(n.msg)
	n.cancel(nil)
	in.mu.Lock()
	in.hints -= n.weight
	in.bytes -= len(n.msg.Data())
	in.mu.Unlock()
	select {
	case in.left <- struct{}{}:
	default:
	}
}

// full tells whether one more fetch might be too much.
func (in *intake) full() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.hints+eventFetch > eventsMost || in.bytes >= eventsBytes
}
