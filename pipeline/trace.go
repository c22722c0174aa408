package pipeline

import (
	"context"
	"strings"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// An import is one trace, however many processes work on it. The span of a delivery is the child of the span that
// published the message: a message asks for one unit, so there is one cause, and a person sees the whole of an import at
// one place. It has a link to that span, too, as the conventions for messaging have it, so that tools which follow links
// find the way. A redelivery is another child of the same span. Where nobody published within a trace (a request that the
// reconciler found), a delivery begins one.
//
// Spans hold ids, counts and classes: no owner, no names, no texts of errors.

// traceContext carries a trace in the headers of a message, by W3C's traceparent. A message is passed on within its trace
// also by a process that has no tracer.
var traceContext = propagation.TraceContext{}

// tracerName names who made the spans.
const tracerName = "github.com/pamline/pamline/pipeline"

// inject writes the trace of ctx into a message.
func inject(ctx context.Context, msg *nats.Msg) {
	traceContext.Inject(ctx, propagation.HeaderCarrier(msg.Header))
}

// consumed begins the span of a delivery.
func (d Deps) consumed(ctx context.Context, stage string, h nats.Header, u unit, delivered uint64) (context.Context, trace.Span) {
	ctx = traceContext.Extract(ctx, propagation.HeaderCarrier(h))
	if d.Tracer == nil {
		return ctx, trace.SpanFromContext(ctx)
	}
	o := []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(u.attributes()...),
		trace.WithAttributes(attribute.String("pam.stage", stage), attribute.Int64("pam.delivery", int64(min(delivered, 1<<32)))), //nolint:gosec // bounded
	}
	if from := trace.SpanContextFromContext(ctx); from.IsValid() {
		o = append(o, trace.WithLinks(trace.Link{SpanContext: from}))
	}
	return d.Tracer.Start(ctx, stage, o...)
}

func (u unit) attributes() []attribute.KeyValue {
	var out []attribute.KeyValue
	for _, f := range []struct{ key, value string }{
		{"pam.drop", u.Drop}, {"pam.import", u.Import}, {"pam.shard", u.Shard}, {"pam.lane", u.Lane},
	} {
		if f.value != "" {
			out = append(out, attribute.String(f.key, f.value))
		}
	}
	return out
}

// span begins a step of a unit. end is called with what came of it.
func (d Deps) span(ctx context.Context, name string, more ...attribute.KeyValue) (_ context.Context, end func(error)) {
	if d.Tracer == nil {
		return ctx, func(error) {}
	}
	ctx, s := d.Tracer.Start(ctx, name, trace.WithAttributes(more...))
	return ctx, func(err error) { endSpan(s, outcomeOf(ctx, err), err) }
}

// step runs one step of a unit within a span.
func (d Deps) step(ctx context.Context, name string, do func(context.Context) error) error {
	ctx, end := d.span(ctx, name)
	err := do(ctx)
	end(err)
	return err
}

// publishing begins the span that a message is published in, before the message is made, so that what comes of it hangs
// below. It has a span only within a trace.
func publishing(ctx context.Context, subject string) (context.Context, trace.Span) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, above
	}
	stage, _, _ := strings.Cut(strings.TrimPrefix(subject, "pam."), ".")
	return above.TracerProvider().Tracer(tracerName).Start(ctx, "publish "+stage, trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(attribute.String("pam.stage", stage)))
}

// endSpan says how a step ended: by its class, for the text of an error may name a person's files.
func endSpan(s trace.Span, outcome string, err error) {
	if !s.IsRecording() {
		return
	}
	s.SetAttributes(attribute.String("pam.outcome", outcome))
	switch outcome {
	case outcomeOK, outcomeLater, outcomeDrained:
	default:
		if err != nil {
			s.SetAttributes(attribute.String("error.type", outcome))
		}
		s.SetStatus(codes.Error, outcome)
	}
	s.End()
}
