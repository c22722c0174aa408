package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// JoinNATS is the way into a cluster: a connection, JetStream, and the streams seen to. With o.Wait it waits for a server and
// for JetStream to have a leader. What waiting does not mend is an error either way: refused credentials, JetStream switched
// off, a request that the user may not make, streams that differ.
func JoinNATS(ctx context.Context, o NATSOptions, t Topology) (*nats.Conn, jetstream.JetStream, error) {
	connect := func() (*nats.Conn, error) { return ConnectNATS(o) }
	if o.Wait {
		connect = func() (*nats.Conn, error) { return AwaitNATS(ctx, o) }
	}
	nc, err := connect()
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, nil, fmt.Errorf("open JetStream: %w", err)
	}
	if err := awaitTopology(ctx, nc, js, o, t); err != nil {
		nc.Close()
		return nil, nil, err
	}
	return nc, js, nil
}

func awaitTopology(ctx context.Context, nc *nats.Conn, js jetstream.JetStream, o NATSOptions, t Topology) error {
	asking, stop := UntilDenied(ctx, nc)
	defer stop()
	for try := uint64(1); ; try++ {
		err := EnsureTopology(asking, js, t)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("wait for JetStream: %w", errors.Join(ctx.Err(), err))
		case asking.Err() != nil, !leaderless(err), !o.Wait:
			return ExplainNATS(asking, err)
		}
		o.log().Warn("JetStream does not answer; waiting for it", zap.Error(quietly(err)))
		if err := wait(asking, backoff(try, Backoff{First: time.Second, Max: 30 * time.Second})); err != nil {
			return fmt.Errorf("wait for JetStream: %w", err)
		}
	}
}

// wait ends early with the error of ctx.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// leaderless: JetStream is there and cannot answer now, as while a cluster elects a leader.
func leaderless(err error) bool {
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return false
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code == 503 ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrReconnectBufExceeded)
}
