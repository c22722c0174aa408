package worker

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/pamline/pamline/pipeline"
)

// joining is a worker that may not have reached its cluster yet: it is alive, and not ready.
type joining struct {
	p    atomic.Pointer[pipeline.Pipeline]
	view *pipeline.View
}

var errJoining = errors.New("check NATS: still waiting for a server and its JetStream (the log says what is missing)")

func (j *joining) set(p *pipeline.Pipeline) { j.p.Store(p) }

// Viewer lists imports: until the cluster is reached, as far as the store knows them.
func (j *joining) Viewer() pipeline.Viewer {
	if p := j.p.Load(); p != nil {
		return p
	}
	return j.view
}

// Ready tells why no work can be done now.
func (j *joining) Ready(ctx context.Context) error {
	if p := j.p.Load(); p != nil {
		return p.Ready(ctx)
	}
	return errJoining
}
