package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// meanwhile does something once, behind the first reading of an object.
type meanwhile struct {
	blob.Store
	key string
	do  func()
}

func (m *meanwhile) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	rc, o, err := m.Store.Get(ctx, key, r)
	if do := m.do; key == m.key && do != nil {
		m.do = nil
		do()
	}
	return rc, o, err
}

// Two workers have one shard, for the first was silent for too long; it succeeds just when the second gives the shard up.
func TestShardThatAnotherWorkerDidIsNotCalledFailed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	task := state.ExtractTask{V: state.MessageVersion, Owner: "me", Drop: state.Digest("d"), Import: state.Digest("i")[:32], Shard: state.Digest("s")[:32], Lane: state.LaneSmall}
	body, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	key := state.MarkerKey(task.Owner, task.Import, task.Shard)
	r.Store = &meanwhile{r.Store, key, func() {
		if err := state.PutJSON(t.Context(), r.Store, key, state.Marker{V: 1, Shard: task.Shard, State: state.MarkerOK}); err != nil {
			t.Error(err)
		}
	}}
	if err := r.endExtract(t.Context(), body, errCut); !errors.Is(err, blob.ErrPrecondition) {
		t.Errorf("giving it up: %v", err)
	}
	var m state.Marker
	if _, err := state.ReadJSON(t.Context(), r.Store, key, &m); err != nil || m.State != state.MarkerOK {
		t.Errorf("the marker is %+v, %v", m, err)
	}
	if err := r.giveUpExtract(t.Context(), body, errCut); !errors.Is(err, errDoneElsewhere) {
		t.Errorf("when it is looked at again: %v", err)
	}
}

func TestImportThatEndedWellKeepsItsReceiptWhenAnOldMessageFails(t *testing.T) {
	t.Parallel()
	d := testDeps(t)
	m, task := ingested(t, d, "me", zipOf(t, map[string]string{"conversations.json": manyConversations(2)}))
	if _, err := Assemble(t.Context(), d, "me", []AssembleTask{task}); err != nil {
		t.Fatal(err)
	}
	w := &Worker{Deps: d}
	for _, again := range []bool{false, true} {
		task.Again = again
		body, err := json.Marshal(task)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.giveUpAssemble(t.Context(), body, errCut); err != nil {
			t.Fatal(err)
		}
		want := state.StateDone
		if again {
			want = state.StateFailed // somebody waits for it
		}
		if r, _, err := state.ReadReceipt(t.Context(), d.Store, "me", m.Import); err != nil || r.State != want {
			t.Errorf("asked for again %v: the receipt says %s, want %s (%v)", again, r.State, want, err)
		}
	}
}
