package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// A worker that is killed while it works on a unit cannot say that the unit has failed, and whoever gets the unit next may be
// killed by it, too. So a unit that comes again is marked in storage before the work, and when the worker says what became of
// it, whatever that is, the mark goes. A mark that is found is a delivery of which nobody has said anything. A first delivery
// is not marked: what never comes again costs nothing.
//
// Whatever is in hand when a worker is killed comes again, and most of it is not to blame. So a process works on one unit at a
// time of which nothing was heard before: the one that kills is not beside the others, and only it uses its deliveries up.

// silentFactor is how many times retry.attempts such deliveries a unit has before it is given up: more than a unit that fails
// has, for workers are killed for other reasons, too.
const silentFactor = 2

// silentPatience bounds how long taking a mark away may keep a worker that stops.
const silentPatience = 5 * time.Second

// mark says in storage that a unit is being worked on.
type mark struct {
	w      *Worker
	key    string
	before int // deliveries that nobody has said anything of
	alone  bool
}

// leave lets the next unit of which nothing was heard be worked on.
func (m *mark) leave() {
	if m != nil && m.alone {
		m.alone = false
		<-m.w.suspect
	}
}

// silentError is that of a unit whose workers were never heard of again.
type silentError struct{ times int }

func (e *silentError) Error() string {
	return fmt.Sprintf("it was begun %d times by workers that then ended without a word", e.times)
}

// mark marks a unit that comes again, or gives the error that it is given up with. It is nil for one that comes first.
func (w *Worker) mark(ctx context.Context, stage string, msg jetstream.Msg) (*mark, error) {
	if !w.comesAgain(msg) {
		return nil, nil //nolint:nilnil // nothing is marked
	}
	m, err := w.markAt(ctx, markedKey(attemptsKey(stage, msg)))
	if err != nil {
		return nil, err
	}
	if m.before >= silentFactor*w.Attempts {
		return nil, &fault.Fault{Class: fault.Unit, Err: &silentError{m.before}, Hint: "look for workers that were killed while they had it (memory?); " +
			"lower limits.max_conversation, give them more memory, or remove the archive, then `pamline dlq redrive`"}
	}
	if m.unheard() {
		select {
		case w.suspect <- struct{}{}:
			m.alone = true
		default:
			return nil, &fault.Later{After: w.ackWait, Why: "another unit whose workers were not heard of again is in hand"}
		}
	}
	if err := state.PutJSON(ctx, w.Store, m.key, m.before+1); err != nil {
		m.leave()
		return nil, err
	}
	return m, nil
}

// comesAgain tells whether a unit may have been in the hands of somebody who was killed.
func (w *Worker) comesAgain(msg jetstream.Msg) bool { return w.Wary || waited(msg) }

// markTurn marks imports of one owner that are assembled together, with one mark for all. When one is found they are taken
// one by one, each with a mark of its own, so that none is given up for its neighbour.
func (w *Worker) markTurn(ctx context.Context, stage string, list []assembling) (*mark, error) {
	if len(list) == 1 {
		return w.mark(ctx, stage, list[0].msg)
	}
	if !slices.ContainsFunc(list, func(a assembling) bool { return w.comesAgain(a.msg) }) {
		return nil, nil //nolint:nilnil // nothing is marked
	}
	m, err := w.markAt(ctx, markedKey("work/_attempts/"+stage+"/"+state.Digest(list[0].task.Owner)[:32]+".json"))
	if err == nil && m.before == 0 {
		err = state.PutJSON(ctx, w.Store, m.key, 1)
	}
	return m, err
}

// markAt reads a mark. One that cannot be understood is none.
func (w *Worker) markAt(ctx context.Context, key string) (*mark, error) {
	m := &mark{w: w, key: key}
	if _, err := state.ReadJSON(ctx, w.Store, key, &m.before); err != nil && !state.IsMissing(err) && fault.Of(err) != fault.Permanent {
		return nil, err
	}
	return m, nil
}

// unheard tells whether there are deliveries that nobody has said anything of.
func (m *mark) unheard() bool { return m != nil && m.before > 0 }

// reported takes the mark of this delivery away: something is known of it. Those before it still count.
func (m *mark) reported(ctx context.Context) {
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), silentPatience)
	defer cancel()
	var err error
	if m.before == 0 {
		err = m.w.Store.Delete(ctx, m.key)
	} else {
		err = state.PutJSON(ctx, m.w.Store, m.key, m.before)
	}
	if err != nil {
		m.w.Log.Warn("take away the mark of a unit failed; this delivery will count as one that nobody has said anything of", zap.Error(err))
	}
}

// forget takes the mark away with all that it counts.
func (m *mark) Forget(ctx context.Context) {
	if m != nil {
		m.before = 0
		m.reported(ctx)
	}
}

// markedKey is the key of the mark beside the attempts of a unit.
func markedKey(attempts string) string { return strings.TrimSuffix(attempts, ".json") + ".begun.json" }

// spent tells whether an error is one after which a unit is not tried again, however few attempts it has had.
func spent(err error) bool { return spentBreaker(err) || errors.As(err, new(*silentError)) }
