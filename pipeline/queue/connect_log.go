package queue

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/queue/hints"
)

// refusedEvery: of the refusals in a row, one in so many is logged. At one to two seconds each,
// that is about one line a minute.
const refusedEvery = 40

// connectionEvents logs what becomes of a connection. Addresses are logged without user and
// password; subjects hold owners, digests and numbers only.
type connectionEvents struct {
	log     *zap.Logger
	refused atomic.Int64 // in a row
}

func orNop(log *zap.Logger) *zap.Logger { return cmp.Or(log, zap.NewNop()) }

func connectionLog(log *zap.Logger) []nats.Option {
	e := &connectionEvents{log: log}
	return []nats.Option{
		nats.DisconnectErrHandler(e.onLost), nats.ReconnectHandler(e.onBack), nats.ReconnectErrHandler(e.onRetry),
		nats.LameDuckModeHandler(e.onLameDuck), nats.ErrorHandler(e.onError),
	}
}

func (e *connectionEvents) onLost(nc *nats.Conn, err error) {
	if nc.IsClosed() {
		return // closed by this process
	}
	e.log.Warn("NATS connection lost; reconnecting", zap.Error(hints.RedactError(err)))
}

func (e *connectionEvents) onBack(nc *nats.Conn) {
	e.refused.Store(0)
	e.log.Info("NATS connection is back",
		zap.String("server", nc.ConnectedUrlRedacted()), zap.Uint64("reconnects", nc.Stats().Reconnects))
}

func (e *connectionEvents) onLameDuck(nc *nats.Conn) {
	e.log.Info("NATS server is about to stop; moving to another one", zap.String("server", nc.ConnectedUrlRedacted()))
}

// onRetry is called for an attempt that reached no server, or a server that is not trusted.
func (e *connectionEvents) onRetry(_ *nats.Conn, err error) {
	if hints.Find(err) != "" {
		e.logRefusal(err)
		return
	}
	e.log.Debug("NATS reconnect failed; trying again", zap.Error(hints.RedactError(err)))
}

// logRefusal logs a condition that lasts until a person changes it, without filling the log.
func (e *connectionEvents) logRefusal(err error) {
	if e.refused.Add(1)%refusedEvery == 1 {
		e.log.Error("NATS refuses the connection; trying again", zap.Error(hints.RedactError(err)), zap.String("hint", hints.Find(err)))
	}
}

// onError is called for errors that the server reports on its own, and for attempts that it
// refused.
func (e *connectionEvents) onError(_ *nats.Conn, sub *nats.Subscription, err error) {
	switch {
	case hints.MatchesAny(nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired)(err):
		e.logRefusal(err)
	case errors.Is(err, nats.ErrPermissionViolation):
		e.log.Error("NATS refused a request", zap.Error(hints.RedactError(err)), zap.String("hint", hints.Find(err)))
	default:
		subject := ""
		if sub != nil {
			subject = sub.Subject
		}
		e.log.Warn("NATS reported an error", zap.Error(hints.RedactError(err)), zap.String("subject", subject))
	}
}

// UntilDenied returns a context that ends when the server refuses a request of the connection for
// lack of permission: such a request gets no answer. The refusal is the cause of the context's end.
// The caller must call stop.
func UntilDenied(ctx context.Context, nc *nats.Conn) (limited context.Context, stop func()) {
	limited, cancel := context.WithCancelCause(ctx)
	before := nc.ErrorHandler()
	nc.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			cancel(err)
		}
		if before != nil {
			before(nc, sub, err)
		}
	})
	return limited, func() { nc.SetErrorHandler(before); cancel(nil) }
}
