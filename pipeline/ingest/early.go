package ingest

import (
	"fmt"
	"runtime/debug"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// earlyDocument is the size up to which a document is extracted while it is packed. A larger one
// waits, and with it its shard: its extraction takes memory that its unit has not reserved.
const earlyDocument = keptBuffer

// extractEarly finds the candidates of a document that is being packed; conversation is nil for a
// record. The document is unread if nobody could: then the extraction of its shard reads it, and
// what is wrong is a failure there.
func (in *archiveRun) extractEarly(conversation *pamio.Conversation, doc []byte, line state.SnapshotLine) (found state.Findings, unread bool) {
	switch {
	case in.find == nil, len(doc) > earlyDocument && line.Wanted:
		return found, true
	case !line.Wanted:
		return found, false
	}
	defer func() {
		if p := recover(); p != nil {
			in.Log.Error(fmt.Sprintf("extractor panicked with a %T; the shard is left to its extraction\n%s", p, debug.Stack()))
			found, unread = state.Findings{}, true
		}
	}()
	found, err := in.find(conversation, doc, line.Source, in.m.Sources[line.Source].File)
	return found, err != nil
}
