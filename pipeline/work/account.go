package work

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// account is that of one delivery: its figures, its line in the log, and what its span says.
type account struct {
	u        *units
	task     job.Task
	delivery uint64
	start    time.Time
	span     trace.Span
}

func (u *units) open(d *queue.Delivery, t job.Task) account {
	u.Metrics.Began(string(t.Kind), d.NumDelivered > 1)
	span := trace.SpanFromContext(d.Context())
	span.SetAttributes(attribute.String("pam.drop", t.Drop), attribute.Int("pam.gen", t.Gen))
	if t.Kind == job.Extract {
		span.SetAttributes(attribute.String("pam.import", t.Import), attribute.String("pam.shard", t.Shard))
	}
	return account{u, t, d.NumDelivered, u.Now(), span}
}

// close tells how the work on the delivery ended; ctx tells whether the process is stopping.
func (a account) close(ctx context.Context, err error) {
	outcome, took := telemetry.OutcomeOf(ctx, err), a.u.Now().Sub(a.start)
	a.u.Metrics.Ended(string(a.task.Kind), outcome, a.u.Now(), took)
	switch outcome {
	case telemetry.OutcomeOK, telemetry.OutcomeLater, telemetry.OutcomeDrained:
	default: // by its class: the text of an error may name a person's files
		a.span.SetAttributes(attribute.String("error.type", outcome))
		a.span.SetStatus(codes.Error, outcome)
	}
	a.u.Log.Debug("unit ended", append(fieldsOf(a.task), zap.String("stage", string(a.task.Kind)), zap.String("outcome", outcome),
		zap.Uint64("delivery", a.delivery), zap.Duration("took", took))...)
}

// observe tells of progress of a generation.
func (u *units) observe(t job.Task, e telemetry.Event) {
	e.Owner, e.Drop, e.Gen = t.Owner, t.Drop, t.Gen
	u.Observe.Tell(e)
}

// observeFault tells that a unit failed; retry tells whether it is tried again.
func (u *units) observeFault(t job.Task, err error, retry bool) {
	u.observe(t, telemetry.Event{Stage: string(t.Kind), Import: t.Import, Fault: err.Error(), Retry: retry, Outage: fault.Of(err) == fault.Outage})
}

// observeRetry tells that a delivery failed whose task is tried again.
func (u *units) observeRetry(d *queue.Delivery, t job.Task, err error) {
	if u.Trouble != nil {
		u.Trouble(t, fault.Of(err), d.NumDelivered)
	}
	u.observeFault(t, err, true)
}

// ofGeneration names the generation in the events of a stage.
func (u *units) ofGeneration(t job.Task) telemetry.Observe {
	return func(e telemetry.Event) { u.observe(t, e) }
}
