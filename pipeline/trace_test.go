package pipeline

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// remoteRun imports a drop by three workers, each with a connection and, when tracer gives one, a tracer of its own.
func remoteRun(t *testing.T, file string, tracer func(stage string) trace.Tracer) (state.Receipt, Deps) {
	t.Helper()
	url := natsServer(t)
	d := testDeps(t)
	d.Limits.ShardItems = 5
	ended := make(chan telemetry.Event, 8)
	d.Observe = func(e telemetry.Event) {
		if e.Stage == telemetry.StageDone {
			ended <- e
		}
	}
	remote, err := OpenRemote(t.Context(), d.Store, NATSOptions{URL: url, Name: "test"}, Topology{})
	if err != nil {
		t.Fatal(err)
	}
	defer remote.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var workers sync.WaitGroup
	for _, stage := range []string{telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble} {
		nc, err := ConnectNATS(NATSOptions{URL: url, Name: "test-" + stage})
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		own := d
		own.Tracer = tracer(stage)
		if own.Metrics, err = telemetry.NewMetrics(prometheus.NewRegistry()); err != nil {
			t.Fatal(err)
		}
		w, err := newImpatient(own, natstest.JetStream(t, nc))
		if err != nil {
			t.Fatal(err)
		}
		workers.Go(func() {
			if err := w.Run(ctx, stage); err != nil {
				t.Error(err)
			}
		})
	}
	defer workers.Wait()
	defer cancel()
	rec, err := TakeIn(ctx, d.Store, "anna", []string{file}, d.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Submit(ctx, state.Request{V: state.MessageVersion, Owner: "anna", Drop: rec.Drop, Lane: state.LaneSmall}); err != nil {
		t.Fatal(err)
	}
	e := <-ended
	r, _, err := state.ReadReceipt(ctx, d.Store, "anna", e.Import)
	if err != nil {
		t.Fatal(err)
	}
	return r, d
}

func TestAnImportIsOneConnectedTraceOverThreeWorkers(t *testing.T) {
	t.Parallel()
	recorded := tracetest.NewSpanRecorder()
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(20)})
	r, _ := remoteRun(t, file, func(stage string) trace.Tracer {
		return sdk.NewTracerProvider(sdk.WithSpanProcessor(recorded)).Tracer(stage)
	})
	if r.State != state.StateDone {
		t.Fatalf("%+v", r)
	}
	byID := map[trace.SpanID]sdk.ReadOnlySpan{}
	names := map[string]int{}
	var root sdk.ReadOnlySpan
	for _, s := range recorded.Ended() {
		byID[s.SpanContext().SpanID()] = s
		names[s.Name()]++
		if !s.Parent().IsValid() {
			if root != nil {
				t.Errorf("two roots: %s and %s", root.Name(), s.Name())
			}
			root = s
		}
		for _, a := range s.Attributes() {
			if strings.Contains(a.Value.String(), "anna") || strings.Contains(a.Value.String(), ".zip") || strings.Contains(a.Value.String(), ".json") {
				t.Errorf("%s names a person or a file: %s=%s", s.Name(), a.Key, a.Value.String())
			}
		}
		if s.Status().Code == codes.Error {
			t.Errorf("%s failed: %s", s.Name(), s.Status().Description)
		}
		if s.SpanKind() == trace.SpanKindConsumer && s.Parent().IsValid() && (len(s.Links()) != 1 || s.Links()[0].SpanContext.SpanID() != s.Parent().SpanID()) {
			t.Errorf("%s has no link to what published it", s.Name())
		}
	}
	if root == nil || root.Name() != telemetry.StageIngest {
		t.Fatalf("no root, or the wrong one, among %v", names)
	}
	for id, s := range byID {
		if s.SpanContext().TraceID() != root.SpanContext().TraceID() {
			t.Errorf("%s is in another trace", s.Name())
		}
		for s.SpanContext().SpanID() != root.SpanContext().SpanID() {
			above, ok := byID[s.Parent().SpanID()]
			if !ok {
				t.Fatalf("%s (%s) hangs below nothing", s.Name(), id)
			}
			s = above
		}
	}
	for name, least := range map[string]int{"open archive": 1, "recognise": 1, "read": 1, "pack": 4, "publish extract": 4, telemetry.StageExtract: 4,
		"extract shard": 4, "publish assemble": 1, telemetry.StageAssemble: 1, "assemble store": 1, "publish export": 1, "swap head": 1} {
		if names[name] < least {
			t.Errorf("%d spans %q, want %d: %v", names[name], name, least, names)
		}
	}
}

func TestATraceIsPassedOnByWorkersWithoutATracer(t *testing.T) {
	t.Parallel()
	recorded := tracetest.NewSpanRecorder()
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(4)})
	remoteRun(t, file, func(stage string) trace.Tracer {
		if stage == telemetry.StageExtract {
			return nil
		}
		return sdk.NewTracerProvider(sdk.WithSpanProcessor(recorded)).Tracer(stage)
	})
	traces := map[trace.TraceID][]string{}
	for _, s := range recorded.Ended() {
		traces[s.SpanContext().TraceID()] = append(traces[s.SpanContext().TraceID()], s.Name())
	}
	if len(traces) != 1 {
		t.Errorf("%d traces: %v", len(traces), traces)
	}
}

func TestAFailedUnitSaysItsClassAndNothingElse(t *testing.T) {
	recorded := tracetest.NewSpanRecorder()
	d := Deps{Tracer: sdk.NewTracerProvider(sdk.WithSpanProcessor(recorded)).Tracer("test")}
	_, end := telemetry.StartSpan(t.Context(), d.Tracer, "read")
	end(fault.Permanentf("", "open Taxes 2024.zip: it is no archive"))
	s := recorded.Ended()[0]
	if s.Status().Code != codes.Error || s.Status().Description != string(fault.Permanent) || len(s.Events()) != 0 {
		t.Errorf("%+v %v", s.Status(), s.Events())
	}
	for _, a := range s.Attributes() {
		if strings.Contains(a.Value.String(), "Taxes") {
			t.Errorf("%s=%s", a.Key, a.Value.String())
		}
	}
}

func TestHostileTraceHeadersAreNoTrace(t *testing.T) {
	recorded := tracetest.NewSpanRecorder()
	d := Deps{Tracer: sdk.NewTracerProvider(sdk.WithSpanProcessor(recorded)).Tracer("test")}
	for _, text := range []string{"", "00", "00-" + strings.Repeat("0", 32) + "-" + strings.Repeat("0", 16) + "-01", "ff-" + strings.Repeat("a", 32) + "-" + strings.Repeat("b", 16) + "-01", strings.Repeat("x", 10000)} {
		_, s := telemetry.StartDelivery(t.Context(), d.Tracer, telemetry.StageExtract, nats.Header{"traceparent": {text}}, telemetry.Unit{}, 1)
		s.End()
	}
	for _, s := range recorded.Ended() {
		if s.Parent().IsValid() || len(s.Links()) > 0 {
			t.Errorf("took it for a trace: %+v", s.Parent())
		}
	}
	if n := len(recorded.Ended()); n != 5 {
		t.Errorf("%d spans", n)
	}
}
