package pipeline

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// account is that of one delivery: its span, its figures and its line in the log.
type account struct {
	w         *Worker
	ctx       context.Context
	stage     string
	unit      telemetry.Unit
	delivered uint64
	start     time.Time
	span      trace.Span
}

// begin opens the account of a delivery. The context given back carries its span.
func (w *Worker) begin(ctx context.Context, stage string, msg jetstream.Msg) (context.Context, *account) {
	return w.beginUnit(ctx, stage, msg, telemetry.UnitOf(msg.Data()))
}

func (w *Worker) beginUnit(ctx context.Context, stage string, msg jetstream.Msg, u telemetry.Unit) (context.Context, *account) {
	a := &account{w: w, stage: stage, unit: u, delivered: 1, start: w.Now()}
	if meta, err := msg.Metadata(); err == nil {
		a.delivered = meta.NumDelivered
	}
	w.Metrics.Began(stage, a.delivered > 1)
	a.ctx, a.span = telemetry.StartDelivery(ctx, w.Tracer, stage, msg.Headers(), a.unit, a.delivered)
	return a.ctx, a
}

// end closes it with what the work gave; ctx says whether the process was stopping.
func (a *account) end(err error) {
	outcome, took := telemetry.OutcomeOf(a.ctx, err), a.w.Now().Sub(a.start)
	a.w.Metrics.Ended(a.stage, outcome, a.w.Now(), took)
	telemetry.EndSpan(a.span, outcome, err)
	if err != nil && outcome != telemetry.OutcomeLater && outcome != telemetry.OutcomeDrained {
		a.w.track.trouble(a.unit, a.stage, fault.Class(outcome), a.delivered)
	}
	a.w.Log.Debug("unit ended", append(a.unit.Fields(), zap.String("stage", a.stage), zap.String("outcome", outcome),
		zap.Uint64("delivery", a.delivered), zap.Duration("took", took))...)
}
