package status

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/receipt"
	"github.com/pamline/pamline/pipeline/state"
)

// The states of a row beside the final states of a receipt: done, done with losses, refused,
// failed.
const (
	StateWaiting    = "waiting"           // nobody has begun to read the drop
	StateReading    = "reading"           // the archive is being read
	StateExtracting = "extracting"        // memories are being extracted; the archive has been read
	StateAssembling = "assembling"        // the store is being computed
	StateErased     = receipt.StateErased // the store has nothing of the drop
	StateUnreadable = "unreadable"        // an object that says how the import stands cannot be decoded
)

// openStates are those of an import that has not ended, in their order.
var openStates = []string{StateWaiting, StateReading, StateExtracting, StateAssembling}

// States are all states that a row can have.
var States = append(slices.Clone(openStates), state.StateDone, state.StateLosses, state.StateRefused, state.StateFailed, StateErased, StateUnreadable)

// Row is a drop in one generation of its job, at a glance. It is for the person whose drop it is:
// file names and reasons may quote that person's words.
type Row struct {
	Owner string `json:"owner"`
	// Drop is the id of the drop. An entry of the inbox that was refused before it became a drop
	// has the id of the entry here, and generation 0; its Owner is "" if it lay in nobody's inbox.
	Drop string `json:"drop"`
	Gen  int    `json:"gen"`
	// Import is "" while nobody has read the drop, and of a refused one.
	Import string `json:"import,omitempty"`
	State  string `json:"state"`
	// Files are the names of the archives of the drop, as the person called them.
	Files []string `json:"files,omitempty"`
	// Importers are versions ("chatgpt-importer/2026.07"); Providers are their names ("chatgpt").
	Importers []string `json:"importers,omitempty"`
	Providers []string `json:"providers,omitempty"`
	// Reason and Hint say why an import was refused, failed or has losses, and what to do.
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`

	Conversations int64 `json:"conversations"`
	Messages      int64 `json:"messages"`
	Bytes         int64 `json:"bytes"`
	Records       int64 `json:"records"`
	Assets        int64 `json:"assets"`
	Quarantined   int64 `json:"quarantined"`
	// Shards is known after the drop has been read. Extracted of them are complete, Failed have
	// failed.
	Shards    int `json:"shards"`
	Extracted int `json:"extracted"`
	Failed    int `json:"failed,omitempty"`
	// Memories of the owner's store when the import ended.
	Memories int64 `json:"memories,omitempty"`

	Receipt string `json:"receipt,omitempty"` // its key in the store
	// Kept is the import of an earlier generation that the store still has, after this generation
	// was refused or has failed.
	Kept string `json:"kept,omitempty"`
	// ReplacedBy is the import of a later generation that the store has instead of this one.
	ReplacedBy string `json:"replaced_by,omitempty"`
	// Unusable says which object cannot be decoded, and what to do.
	Unusable string `json:"unusable,omitempty"`

	// StartedAt and UpdatedAt are RFC 3339. UpdatedAt is when the job was last changed, so when it
	// ended, by the clock of the store; or when a worker last reported.
	StartedAt string `json:"started_at,omitempty"`
	UpdatedAt string `json:"updated_at,omitempty"`
	// BytesRead of BytesTotal: of the members that are read, unpacked.
	BytesRead  int64 `json:"bytes_read,omitempty"`
	BytesTotal int64 `json:"bytes_total,omitempty"`
	// Rates since the import began; 0: not known.
	BytesPerSecond         float64 `json:"bytes_per_second,omitempty"`
	ConversationsPerSecond float64 `json:"conversations_per_second,omitempty"`
	// SecondsLeft of the current state, reading or extracting; nil: not known.
	SecondsLeft *float64 `json:"seconds_left,omitempty"`
	// Trouble is what went wrong last; the import goes on by itself.
	Trouble *Trouble `json:"trouble,omitempty"`
	Worker  string   `json:"worker,omitempty"`
}

// ID names the row for people: the import, or the drop if there is no import. Catalog.Find accepts
// a prefix of either.
func (r Row) ID() string {
	if r.Import != "" {
		return r.Import
	}
	return r.Drop
}

// Ref names the job of the row.
func (r Row) Ref() job.Ref { return job.Ref{Owner: r.Owner, Drop: r.Drop} }

// IsOpen tells whether the import has not ended.
func (r Row) IsOpen() bool { return slices.Contains(openStates, r.State) }

func (r *Row) setUnreadable(err error) { r.State, r.Unusable = StateUnreadable, fault.Loggable(err) }

// addReceipt adds how an accepted generation ended.
func (r *Row) addReceipt(from state.Receipt) {
	r.State, r.Import, r.Reason, r.Hint = from.State, from.Import, from.Reason, from.Hint
	r.setImporters(from.Importers)
	r.setCounts(from.Counts)
	r.Shards, r.Failed = from.Extraction.Shards, len(from.Extraction.Failed)
	r.Extracted = r.Shards - r.Failed
	r.Memories = from.Store.Memories
	r.Receipt = state.ReceiptKey(r.Owner, r.Drop, r.Gen)
	if len(r.Files) == 0 {
		r.Files = partNames(from.Parts)
	}
}

func (r *Row) setCounts(c state.Counts) {
	r.Conversations, r.Messages, r.Bytes, r.Quarantined = c.Conversations, c.Messages, c.Bytes, c.Quarantined
	r.Assets, r.Records = c.Assets.Files, c.RecordCount()
}

func (r *Row) setImporters(versions []string) {
	r.Importers, r.Providers = versions, nil
	for _, v := range versions {
		if name := ProviderOf(v); !slices.Contains(r.Providers, name) {
			r.Providers = append(r.Providers, name)
		}
	}
}

// ProviderOf gives the provider of an importer's version: "chatgpt" of "chatgpt-importer/2026.07".
func ProviderOf(version string) string {
	name, _, _ := strings.Cut(version, "-importer/")
	return name
}

func partNames(parts []state.Part) []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	return names
}
