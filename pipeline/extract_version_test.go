package pipeline

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// While the versions of workers change, a shard may come to one that does not have its extractor: it is tried again, for
// another has it.
func TestShardOfAnotherVersionIsTriedAgain(t *testing.T) {
	_, err := extraction.Extract(t.Context(), testDeps(t).extraction(), state.ExtractTask{V: state.MessageVersion, Owner: "me", Import: state.Digest("i")[:32], Shard: state.Digest("s")[:32], Extractors: []string{"rules/0.0.0"}})
	if fault.Of(err) != fault.Unit || !strings.Contains(err.Error(), "replay") {
		t.Errorf("class %s: %v", fault.Of(err), err)
	}
}
