package work

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Options is what a worker needs beside a queue. Each stage has its own.
type Options struct {
	// Store is that of the stages and of the jobs; its outages are faults (objects.ClassedStore).
	Store      blob.Store
	Ingest     ingest.Options
	Extraction extraction.Options
	Publish    publish.Options

	Log     *zap.Logger
	Now     func() time.Time
	Observe telemetry.Observe
	Metrics *telemetry.Metrics
	// Trouble is told of a delivery that failed or met an outage, and whose task is tried again;
	// nil: nobody is.
	Trouble func(t job.Task, c fault.Class, delivery uint64)
	// Name tells this process from others for people who look at leases.
	Name string
	// Workers is how many units of a stage are in hand in this process; lanes of small tasks, which
	// mostly wait for storage, have more.
	Workers int
	// Early: ingest extracts documents while it has them in memory. It is for a process that works
	// on all stages, with a queue of its own.
	Early bool
	// Attempts is how often a unit is tried. 0 means 3.
	Attempts int
	// Backoff bounds the pauses between attempts.
	Backoff queue.Backoff
	// Breaker holds up the units of an owner after several in a row have failed.
	Breaker Breaker
	// Wary treats all deliveries as suspicious, for the process before this one was killed, and its
	// queue is gone.
	Wary bool
	// Scan is how often open generations without messages are looked for. 0 means one minute.
	Scan time.Duration
	// Maintain is called after each such look, under the same lease; nil: nothing more is to be
	// done.
	Maintain func(context.Context) error
}

const (
	defaultAttempts = 3
	defaultScan     = time.Minute
)

func (o Options) check() error {
	if o.Store == nil || o.Log == nil || o.Now == nil || o.Workers < 1 {
		return errors.New("create worker: store, log, clock and number of workers must be given")
	}
	return nil
}
