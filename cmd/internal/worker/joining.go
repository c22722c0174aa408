package worker

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline"
)

// joining is a worker that may not have reached its cluster yet: it is alive, and not ready.
type joining struct {
	w     atomic.Pointer[pipeline.Worker]
	store blob.Store
}

var errJoining = errors.New("check NATS: still waiting for a server and its JetStream (the log says what is missing)")

func (j *joining) set(w *pipeline.Worker) { j.w.Store(w) }

// Catalog lists imports: before the cluster is reached, what the store says.
func (j *joining) Catalog() *pipeline.Catalog {
	if w := j.w.Load(); w != nil {
		return w.Catalog()
	}
	return pipeline.StorageCatalog(j.store)
}

// Ready tells why no work can be done now.
func (j *joining) Ready(ctx context.Context) error {
	if w := j.w.Load(); w != nil {
		return w.Ready(ctx)
	}
	return errJoining
}
