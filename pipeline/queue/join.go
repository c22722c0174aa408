package queue

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Join connects to a cluster, ensures the topology and returns the queue. With c.Wait it waits for
// a server, and for JetStream to have a leader. Errors that waiting does not help are returned at
// once: refused credentials, JetStream switched off, a forbidden request, streams that differ.
func Join(ctx context.Context, c ConnectOptions, t Topology, o Options) (*Queue, error) {
	nc, err := Connect(ctx, c)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	if err := awaitTopology(ctx, nc, js, c, t); err != nil {
		nc.Close()
		return nil, err
	}
	q := New(js, t, o)
	q.close = nc.Close
	return q, nil
}

func awaitTopology(ctx context.Context, nc *nats.Conn, js jetstream.JetStream, c ConnectOptions, t Topology) error {
	limited, stop := UntilDenied(ctx, nc)
	defer stop()
	if !c.Wait {
		return Explain(limited, Ensure(limited, js, t))
	}
	_, err := untilAnswered(limited, orNop(c.Log), connectBackoff, func() (any, error) { return nil, Ensure(limited, js, t) })
	return Explain(limited, err)
}
