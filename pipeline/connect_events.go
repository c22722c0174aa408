package pipeline

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
)

// repeatEach is how many refusals in a row make one line of the log: at one to two seconds each, about a minute.
const repeatEach = 40

// events logs what becomes of a connection. Addresses are those without user and password; subjects hold owners, digests
// and numbers only.
type events struct {
	log     *zap.Logger
	refused atomic.Int64 // in a row
}

func (o NATSOptions) listeners() []nats.Option {
	e := &events{log: o.log()}
	return []nats.Option{
		nats.DisconnectErrHandler(e.lost), nats.ReconnectHandler(e.back), nats.ReconnectErrHandler(e.retry),
		nats.LameDuckModeHandler(e.lameDuck), nats.ErrorHandler(e.report),
	}
}

func (e *events) lost(nc *nats.Conn, err error) {
	if nc.IsClosed() {
		return // we did it
	}
	e.log.Warn("NATS connection lost; reconnecting", zap.Error(quietly(err)))
}

func (e *events) back(nc *nats.Conn) {
	e.refused.Store(0)
	e.log.Info("NATS connection is back", zap.String("server", nc.ConnectedUrlRedacted()), zap.Uint64("reconnects", nc.Stats().Reconnects))
}

func (e *events) lameDuck(nc *nats.Conn) {
	e.log.Info("NATS server is about to stop; moving to another one", zap.String("server", nc.ConnectedUrlRedacted()))
}

// retry hears of an attempt that reached no server, or one that is not trusted.
func (e *events) retry(_ *nats.Conn, err error) {
	if natsHint(err) != "" {
		e.refuse(err)
		return
	}
	e.log.Debug("NATS reconnect failed; trying on", zap.Error(quietly(err)))
}

// refuse tells of something that stays until somebody changes it, without filling the log.
func (e *events) refuse(err error) {
	if e.refused.Add(1)%repeatEach == 1 {
		e.log.Error("NATS refuses the connection; trying on", zap.Error(quietly(err)), zap.String("hint", natsHint(err)))
	}
}

// report hears what the server says by itself, and of attempts that it refused.
func (e *events) report(_ *nats.Conn, sub *nats.Subscription, err error) {
	switch {
	case isAuth(err):
		e.refuse(err)
	case errors.Is(err, nats.ErrPermissionViolation):
		e.log.Error("NATS refused a request", zap.Error(quietly(err)), zap.String("hint", natsHint(err)))
	case sub != nil:
		e.log.Warn("NATS reported an error", zap.Error(quietly(err)), zap.String("subject", sub.Subject))
	default:
		e.log.Warn("NATS reported an error", zap.Error(quietly(err)))
	}
}

func isAuth(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrAccountAuthExpired)
}

// UntilDenied gives a context that ends when the server refuses a request of the connection for want of permission: such a
// request gets no answer, and would else be waited for. The cause of its end is the refusal. stop must be called.
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
