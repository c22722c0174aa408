package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
)

// unit is what a message is about, in words that logs, metrics and traces may hold.
type unit struct {
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	Import string `json:"import"`
	Shard  string `json:"shard"`
	Lane   string `json:"lane"`
}

// unitOf reads what it can of a message, and leaves out what has not the form of an id: that would be somebody's text.
func unitOf(body []byte) unit {
	var u unit
	if json.Unmarshal(body, &u) != nil {
		return unit{}
	}
	if CheckOwner(u.Owner) != nil {
		u.Owner = ""
	}
	for _, id := range []*string{&u.Drop, &u.Import, &u.Shard} {
		if checkHex("id", *id) != nil {
			*id = ""
		}
	}
	if checkLane(u.Lane) != nil {
		u.Lane = ""
	}
	return u
}

func (u unit) fields() []zap.Field {
	var out []zap.Field
	for _, f := range []struct{ name, value string }{
		{"owner", u.Owner}, {"drop", u.Drop}, {"import", u.Import}, {"shard", u.Shard}, {"lane", u.Lane},
	} {
		if f.value != "" {
			out = append(out, zap.String(f.name, f.value))
		}
	}
	return out
}

// What may become of a delivery, beside the classes of faults.
const (
	outcomeOK      = "ok"
	outcomeLater   = "later"   // it cannot be worked on yet
	outcomeDrained = "drained" // given back because the process is stopping
)

func outcomeOf(ctx context.Context, err error) string {
	later := (*Later)(nil)
	switch {
	case err == nil:
		return outcomeOK
	case drained(ctx, err):
		return outcomeDrained
	case errors.As(err, &later):
		return outcomeLater
	}
	return string(ClassOf(err))
}

// account is that of one delivery: its span, its figures and its line in the log.
type account struct {
	w         *Worker
	ctx       context.Context
	stage     string
	unit      unit
	delivered uint64
	start     time.Time
	span      trace.Span
}

// begin opens the account of a delivery. The context given back carries its span.
func (w *Worker) begin(ctx context.Context, stage string, msg jetstream.Msg) (context.Context, *account) {
	return w.beginUnit(ctx, stage, msg, unitOf(msg.Data()))
}

func (w *Worker) beginUnit(ctx context.Context, stage string, msg jetstream.Msg, u unit) (context.Context, *account) {
	a := &account{w: w, stage: stage, unit: u, delivered: 1, start: w.Now()}
	if meta, err := msg.Metadata(); err == nil {
		a.delivered = meta.NumDelivered
	}
	w.Metrics.began(stage, a.delivered > 1)
	a.ctx, a.span = w.consumed(ctx, stage, msg.Headers(), a.unit, a.delivered)
	return a.ctx, a
}

// end closes it with what the work gave; ctx says whether the process was stopping.
func (a *account) end(err error) {
	outcome, took := outcomeOf(a.ctx, err), a.w.Now().Sub(a.start)
	a.w.Metrics.ended(a.stage, outcome, a.w.Now(), took)
	endSpan(a.span, outcome, err)
	if err != nil && outcome != outcomeLater && outcome != outcomeDrained {
		a.w.track.trouble(a.unit, a.stage, Class(outcome), a.delivered)
	}
	a.w.Log.Debug("unit ended", append(a.unit.fields(), zap.String("stage", a.stage), zap.String("outcome", outcome),
		zap.Uint64("delivery", a.delivered), zap.Duration("took", took))...)
}
