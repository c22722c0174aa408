package telemetry

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

// Inject writes the trace of ctx into a message.
func Inject(ctx context.Context, msg *nats.Msg) {
	traceContext.Inject(ctx, propagation.HeaderCarrier(msg.Header))
}

// StartDelivery begins the span of a delivery.
func StartDelivery(ctx context.Context, tracer trace.Tracer, stage string, h nats.Header, u Unit, delivered uint64) (context.Context, trace.Span) {
	ctx = traceContext.Extract(ctx, propagation.HeaderCarrier(h))
	if tracer == nil {
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
	return tracer.Start(ctx, stage, o...)
}

// StartSpan begins a step of a unit. end is called with what came of it.
func StartSpan(ctx context.Context, tracer trace.Tracer, name string, more ...attribute.KeyValue) (_ context.Context, end func(error)) {
	if tracer == nil {
		return ctx, func(error) {}
	}
	ctx, s := tracer.Start(ctx, name, trace.WithAttributes(more...))
	return ctx, func(err error) { EndSpan(s, OutcomeOf(ctx, err), err) }
}

// RunStep runs one step of a unit within a span.
func RunStep(ctx context.Context, tracer trace.Tracer, name string, do func(context.Context) error) error {
	ctx, end := StartSpan(ctx, tracer, name)
	err := do(ctx)
	end(err)
	return err
}

// Publishing begins the span that a message is published in, before the message is made, so that what comes of it hangs
// below. It has a span only within a trace.
func Publishing(ctx context.Context, subject string) (context.Context, trace.Span) {
	above := trace.SpanFromContext(ctx)
	if !above.IsRecording() {
		return ctx, above
	}
	stage, _, _ := strings.Cut(strings.TrimPrefix(subject, "pam."), ".")
	return above.TracerProvider().Tracer(tracerName).Start(ctx, "publish "+stage, trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(attribute.String("pam.stage", stage)))
}

// EndSpan says how a step ended: by its class, for the text of an error may name a person's files.
func EndSpan(s trace.Span, outcome string, err error) {
	if !s.IsRecording() {
		return
	}
	s.SetAttributes(attribute.String("pam.outcome", outcome))
	switch outcome {
	case OutcomeOK, OutcomeLater, OutcomeDrained:
	default:
		if err != nil {
			s.SetAttributes(attribute.String("error.type", outcome))
		}
		s.SetStatus(codes.Error, outcome)
	}
	s.End()
}
