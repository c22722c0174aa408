package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestAFailedStepTellsItsClassAndNothingElse(t *testing.T) {
	recorded := tracetest.NewSpanRecorder()
	tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorded)).Tracer("test")
	err := telemetry.RunStep(t.Context(), tracer, "read", func(context.Context) error {
		return fault.Permanentf("", "open Taxes 2024.zip: it is no archive")
	})
	if fault.Of(err) != fault.Permanent {
		t.Fatal(err)
	}
	s := recorded.Ended()[0]
	if s.Name() != "read" || s.Status().Code != codes.Error || s.Status().Description != string(fault.Permanent) || len(s.Events()) != 0 {
		t.Errorf("%s %+v %v", s.Name(), s.Status(), s.Events())
	}
	for _, a := range s.Attributes() {
		if strings.Contains(a.Value.String(), "Taxes") {
			t.Errorf("%s=%s", a.Key, a.Value.String())
		}
	}
}

func TestAStepThatWaitsOrIsStoppedIsNoError(t *testing.T) {
	recorded := tracetest.NewSpanRecorder()
	tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorded)).Tracer("test")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want string
	}{
		{t.Context(), nil, telemetry.OutcomeOK},
		{t.Context(), &fault.Later{After: time.Second, Why: "busy"}, telemetry.OutcomeLater},
		{stopped, fmt.Errorf("read: %w", context.Canceled), telemetry.OutcomeDrained},
	} {
		_, end := telemetry.StartSpan(c.ctx, tracer, "step")
		end(c.err)
		s := recorded.Ended()[len(recorded.Ended())-1]
		if s.Status().Code == codes.Error || s.Attributes()[0].Value.AsString() != c.want {
			t.Errorf("%v: %+v %v", c.err, s.Status(), s.Attributes())
		}
	}
	for err, want := range map[error]string{errors.New("x"): "unit", fault.Permanentf("", "x"): "permanent", context.Canceled: "unit"} {
		if got := telemetry.OutcomeOf(t.Context(), err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

func TestWithoutATracerAStepRunsAllTheSame(t *testing.T) {
	ran := false
	if err := telemetry.RunStep(t.Context(), nil, "step", func(context.Context) error { ran = true; return nil }); err != nil || !ran {
		t.Errorf("%v, %v", ran, err)
	}
}

func TestMetricsCountDeliveries(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	m, err := telemetry.NewMetrics(r)
	if err != nil {
		t.Fatal(err)
	}
	m.Began("ingest", true)
	m.Began("ingest", false)
	m.Ended("ingest", telemetry.OutcomeOK, time.Unix(1700000000, 0), 30*time.Millisecond)
	m.Packed(state.Counts{Bytes: 100, Conversations: 3}, time.Unix(1700000007, 0))
	m.Packed(state.Counts{}, time.Time{}) // by a reader without a clock
	m.Found(4)
	m.Conflict()
	m.Exported()
	m.Imported(state.StateDone)
	m.DeadLetter("extract", fault.Permanent)
	m.BreakersOpen("ingest", 2)
	for name, want := range map[string]float64{
		"pam_inflight": 1, "pam_redeliveries_total": 1, "pam_units_total": 1, "pam_bytes_read_total": 100, "pam_conversations_total": 3, "pam_candidates_total": 4,
		"pam_cas_conflicts_total": 1, "pam_exports_total": 1, "pam_imports_total": 1, "pam_dlq_total": 1, "pam_breaker_open": 2, "pam_progress_timestamp_seconds": 1700000007,
	} {
		if got := valueOf(t, r, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if _, err := telemetry.NewMetrics(r); err == nil {
		t.Error("metrics are registered twice")
	}
}

// valueOf gives the value of a metric with one set of labels.
func valueOf(t *testing.T, r *prometheus.Registry, name string) float64 {
	t.Helper()
	all, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.GetName() == name && len(f.Metric) == 1 {
			m := f.Metric[0]
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return -1
}

func TestNoMetricsCountNothing(*testing.T) {
	var m *telemetry.Metrics
	m.Began("x", true)
	m.Ended("x", telemetry.OutcomeOK, time.Unix(0, 0), 0)
	m.Packed(state.Counts{}, time.Time{})
	m.Found(1)
	m.Conflict()
	m.Exported()
	m.Imported("x")
	m.DeadLetter("x", fault.Unit)
	m.OldestOpen(0)
	m.ForgetOldest()
	m.Queued("s", "c", 1)
	m.ForgetQueued()
	m.BreakersOpen("x", 1)
}

func TestEventsGoToWhoeverListens(t *testing.T) {
	var none telemetry.Observe
	none.Tell(telemetry.Event{})
	none.Fault("x", errors.New("x"), true)
	var got []telemetry.Event
	o := telemetry.Observe(func(e telemetry.Event) { got = append(got, e) })
	o.Fault("ingest", &fault.Fault{Class: fault.Outage, Err: errors.New("down")}, true)
	if len(got) != 1 || !got[0].Outage || !got[0].Retry || got[0].Fault != "down" || got[0].Stage != "ingest" {
		t.Errorf("%+v", got)
	}
}

func TestALogLineNamesWhatIsKnownOfATask(t *testing.T) {
	fields := telemetry.Unit{Owner: "ann", Shard: "s"}.Fields()
	if len(fields) != 2 || fields[0].Key != "owner" || fields[1].Key != "shard" {
		t.Errorf("%+v", fields)
	}
}
