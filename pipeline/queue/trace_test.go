package queue

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/pamline/pamline/pipeline/natstest"
)

// recorder is a tracer whose spans the test reads.
func recorder() (trace.Tracer, *tracetest.SpanRecorder) {
	spans := tracetest.NewSpanRecorder()
	return sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)).Tracer("test"), spans
}

func TestTaskAndItsRetriesAreOneTrace(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	tracer, spans := recorder()
	q.o.Tracer = tracer
	stop := consuming(t, q, func(ctx context.Context, d *Delivery) Result {
		switch {
		case d.Lane() == "bulk":
			return Done()
		case d.Attempt == 1:
			return RetryAfter(time.Millisecond)
		}
		if err := q.Send(ctx, Task{Subject: "pam.jobs.bulk.ann.2"}); err != nil {
			t.Error(err)
		}
		return Done()
	}, smallLane, Pull{Consumer: "jobs-bulk"})
	ctx, root := tracer.Start(t.Context(), "ask")
	if err := q.Send(ctx, taskOf("ann", "1")); err != nil {
		t.Fatal(err)
	}
	root.End()
	natstest.Eventually(t, "all is done", func() bool { return isEmpty(t, q, streamJobs)() && len(spans.Ended()) >= 6 })
	stop()
	count := map[string]int{}
	byID := map[trace.SpanID]sdk.ReadOnlySpan{}
	for _, s := range spans.Ended() {
		byID[s.SpanContext().SpanID()] = s
	}
	for _, s := range spans.Ended() {
		count[s.Name()+" "+s.Status().Description]++
		if s.SpanContext().TraceID() != root.SpanContext().TraceID() {
			t.Errorf("%s is in another trace", s.Name())
		}
		if s.SpanKind() == trace.SpanKindConsumer && (byID[s.Parent().SpanID()].Name() != "publish jobs" || len(s.Links()) != 1 || s.Links()[0].SpanContext.SpanID() != s.Parent().SpanID()) {
			t.Errorf("%s does not hang below what sent it", s.Name())
		}
		for _, a := range s.Attributes() {
			if strings.Contains(a.Value.String(), "ann") {
				t.Errorf("%s names an owner: %s", s.Name(), a.Value.String())
			}
		}
	}
	if len(count) != 4 || count["ask "] != 1 || count["publish jobs "] != 2 || count["jobs retry"] != 1 || count["jobs "] != 2 {
		t.Errorf("spans %v", count)
	}
}

func TestTraceIsPassedOnWithoutATracer(t *testing.T) {
	t.Parallel()
	q := embeddedQueue(t, testTopology())
	tracer, _ := recorder()
	ctx, root := tracer.Start(t.Context(), "ask")
	defer root.End()
	got := make(chan trace.TraceID, 2)
	consuming(t, q, func(ctx context.Context, d *Delivery) Result {
		got <- trace.SpanContextFromContext(ctx).TraceID()
		if d.Lane() == "small" {
			if err := q.Send(ctx, Task{Subject: "pam.jobs.bulk.ann.2"}); err != nil {
				t.Error(err)
			}
		}
		return Done()
	}, smallLane, Pull{Consumer: "jobs-bulk"})
	if err := q.Send(ctx, taskOf("ann", "1")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if id := <-got; id != root.SpanContext().TraceID() {
			t.Errorf("trace %s", id)
		}
	}
	natstest.Eventually(t, "all is done", isEmpty(t, q, streamJobs))
}

func TestHostileTraceHeadersBeginATraceOfTheirOwn(t *testing.T) {
	tracer, spans := recorder()
	for _, text := range []string{"", "00", "00-" + strings.Repeat("0", 32) + "-" + strings.Repeat("0", 16) + "-01",
		"ff-" + strings.Repeat("a", 32) + "-" + strings.Repeat("b", 16) + "-01", strings.Repeat("x", 10000)} {
		_, s := startDelivery(t.Context(), tracer, &Delivery{}, map[string][]string{"traceparent": {text}})
		endDelivery(s, Done())
	}
	for _, s := range spans.Ended() {
		if s.Parent().IsValid() || len(s.Links()) > 0 {
			t.Errorf("it hangs below %+v", s.Parent())
		}
	}
	if n := len(spans.Ended()); n != 5 {
		t.Errorf("%d spans", n)
	}
}

func TestOutcomesOfSpans(t *testing.T) {
	tracer, spans := recorder()
	for _, r := range []Result{Done(), RetryAfter(1), Later(1), Outage(), Drop("x"), Release()} {
		_, s := tracer.Start(t.Context(), r.String())
		endDelivery(s, r)
	}
	failed := ""
	for _, s := range spans.Ended() {
		if s.Status().Code == codes.Error {
			failed += s.Name() + " "
		}
	}
	if failed != "retry outage dropped " {
		t.Errorf("failed: %s", failed)
	}
}
