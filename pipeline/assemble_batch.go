package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

const (
	// assembleBatch is how many messages of a partition are taken at once, and assembleOwner how many of one owner are
	// assembled together before it is the next one's turn.
	assembleBatch = 512
	assembleOwner = 256
)

// consumeAssemble takes what waits in each partition together and assembles once for an owner's imports, however many
// have ended: the store is a function of all of them, and computing it once for each would take as many times as long. At
// most Workers assemblies run at a time in this process.
func (w *Worker) consumeAssemble(ctx context.Context) error {
	var names []string
	for p := range Partitions {
		names = append(names, fmt.Sprintf("assemble-%02d", p))
	}
	pullers, err := w.consumers(ctx, StreamAssemble, telemetry.StageAssemble, names)
	if err != nil || pullers == nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	st := stage{telemetry.StageAssemble, w.assemble, w.giveUpAssemble, w.endAssemble}
	busy := make(chan struct{}, w.Workers)
	for _, c := range pullers[:Partitions] {
		wg.Go(func() { w.pullBatches(ctx, c, st, busy) })
	}
	wg.Go(func() { w.keepRoom(ctx, pullers[Partitions], st.name) })
	return nil
}

func (w *Worker) pullBatches(ctx context.Context, c jetstream.Consumer, st stage, busy chan struct{}) {
	gate := w.gates[st.name]
	for ctx.Err() == nil {
		gate.enter(ctx)
		if ctx.Err() != nil {
			return
		}
		msgs, err := c.Fetch(1, w.fetchWait(ctx))
		if err != nil {
			w.pause(ctx, err)
			continue
		}
		for msg := range msgs.Messages() {
			b := w.hold(ctx, msg)
			select {
			case busy <- struct{}{}:
				b.take(ctx, c)
				w.batch(b, st)
				<-busy
			case <-ctx.Done():
				b.cancel(nil)
				w.batch(b, st) // gives it back
			}
			b.release()
		}
		w.pulled(ctx, msgs)
	}
}

// held are messages in hand. They are kept by heartbeats until each is settled.
type held struct {
	w      *Worker
	ctx    context.Context
	cancel context.CancelCauseFunc
	beats  sync.WaitGroup
	mu     sync.Mutex
	open   map[jetstream.Msg]bool
	order  []jetstream.Msg
}

func (w *Worker) hold(ctx context.Context, first jetstream.Msg) *held {
	h := &held{w: w, open: map[jetstream.Msg]bool{first: true}, order: []jetstream.Msg{first}}
	h.ctx, h.cancel = context.WithCancelCause(lasting(ctx))
	h.beats.Go(h.beat)
	return h
}

// take adds what waits besides.
func (h *held) take(ctx context.Context, c jetstream.Consumer) {
	msgs, err := c.FetchNoWait(assembleBatch - 1)
	if err != nil {
		h.w.Log.Warn("pull from NATS failed; going on with what is in hand", zap.Error(err))
		return
	}
	for msg := range msgs.Messages() {
		h.mu.Lock()
		h.open[msg] = true
		h.order = append(h.order, msg)
		h.mu.Unlock()
	}
	if err := msgs.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && ctx.Err() == nil {
		h.w.Log.Warn("pull from NATS failed; going on with what is in hand", zap.Error(err))
	}
}

// keep keeps one more.
func (h *held) keep(msg jetstream.Msg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open[msg] = true
}

func (h *held) beat() {
	p := newPulse(h.w.ackWait)
	t := time.NewTicker(h.w.ackWait / 3)
	defer t.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case at := <-t.C:
			if p.stoodStill(at) {
				h.cancel(errTaken)
				return
			}
		}
		h.mu.Lock()
		for msg := range h.open {
			if err := msg.InProgress(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) { // it was settled just now
				h.w.Log.Warn("heartbeat failed; stopping these units, another worker may take them", zap.Error(err))
				h.cancel(nil)
				break
			}
		}
		h.mu.Unlock()
	}
}

// settled: the message is somebody else's to keep.
func (h *held) settled(msg jetstream.Msg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, msg)
}

func (h *held) release() {
	h.cancel(nil)
	h.beats.Wait()
}

// assembling is one message of a batch.
type assembling struct {
	msg     jetstream.Msg
	task    AssembleTask
	account *account
}

// batch works on the messages in hand, owner by owner in turns, those with the fewest first: somebody with many imports
// does not hold up the others of the partition.
func (w *Worker) batch(h *held, st stage) {
	owners := map[string][]assembling{}
	for _, msg := range h.order {
		t, err := decodeTask[AssembleTask](msg.Data())
		if err != nil {
			w.settleUnit(h.ctx, msg, st, &fault.Fault{Class: fault.Permanent, Err: err})
			h.settled(msg)
			continue
		}
		owners[t.Owner] = append(owners[t.Owner], assembling{msg: msg, task: t})
	}
	var turns [][]assembling
	for _, list := range owners {
		turns = append(turns, list)
	}
	slices.SortFunc(turns, func(a, b []assembling) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a[0].task.Owner, b[0].task.Owner))
	})
	for len(turns) > 0 {
		list := turns[0]
		n := min(len(list), assembleOwner)
		w.turn(h, st, list[:n])
		if turns = turns[1:]; n < len(list) {
			turns = append(turns, list[n:])
		}
	}
}

// turn assembles imports of one owner together. When that fails because of one of them, each is tried alone, so that none
// fails for its neighbour.
func (w *Worker) turn(h *held, st stage, list []assembling) {
	owner := list[0].task.Owner
	var tasks []AssembleTask
	ctx := h.ctx
	for i := range list {
		tasks = append(tasks, list[i].task)
		traced, a := w.begin(h.ctx, st.name, list[i].msg)
		list[i].account = a
		if i == 0 {
			ctx = traced // the work of all hangs below the first
		}
	}
	mark, err := w.markTurn(ctx, st.name, list)
	defer mark.leave()
	alone := len(list) > 1 && mark.unheard()
	if err == nil && !alone {
		err = w.assembleAll(ctx, owner, tasks)
		alone = err != nil && len(list) > 1 && !fault.IsDrain(h.ctx, err) && !errors.As(err, new(*fault.Later)) && fault.Of(err) != fault.Outage
	}
	switch {
	case alone && err == nil:
		w.Log.Warn("an owner's imports were begun together and nobody was heard of again; trying them one by one",
			zap.String("owner", owner), zap.Int("imports", len(list)))
	case alone:
		w.Log.Warn("assembling an owner's imports together failed; trying them one by one",
			zap.String("owner", owner), zap.Int("imports", len(list)), zap.String("error", fault.Loggable(err)))
	case err != nil && len(list) == 1:
		mark.reported(h.ctx)
	}
	for i, one := range list {
		if alone {
			err = w.assembleOne(one, owner, tasks[i:i+1])
		}
		one.account.end(err)
		w.settleUnit(h.ctx, one.msg, st, err)
		h.settled(one.msg)
	}
	if len(list) > 1 {
		mark.Forget(h.ctx)
	}
}

func (w *Worker) assembleOne(one assembling, owner string, task []AssembleTask) error {
	mark, err := w.mark(one.account.ctx, telemetry.StageAssemble, one.msg)
	defer mark.leave()
	if err == nil {
		err = w.assembleAll(one.account.ctx, owner, task)
	}
	if err != nil {
		mark.reported(one.account.ctx)
	}
	return err
}
