package queue

import (
	"context"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// The span of a delivery is the child of the span that sent the task, and links to it as the
// conventions for messaging ask: one task has one cause, and a person sees all that follows from a
// request in one trace. A redelivery is another child of the same span. Spans hold kinds, counts
// and outcomes: no owner, no names, no text of errors.

// traceContext carries a trace in the headers of a message (W3C traceparent). A process without a
// tracer passes it on.
var traceContext = propagation.TraceContext{}

const tracerName = "github.com/pamline/pamline/pipeline/queue"

// startPublish begins the span in which a task is sent, if ctx is within a trace, and writes the
// trace into the message.
func startPublish(ctx context.Context, msg *nats.Msg) (_ context.Context, end func(error)) {
	end = func(error) {}
	if above := trace.SpanFromContext(ctx); above.IsRecording() {
		kind := tokenAt(msg.Subject, tokenKind)
		var span trace.Span
		ctx, span = above.TracerProvider().Tracer(tracerName).Start(ctx, "publish "+kind,
			trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(attribute.String("pam.stage", kind)))
		end = func(err error) {
			if err != nil {
				span.SetStatus(codes.Error, "outage")
			}
			span.End()
		}
	}
	traceContext.Inject(ctx, propagation.HeaderCarrier(msg.Header))
	return ctx, end
}

// startDelivery begins the span of a delivery. Handlers may add attributes to it.
func startDelivery(ctx context.Context, tracer trace.Tracer, d *Delivery, h nats.Header) (context.Context, trace.Span) {
	ctx = traceContext.Extract(ctx, propagation.HeaderCarrier(h))
	if tracer == nil {
		return ctx, trace.SpanFromContext(ctx)
	}
	o := []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.String("pam.stage", d.Kind()), attribute.String("pam.lane", d.Lane()),
			attribute.Int64("pam.delivery", int64(min(d.NumDelivered, 1<<32)))), //nolint:gosec // bounded
	}
	if from := trace.SpanContextFromContext(ctx); from.IsValid() {
		o = append(o, trace.WithLinks(trace.Link{SpanContext: from}))
	}
	return tracer.Start(ctx, d.Kind(), o...)
}

// endDelivery ends the span with what becomes of the task.
func endDelivery(s trace.Span, r Result) {
	if !s.IsRecording() {
		return
	}
	s.SetAttributes(attribute.String("pam.outcome", r.String()))
	if r.action == actRetry || r.action == actOutage || r.action == actDrop {
		s.SetStatus(codes.Error, r.String())
	}
	s.End()
}
