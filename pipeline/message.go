package pipeline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
)

// MessageVersion is the schema of the messages; a worker refuses one it does not know.
const MessageVersion = 1

// Lanes keep one large archive from standing before everyone's small ones.
const (
	LaneSmall = "small"
	LaneBulk  = "bulk"
)

// Partitions is the number of assemble subjects; an owner always maps to the same one.
const Partitions = 16

// Request asks for a drop to be imported. It is the body of drop and ingest messages, and the record in
// work/<owner>/requests/ from which a lost message is made again.
type Request struct {
	V     int    `json:"v"`
	Owner string `json:"owner"`
	// Ask is the request's name: an id ([Deps].NewID) made anew whenever somebody asks, be it for the same. "" is a request of
	// the form that older versions know: two for one drop are then told apart by their words alone, and one may be lost when it
	// is recorded while another ends.
	Ask string `json:"ask,omitempty"`
	// Drop is the SHA-256 that names the drop; its record is inbox/<owner>/<drop>/drop.json.
	Drop string `json:"drop"`
	// Importer pins one importer, by version or name; empty: the newest of each, chosen by content.
	Importer string `json:"importer,omitempty"`
	// Extractors are names; empty: the default set.
	Extractors []string `json:"extractors,omitempty"`
	Lane       string   `json:"lane"`

	// over are the keys of the requests for the same whose place this one took ([askLike]).
	over []string
}

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

// ExtractTask asks for one shard of an import to be extracted.
type ExtractTask struct {
	V      int    `json:"v"`
	Owner  string `json:"owner"`
	Drop   string `json:"drop"`
	Import string `json:"import"`
	Pack   int    `json:"pack"`
	Shard  string `json:"shard"`
	// Extractors are the versions the shard's id was made with, Importers those that the import was read with.
	Extractors []string `json:"extractors"`
	Importers  []string `json:"importers,omitempty"`
	Lane       string   `json:"lane"`
	// Ask names the request that the import comes from (Request.ask). When that is not open any more, and no other wants the
	// import, the message is an old one.
	Ask string `json:"ask,omitempty"`
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
	check() error
	subject() string
}

// Trace context goes in the headers: a body is the identity of its unit.

func checkVersion(v int) error {
	if v != MessageVersion {
		return fmt.Errorf("check message: version %d is not %d: run workers of one version", v, MessageVersion)
	}
	return nil
}

func checkLane(lane string) error {
	if lane != LaneSmall && lane != LaneBulk {
		return fmt.Errorf("check message: unknown lane %q", lane)
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (t TakeTask) check() error {
	bad := error(nil)
	name, inside := strings.CutPrefix(t.Key, inboxRoot)
	if t.Owner != "" {
		bad = CheckOwner(t.Owner)
		if strings.Contains(name, "/") {
			name, inside = strings.CutPrefix(t.Key, inboxPrefix(t.Owner))
		}
	}
	if bad == nil && (!inside || name == "") {
		bad = errors.New("check message: its key lies in another inbox")
	}
	if bad == nil && t.Refuse != "" {
		bad = checkHex("record", t.Refuse)
	}
	return firstError(checkVersion(t.V), bad, checkLane(t.Lane))
}

func (t TakeTask) subject() string {
	return "pam.take." + t.Lane + "." + cmp.Or(t.Owner, nobody) + "." + digest(t.Key)[:32]
}

func (r Request) check() error {
	bad := error(nil)
	if r.Ask != "" && !askForm.MatchString(r.Ask) {
		bad = fmt.Errorf("check message: %q is not the name of a request", r.Ask)
	}
	return firstError(checkVersion(r.V), CheckOwner(r.Owner), checkHex("drop", r.Drop), checkLane(r.Lane), bad)
}

func (r Request) subject() string { return "pam.ingest." + r.Lane + "." + r.Owner + "." + r.Drop }

func (r Request) dropSubject() string { return "pam.drop." + r.Owner + "." + r.Drop }

func (t ExtractTask) check() error {
	return firstError(checkVersion(t.V), CheckOwner(t.Owner), checkHex("drop", t.Drop), checkHex("import", t.Import),
		checkHex("shard", t.Shard), checkLane(t.Lane))
}

func (t ExtractTask) subject() string {
	return "pam.extract." + t.Lane + "." + t.Owner + "." + t.Import + "." + t.Shard
}

func (t AssembleTask) check() error {
	return firstError(checkVersion(t.V), CheckOwner(t.Owner), checkHex("drop", t.Drop), checkHex("import", t.Import))
}

func (t AssembleTask) subject() string {
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
	return t, t.check()
}
