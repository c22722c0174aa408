package pipeline

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
)

// Remote hands work to the workers of an external NATS cluster and does none itself.
type Remote struct {
	store blob.Store
	nc    *nats.Conn
	js    jetstream.JetStream
}

// OpenRemote connects and makes sure of the streams.
func OpenRemote(ctx context.Context, s blob.Store, o NATSOptions, t Topology) (*Remote, error) {
	nc, err := ConnectNATS(o)
	if err != nil {
		return nil, err
	}
	r := &Remote{store: s, nc: nc}
	if r.js, err = jetstream.New(nc); err == nil {
		err = EnsureTopology(ctx, r.js, t)
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	return r, nil
}

// Submit records a request and queues it.
func (r *Remote) Submit(ctx context.Context, req Request) error {
	return Submit(ctx, r.store, r.js, req)
}

// Reconcile queues every request that storage has no end for.
func (r *Remote) Reconcile(ctx context.Context) (int, error) { return Reconcile(ctx, r.store, r.js) }

// Ready tells why work cannot be handed over now.
func (r *Remote) Ready(ctx context.Context) error {
	if _, err := r.js.Stream(ctx, StreamIngest); err != nil {
		return fmt.Errorf("check NATS: %w", err)
	}
	return nil
}

// Close ends the connection.
func (r *Remote) Close() { r.nc.Close() }
