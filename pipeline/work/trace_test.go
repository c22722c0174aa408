package work

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
)

// traced gives a rig a recorder of spans.
func (r *rig) traced() *tracetest.SpanRecorder {
	recorded := tracetest.NewSpanRecorder()
	r.tracer = sdk.NewTracerProvider(sdk.WithSpanProcessor(recorded)).Tracer("test")
	return recorded
}

func TestAnImportIsOneConnectedTrace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.limits.ShardItems = 2
	recorded := r.traced()
	ref := r.drop("anna", talks("a", 7, likes))
	p := r.start()
	p.run()
	if rec := p.importDrop(ref); rec.Outcome != job.Done {
		t.Fatalf("record %+v", rec)
	}
	p.drained()
	p.stop()
	byID, names := map[trace.SpanID]sdk.ReadOnlySpan{}, map[string]int{}
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
			if text := a.Value.String(); strings.Contains(text, "anna") || strings.Contains(text, ".zip") || strings.Contains(text, ".json") {
				t.Errorf("%s names a person or a file: %s=%s", s.Name(), a.Key, text)
			}
		}
		if s.Status().Code == codes.Error {
			t.Errorf("%s failed: %s", s.Name(), s.Status().Description)
		}
	}
	if root == nil || root.Name() != "ingest" {
		t.Fatalf("no root, or the wrong one, among %v", names)
	}
	for _, s := range byID {
		for s.SpanContext().SpanID() != root.SpanContext().SpanID() {
			above, ok := byID[s.Parent().SpanID()]
			if !ok {
				t.Fatalf("%s has no parent", s.Name())
			}
			s = above
		}
	}
	for name, least := range map[string]int{"open archive": 1, "recognize": 1, "read": 1, "publish extract": 4, "extract": 4,
		"extract shard": 4, "publish assemble": 1, "assemble": 1, "assemble store": 1, "publish export": 1} {
		if names[name] < least {
			t.Errorf("%d spans %q, want %d: %v", names[name], name, least, names)
		}
	}
}

func TestTheSpanOfAFailureHasItsClassAndNotItsText(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	recorded := r.traced()
	r.wrap = failing(func(extraction.Task, int64) error { return fault.Permanentf("", "read taxes.txt: it is damaged") })
	ref := r.drop("ann", talks("a", 2, likes))
	p := r.start()
	p.run()
	p.importDrop(ref)
	p.drained()
	p.stop()
	found := false
	for _, s := range recorded.Ended() {
		if s.Name() == "extract" {
			found = s.Status().Code == codes.Error && s.Status().Description == string(fault.Permanent)
		}
		for _, a := range s.Attributes() {
			if strings.Contains(a.Value.String(), "taxes") {
				t.Errorf("%s has %s=%s", s.Name(), a.Key, a.Value.String())
			}
		}
	}
	if !found {
		t.Error("no span of the failure")
	}
}
