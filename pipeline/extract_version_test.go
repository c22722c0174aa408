package pipeline

import (
	"strings"
	"testing"
)

// While the versions of workers change, a shard may come to one that does not have its extractor: it is tried again, for
// another has it.
func TestShardOfAnotherVersionIsTriedAgain(t *testing.T) {
	_, err := Extract(t.Context(), testDeps(t), ExtractTask{V: MessageVersion, Owner: "me", Import: digest("i")[:32], Shard: digest("s")[:32], Extractors: []string{"rules/0.0.0"}})
	if ClassOf(err) != Unit || !strings.Contains(err.Error(), "replay") {
		t.Errorf("class %s: %v", ClassOf(err), err)
	}
}
