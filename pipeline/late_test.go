package pipeline

import (
	"encoding/json"
	"testing"

	"github.com/pamline/pamline/pipeline/state"
)

// A worker that stood still for long writes the marker of a shard after others have ended the import.
func TestTheMarkerOfAShardThatCameTooLateIsNotLeftBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state  string
		failed []state.FailedShard
		stays  bool
	}{
		"whole":                {state.StateDone, nil, false},
		"units are missing":    {state.StateLosses, nil, false},
		"a shard is to be had": {state.StateLosses, []state.FailedShard{{Shard: "x"}}, true},
	} {
		r := newRig(t)
		marker := state.MarkerKey(oneTask.Owner, oneTask.Import, oneTask.Shard)
		if err := state.PutJSON(t.Context(), r.Store, marker, state.Marker{V: 1, Shard: oneTask.Shard, State: state.MarkerOK}); err != nil {
			t.Fatal(err)
		}
		end := state.Receipt{V: 1, Owner: oneTask.Owner, Drop: oneTask.Drop, Import: oneTask.Import, State: c.state, Extraction: state.Extraction{Failed: c.failed}}
		if err := state.PutJSON(t.Context(), r.Store, state.ReceiptKey(oneTask.Owner, oneTask.Import), end); err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(oneTask)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.extract(t.Context(), body); err != nil {
			t.Fatal(err)
		}
		if there, err := state.Exists(t.Context(), r.Store, marker); err != nil || there != c.stays {
			t.Errorf("%s: the marker is there %t (%v)", name, there, err)
		}
	}
}
