package pipeline

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// Remote hands work to the workers of an external NATS cluster and does none itself.
type Remote struct {
	store blob.Store
	nc    *nats.Conn
	js    jetstream.JetStream
	small int // Topology.OwnerSmall
}

// OpenRemote connects and makes sure of the streams (JoinNATS).
func OpenRemote(ctx context.Context, s blob.Store, o NATSOptions, t Topology) (*Remote, error) {
	nc, js, err := JoinNATS(ctx, o, t)
	if err != nil {
		return nil, err
	}
	return &Remote{store: s, nc: nc, js: js, small: t.OwnerSmall}, nil
}

// Submit records a request and queues it.
func (r *Remote) Submit(ctx context.Context, req state.Request) error {
	return submit(ctx, r.store, r.js, req, r.small)
}

// Reconcile queues every request that storage has no end for.
func (r *Remote) Reconcile(ctx context.Context) (int, error) {
	return Reconcile(ctx, Deps{Store: r.store, Limits: state.Limits{OwnerSmall: r.small}}, r.js)
}

// Ready tells why work cannot be handed over now.
func (r *Remote) Ready(ctx context.Context) error {
	if _, err := r.js.Stream(ctx, StreamIngest); err != nil {
		return fmt.Errorf("check NATS: %w", err)
	}
	return storeAnswers(ctx, r.store)
}

// Close ends the connection.
func (r *Remote) Close() { r.nc.Close() }
