package pipeline

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/telemetry"
)

// A worker that finds one of its consumers missing says so and ends; it does not go on with the others.
func TestWorkerEndsWhenAConsumerIsMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ stream, stage, missing string }{
		{StreamExtract, telemetry.StageExtract, "extract-bulk"},
		{StreamIngest, telemetry.StageIngest, "ingest-wait"},
		{StreamAssemble, telemetry.StageAssemble, "assemble-07"},
		{StreamAssemble, telemetry.StageAssemble, "assemble-wait"},
	} {
		t.Run(c.missing, func(t *testing.T) {
			js := broker(t)
			if err := js.DeleteConsumer(t.Context(), c.stream, c.missing); err != nil {
				t.Fatal(err)
			}
			w, err := newImpatient(testDeps(t), js)
			if err != nil {
				t.Fatal(err)
			}
			w.embedded = true
			if err := w.Run(t.Context(), c.stage); err == nil || !strings.Contains(err.Error(), c.missing) {
				t.Errorf("error %v", err)
			}
		})
	}
}
