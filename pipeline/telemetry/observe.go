package telemetry

import (
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// Event is a sign of progress. It holds references and numbers only.
type Event struct {
	Stage string `json:"stage"` // ingest, extract, assemble, publish, done
	Owner string `json:"owner"`
	Drop  string `json:"drop"`
	// Gen is the generation of the drop's job that the work is for; 0: not known.
	Gen    int    `json:"gen,omitempty"`
	Import string `json:"import,omitempty"`
	// Bytes of members read so far; Total is what the claimed members declare (0: unknown).
	Bytes int64 `json:"bytes,omitempty"`
	Total int64 `json:"total,omitempty"`
	// Units counts the work of a stage: conversations read, shards extracted, conversations
	// written.
	Units  int64  `json:"units,omitempty"`
	Of     int64  `json:"of,omitempty"`
	Fault  string `json:"fault,omitempty"`
	Retry  bool   `json:"retry,omitempty"`
	Outage bool   `json:"outage,omitempty"`
	// Change is what an import that was published, or has ended, did to the store: nothing, when
	// the store says the same as before.
	Change *state.StoreChange `json:"change,omitempty"`
}

// Observe is told about progress; nil is nobody. It must be quick and safe for concurrent use.
type Observe func(Event)

// Tell reports an event, if anybody listens.
func (o Observe) Tell(e Event) {
	if o != nil {
		o(e)
	}
}

// Fault reports a failure; retry tells whether the work is tried again.
func (o Observe) Fault(stage string, err error, retry bool) {
	o.Tell(Event{Stage: stage, Fault: err.Error(), Retry: retry, Outage: fault.Of(err) == fault.Outage})
}
