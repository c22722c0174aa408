package pipeline

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// notice is one notification in hand. It may tell of several owners' objects: it is acknowledged when all of its hints have been
// seen to, and given back when one of them could not be.
type notice struct {
	in      *intake
	msg     jetstream.Msg
	ctx     context.Context
	cancel  context.CancelCauseFunc
	account *account
	// weight is how many hints it counts as.
	weight int

	begun sync.Once
	mark  *mark
	bad   error // of beginning

	// The intake's lock guards these.
	open int   // what has not been seen to
	err  error // the first
}

// begin marks a notification that comes again before anything is asked for its sake ([Worker.mark]). It is done once. Reading is
// not marked: it takes as much as the message is long, and asks nobody.
func (n *notice) begin() error {
	n.begun.Do(func() { n.mark, n.bad = n.in.w.mark(n.account.ctx, telemetry.StageEvents, n.msg) })
	return n.bad
}

// release tells that one hint of it has been seen to, or why not.
func (n *notice) release(err error) {
	n.in.mu.Lock()
	n.open--
	if n.err == nil {
		n.err = err
	}
	last := n.open == 0
	n.in.mu.Unlock()
	if last {
		n.end()
	}
}

// giveBack has it delivered again, to whoever is there then.
func (n *notice) giveBack() {
	n.cancel(nil)
	n.release(context.Canceled)
}

// end answers NATS. What needs storage or an answer for that gets a turn; an acknowledgement that gets lost only makes the
// notification come again.
func (n *notice) end() {
	if n.err != nil || n.mark != nil {
		n.in.enlist(&n.in.turns, n.settle)
		return
	}
	n.account.end(nil)
	n.in.w.settle(n.msg.Ack(), telemetry.StageEvents)
	n.in.leave(n)
}

func (n *notice) settle() {
	n.account.end(n.err)
	if n.err != nil {
		n.mark.reported(n.ctx)
	}
	n.mark.leave()
	// Of what others have now the intake says so, once for all; n.ctx may have been told to end before it was told why.
	if !errors.Is(context.Cause(n.in.held.ctx), errTaken) {
		n.in.w.settleUnit(n.ctx, n.msg, n.in.st, n.err)
	}
	n.in.leave(n)
}

// maxUnread is the largest notification that a dead letter has room for: what is no JSON takes twice as much there, and a
// message may have a megabyte.
const maxUnread = 400 << 10

// unreadMost is how many notifications that cannot be read wait for their dead letters.
const unreadMost = 32

// unreadable has a dead letter written. Of a flood, as when whoever publishes has a form that is not known, most get none: each
// would say the same, and the drops are found by the listing.
func (in *intake) unreadable(n *notice, err error) {
	if len(n.msg.Data()) > maxUnread {
		in.w.Log.Error("a notification that cannot be read is too large for a dead letter and was removed; the next listing finds its drop",
			zap.Int("bytes", len(n.msg.Data())), zap.String("error", fault.Loggable(err)))
		in.remove(n, err)
		return
	}
	in.mu.Lock()
	room := in.unread < unreadMost
	if room {
		in.unread++
	} else {
		in.unlettered++
	}
	in.mu.Unlock()
	if !room {
		in.remove(n, err)
		return
	}
	in.enlist(&in.turns, func() {
		n.err = err
		n.settle()
		in.mu.Lock()
		in.unread--
		lost := 0
		if in.unread == 0 {
			lost, in.unlettered = in.unlettered, 0
		}
		in.mu.Unlock()
		if lost > 0 {
			in.w.Log.Error("more notifications that cannot be read came than dead letters were written of, and were removed; see what the letters of the stage events say: "+
				"who publishes to drop.events sends a form that is not known. The next listing finds their drops", zap.Int("removed", lost))
		}
	})
}

// remove ends a notification that leaves nothing.
func (in *intake) remove(n *notice, err error) {
	n.account.end(err)
	in.w.settle(n.msg.Ack(), telemetry.StageEvents)
	in.leave(n)
}
