package pipeline

import (
	"encoding/json"
	"testing"
)

// A worker that stood still for long writes the marker of a shard after others have ended the import.
func TestTheMarkerOfAShardThatCameTooLateIsNotLeftBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state  string
		failed []FailedShard
		stays  bool
	}{
		"whole":                {StateDone, nil, false},
		"units are missing":    {StateLosses, nil, false},
		"a shard is to be had": {StateLosses, []FailedShard{{Shard: "x"}}, true},
	} {
		r := newRig(t)
		marker := markerKey(oneTask.Owner, oneTask.Import, oneTask.Shard)
		if err := putJSON(t.Context(), r.Store, marker, Marker{V: 1, Shard: oneTask.Shard, State: MarkerOK}); err != nil {
			t.Fatal(err)
		}
		end := Receipt{V: 1, Owner: oneTask.Owner, Drop: oneTask.Drop, Import: oneTask.Import, State: c.state, Extraction: Extraction{Failed: c.failed}}
		if err := putJSON(t.Context(), r.Store, receiptKey(oneTask.Owner, oneTask.Import), end); err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(oneTask)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.extract(t.Context(), body); err != nil {
			t.Fatal(err)
		}
		if there, err := exists(t.Context(), r.Store, marker); err != nil || there != c.stays {
			t.Errorf("%s: the marker is there %t (%v)", name, there, err)
		}
	}
}
