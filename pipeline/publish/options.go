package publish

import (
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio/keys"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// Options is what the computation and publication of stores needs.
type Options struct {
	Store   blob.Store
	Log     *zap.Logger
	Now     func() time.Time
	NewID   func() string // UUID v4
	Scratch string
	// KeyOf gives the key that signs what is published for an owner, the zero key for none; nil:
	// nothing is signed.
	KeyOf func(owner string) (keys.Private, error)
	// IdentityOf gives what published stores say of their owner beside the id; nil: nothing.
	IdentityOf func(owner string) state.Identity
	// Formats are the formats, beside PAM, in which stores are published.
	Formats []Format
	// Workers is how many conversations are folded at a time.
	Workers int
	// SortBudget is the memory of one external sort.
	SortBudget int64
	Observe    telemetry.Observe
	Metrics    *telemetry.Metrics
	Tracer     trace.Tracer
}
