package inbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
)

// Task asks for an entry to be taken, or for an inbox to be listed. Its message is
// pam.take.<lane>.<owner>.<id>, so a stream holds one task for an entry and lane.
type Task struct {
	V     int    `json:"v"`
	Owner string `json:"owner,omitempty"`
	// Key is that of the entry; for a listing, the prefix of the inbox.
	Key string `json:"key"`
	// Refuse is the id of an entry that nobody can take because of its name.
	Refuse string `json:"refuse,omitempty"`
	// Scan asks for a listing of the owner's inbox, or of the root of the inbox.
	Scan bool   `json:"scan,omitempty"`
	Lane string `json:"-"`
}

// takeKind is the kind of the tasks in their subjects.
const takeKind = "take"

// taskOf is the task that takes an entry.
func taskOf(e entry) Task {
	t := Task{V: 1, Owner: e.owner, Key: e.key, Lane: dispatch.LaneOf(e.bytes)}
	if e.bad != nil || e.owner == "" {
		t.Refuse = e.id
		t.Key = strings.ToValidUTF8(t.Key, "\uFFFD")
	}
	return t
}

// id is the last token of the task's subject.
func (t Task) id() string {
	if t.Scan {
		return objects.Digest("scan " + t.Key)[:recordIDLength]
	}
	return objects.Digest(t.Key)[:recordIDLength]
}

// message is the task for the queue.
func (t Task) message(from queue.Origin) queue.Task {
	body, _ := json.Marshal(t) // strings only: no error
	subject := "pam." + takeKind + "." + cmp.Or(t.Lane, state.LaneSmall) + "." + cmp.Or(t.Owner, state.Nobody) + "." + t.id()
	return queue.Task{Subject: subject, Body: body, Origin: from}
}

// decodeTask reads the task of a message.
func decodeTask(m queue.Task) (Task, error) {
	t := Task{Lane: m.Lane()}
	if err := json.Unmarshal(m.Body, &t); err != nil {
		return t, errors.New("decode task: its body is not JSON") // the decoder could quote a name
	}
	return t, t.check()
}

// check refuses a task that leads out of the inbox of its owner.
func (t Task) check() error {
	name, inside := strings.CutPrefix(t.Key, state.InboxRoot)
	if t.Owner != "" {
		if err := state.CheckOwner(t.Owner); err != nil {
			return err
		}
		if strings.Contains(name, "/") {
			name, inside = strings.CutPrefix(t.Key, state.InboxPrefix(t.Owner))
		}
	}
	switch {
	case t.V != 1:
		return fmt.Errorf("check task: version %d is not known", t.V)
	case !inside, name == "" && !t.Scan:
		return errors.New("check task: its key lies in another inbox")
	case t.Scan && (name != "" || t.Owner == ""):
		return errors.New("check task: its key is not that of an inbox")
	case t.Refuse != "" && (len(t.Refuse) != recordIDLength || state.CheckDigest("record", t.Refuse) != nil):
		return errors.New("check task: it names no record")
	}
	return state.CheckLane(t.Lane)
}
