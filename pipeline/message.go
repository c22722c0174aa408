package pipeline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/pamline/pamline/pipeline/state"
)

// Partitions is the number of assemble subjects; an owner always maps to the same one.
const Partitions = 16

// TakeTask asks for what lies in the inbox to be taken as a drop.
type TakeTask struct {
	V int `json:"v"`
	// Owner is "" for what is in nobody's inbox; then the task ends in a refusal.
	Owner string `json:"owner,omitempty"`
	// Key is that of an object, or of a folder, ending in "/". It is a person's file name and not for logs.
	Key  string `json:"key"`
	Lane string `json:"lane"`
	// Refuse is the id of the record to be written about a name that no store can read by: Key is only what it looks like.
	Refuse string `json:"refuse,omitempty"`
}

// AssembleTask asks for an import, all of whose shards have a marker, to be taken into the owner's store.
type AssembleTask struct {
	V      int    `json:"v"`
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	Import string `json:"import"`
	// Again: somebody asked for this import although it had ended before. Without it, a message of an ended import is an
	// old one, delivered once more, and must not undo what has replaced the import since. Ask is as in an ExtractTask.
	Again bool   `json:"again,omitempty"`
	Ask   string `json:"ask,omitempty"`
}

// task is what every message body can say of itself.
type task interface {
	Check() error
	Subject() string
}

// Trace context goes in the headers: a body is the identity of its unit.

func (t TakeTask) Check() error {
	bad := error(nil)
	name, inside := strings.CutPrefix(t.Key, state.InboxRoot)
	if t.Owner != "" {
		bad = state.CheckOwner(t.Owner)
		if strings.Contains(name, "/") {
			name, inside = strings.CutPrefix(t.Key, state.InboxPrefix(t.Owner))
		}
	}
	if bad == nil && (!inside || name == "") {
		bad = errors.New("check message: its key lies in another inbox")
	}
	if bad == nil && t.Refuse != "" {
		bad = state.CheckHex("record", t.Refuse)
	}
	return state.FirstError(state.CheckVersion(t.V), bad, state.CheckLane(t.Lane))
}

func (t TakeTask) Subject() string {
	return "pam.take." + t.Lane + "." + cmp.Or(t.Owner, state.Nobody) + "." + state.Digest(t.Key)[:32]
}

func (t AssembleTask) Check() error {
	return state.FirstError(state.CheckVersion(t.V), state.CheckOwner(t.Owner), state.CheckHex("drop", t.Drop), state.CheckHex("import", t.Import))
}

func (t AssembleTask) Subject() string {
	return fmt.Sprintf("pam.assemble.%d.%s", Partition(t.Owner), t.Owner)
}

// Partition maps an owner to an assemble partition by FNV-1a, which is stable across versions and languages.
func Partition(owner string) int {
	h := fnv.New32a()
	h.Write([]byte(owner))
	return int(h.Sum32() % Partitions)
}

func decodeTask[T task](data []byte) (T, error) {
	var t T
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("decode message: %w", err)
	}
	return t, t.Check()
}
