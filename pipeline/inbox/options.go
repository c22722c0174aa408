package inbox

import (
	"cmp"
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// Asker asks for the import of a drop whose record is written. It may be asked for the same import
// several times, and by several processes at once. After Ask has returned without an error, the
// import happens whatever crashes; a zero answer means that there is nothing to do. Ask must be
// safe for concurrent use. The dispatcher of the pipeline is one.
type Asker interface {
	Ask(context.Context, job.Ref, job.Want) (job.Asked, error)
}

// Rules say how drops lie in an inbox.
type Rules struct {
	// Owner is the owner of what lies in the inbox itself; "": such drops are refused.
	Owner string
	// Quiet is how long a folder without a marker must be unchanged before it counts as complete.
	Quiet time.Duration
	// Parts is how many files a folder of the inbox may have; 0 means state.DefaultParts.
	Parts int
	// Bucket is the name of the store in notifications, and Prefix what its keys begin with there;
	// Bucket is "" for a store that is a folder.
	Bucket, Prefix string
}

// Options of an inbox. Store, Registry, Extractors and Now are required.
type Options struct {
	Rules
	Store blob.Store
	// Registry and Extractors know the names that the settings of a drop may have.
	Registry   *providers.Registry
	Extractors *extract.Registry
	// Parallel is how many entries of the small lane are taken at a time; 0 means 4. One entry of
	// the large lane is taken beside them.
	Parallel int
	// Attempts is how often an entry is tried before it is refused; 0 means 5. Outages do not
	// count.
	Attempts int
	// Backoff is the pause between attempts.
	Backoff queue.Backoff

	Log     *zap.Logger
	Tracer  trace.Tracer
	Metrics *telemetry.Metrics
	// Now dates small records.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.Store = objects.ClassedStore{Store: o.Store}
	o.Parts = cmp.Or(max(o.Parts, 0), state.DefaultParts)
	o.Parallel = cmp.Or(max(o.Parallel, 0), 4)
	o.Attempts = cmp.Or(max(o.Attempts, 0), 5)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

// Inbox takes what lies in the inbox of a store. It is safe for concurrent use, by any number of
// processes.
type Inbox struct {
	Options
	queue *queue.Queue
	asker Asker
}

// New returns the inbox of a store. The queue has the streams of dispatch.Topology; it may be nil
// if only Take is called.
func New(o Options, q *queue.Queue, a Asker) *Inbox {
	return &Inbox{Options: o.withDefaults(), queue: q, asker: a}
}
