package worker

import (
	"errors"
	"testing"

	"github.com/pamline/pamline/pipeline"
)

func TestAWorkerIsNotReadyBeforeItHasReachedItsCluster(t *testing.T) {
	var j joining
	if err := j.Ready(t.Context()); !errors.Is(err, errJoining) {
		t.Errorf("got %v", err)
	}
	j.set(new(pipeline.Pipeline))
	if j.p.Load() == nil {
		t.Error("the pipeline was not taken")
	}
}
