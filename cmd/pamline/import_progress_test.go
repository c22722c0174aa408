package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// The number of parts to extract is shown when all is read, and not before. Events that come late
// do not move a bar back.
func TestProgressOfAnImportIsDrawnAsFarAsItIsKnown(t *testing.T) {
	var out bytes.Buffer
	show := progress.New(&out, true)
	observe := observeProgress(show)
	for _, e := range []telemetry.Event{
		{Stage: telemetry.StageIngest, Drop: "d", Bytes: 40e6, Total: 80e6},
		{Stage: telemetry.StageExtract, Drop: "d", Units: 2},
		{Stage: telemetry.StageExtract, Drop: "d", Units: 1},
		{Stage: telemetry.StageIngest, Drop: "d", Bytes: 79e6, Total: 80e6},
		{Stage: telemetry.StageExtract, Drop: "d", Of: 7},
		{Stage: telemetry.StageAssemble, Drop: "d", Units: 500, Of: 900},
		{Stage: telemetry.StageAssemble, Drop: "d", Units: 400, Of: 900},
	} {
		observe(e)
	}
	show.Stop()
	text := out.String()
	last := text[strings.LastIndex(text, "reading"):]
	for _, want := range []string{"80.0 of 80.0 MB", "2 of 7", "500 of 900"} {
		if !strings.Contains(last, want) {
			t.Errorf("%q is not in the last drawing %q", want, last)
		}
	}
}
