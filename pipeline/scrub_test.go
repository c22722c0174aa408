package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/stagetest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestAPassOverTheStoreCountsItsObjectsAndDamage(t *testing.T) {
	rig := stagetest.New(t)
	registry := prometheus.NewRegistry()
	metrics, err := telemetry.NewMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	o := optionsOf(t, rig)
	o.Reports.Metrics, o.Scrub.Rate = metrics, 1<<40
	p := local(t, o)
	work(t, p)
	ended(t, p, refOf(rig.PutDrop(t, stagetest.TalksZip(t, 3))), job.Want{})
	if err := p.ScrubOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, d := metricOf(t, registry, "pam_scrub_objects_total"), metricOf(t, registry, "pam_scrub_damage"); n < 10 || d != 0 {
		t.Errorf("%v objects, %v damaged", n, d)
	}
	if err := rig.Data.Delete(t.Context(), state.StoreKey(stagetest.Owner)); err != nil {
		t.Fatal(err)
	}
	if err := p.ScrubOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := metricOf(t, registry, "pam_scrub_damage"); d != 1 {
		t.Errorf("%v damaged", d)
	}
}

func TestAPassOverTheStoreStopsWithTheService(t *testing.T) {
	rig := stagetest.New(t)
	o := optionsOf(t, rig)
	o.Scrub.Rate = 1 // hours for the first object
	p := local(t, o)
	defer p.Close()
	if _, _, err := rig.Import(t.Context(), rig.PutDrop(t, stagetest.TalksZip(t, 1))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.ScrubOnce(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// metricOf gives the value of a metric without labels.
func metricOf(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			m := f.GetMetric()[0]
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}
