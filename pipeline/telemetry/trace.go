package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Spans hold ids, counts and classes: no owner, no names, no texts of errors.

// StartSpan begins a step of a unit of work. end is called with the step's error.
func StartSpan(ctx context.Context, tracer trace.Tracer, name string, more ...attribute.KeyValue) (_ context.Context, end func(error)) {
	if tracer == nil {
		return ctx, func(error) {}
	}
	ctx, s := tracer.Start(ctx, name, trace.WithAttributes(more...))
	return ctx, func(err error) { endSpan(s, OutcomeOf(ctx, err), err) }
}

// RunStep runs one step of a unit of work within a span.
func RunStep(ctx context.Context, tracer trace.Tracer, name string, do func(context.Context) error) error {
	ctx, end := StartSpan(ctx, tracer, name)
	err := do(ctx)
	end(err)
	return err
}

// endSpan records the outcome of a step. An error is named by its class: its text may name a
// person's files.
func endSpan(s trace.Span, outcome string, err error) {
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
