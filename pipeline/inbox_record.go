package pipeline

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// The states of what lay in an inbox.
const (
	TakenAs      = "taken"
	TakenRefused = "refused"
)

// Taken is the small record of one thing that lay in an inbox: as long as it is there, nobody looks at that thing again.
type Taken struct {
	V     int    `json:"v"`
	Key   string `json:"key"`
	Drop  string `json:"drop,omitempty"`
	State string `json:"state"` // taken or refused
	// Reason and Hint say why it was refused and what to do.
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`
	At     string `json:"at"`
}

// readTaken gives a record; ok is false when there is none.
func readTaken(ctx context.Context, s blob.Store, key string) (t Taken, ok bool, err error) {
	_, err = state.ReadJSON(ctx, s, key, &t)
	if state.IsMissing(err) {
		return t, false, nil
	}
	return t, err == nil, err
}

// takenID reads owner ("_" for nobody's) and id out of the key of a record; ok is false for another object.
func takenID(key string) (owner, id string, ok bool) {
	owner, name, _ := strings.Cut(strings.TrimPrefix(key, state.TakenRoot), "/")
	id, ok = strings.CutSuffix(name, ".json")
	return owner, id, ok && len(id) == 32 && state.HexForm.MatchString(id) && (owner == state.Nobody || state.CheckOwner(owner) == nil)
}

// refusedAs is the record of a unit that is given up.
func refusedAs(u inboxUnit, cause error, now time.Time) Taken {
	t := Taken{V: 1, Key: u.unit, State: TakenRefused, Reason: cause.Error(), At: now.UTC().Format(time.RFC3339)}
	var f *fault.Fault
	if errors.As(cause, &f) {
		t.Reason, t.Hint = f.Err.Error(), f.Hint
	}
	return t
}
