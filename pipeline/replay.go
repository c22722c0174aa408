package pipeline

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
)

// ReplayAsk asks for a drop to be read once more.
type ReplayAsk struct {
	Owner string `json:"owner"`
	Drop  string `json:"drop"`
	// Importer and Extractors are those of a [Request]: what an earlier request of the drop named does not count.
	Importer   string   `json:"importer,omitempty"`
	Extractors []string `json:"extractors,omitempty"`
	// Bulk: it is one of several, and must not stand before what is new.
	Bulk bool `json:"bulk,omitempty"`
}

// Ask is a replay of a selected drop.
func (s Selected) Ask(importer string, extractors []string, bulk bool) ReplayAsk {
	return ReplayAsk{Owner: s.Owner, Drop: s.Drop, Importer: importer, Extractors: extractors, Bulk: bulk}
}

// Replay is the answer to a [ReplayAsk].
type Replay struct {
	State   string        `json:"state"`
	Request state.Request `json:"request,omitzero"`
	// Reason says of a drop that is not read again why.
	Reason string `json:"reason,omitempty"`
}

// The states of a replay that has not been read.
const (
	ReplayQueued    = "queued"
	ReplayUnchanged = "unchanged" // it would end at the result that the store has
	ReplayGone      = "gone"      // the archive is not in the inbox any more
	ReplayBusy      = "busy"      // it is being imported now, in another way
)

// Prepare looks at a drop that is to be read again. State is ReplayQueued when Request is to be submitted. With notice it
// finds out beforehand that nothing would change, which is for those whose own stages, with the same Deps, do the work; nil
// leaves it to them.
func Prepare(ctx context.Context, d Deps, ask ReplayAsk, notice *Notice) (Replay, error) {
	req := state.Request{V: state.MessageVersion, Owner: ask.Owner, Drop: ask.Drop, Ask: d.NewID(), Importer: ask.Importer, Extractors: ask.Extractors, Lane: state.LaneBulk}
	if err := req.Check(); err != nil {
		return Replay{}, &fault.Fault{Class: fault.Permanent, Err: err}
	}
	if err := ingest.CheckImporter(d.Registry, req.Importer); err != nil {
		return Replay{}, err
	}
	if _, err := state.SelectExtractors(d.Extractors, req.Extractors); err != nil {
		return Replay{}, err
	}
	if notice != nil {
		m, same, err := notice.unchanged(ctx, d, req)
		if err != nil {
			return Replay{}, err
		}
		if same {
			req.Lane = m.Lane
			return Replay{State: ReplayUnchanged, Request: req}, nil
		}
	}
	rec, err := state.ReadDrop(ctx, d.Store, req.Owner, req.Drop)
	if state.IsMissing(err) {
		return Replay{State: ReplayGone, Reason: "its record is not in the inbox any more: drop the archive again"}, nil
	}
	if err != nil {
		return Replay{}, err
	}
	for _, p := range rec.Parts {
		if there, err := p.InPlace(ctx, d.Store); err != nil {
			return Replay{}, err
		} else if !there {
			return Replay{State: ReplayGone, Reason: p.Name + " is not in the inbox any more, or is another file now: drop the archive again"}, nil
		}
	}
	if !ask.Bulk {
		req.Lane = Lane(rec.Bytes())
	}
	if busy, err := busyWith(ctx, d.Store, req); err != nil {
		return Replay{}, err
	} else if busy {
		return Replay{State: ReplayBusy, Reason: "another request for this drop has not ended: wait for it, or let `pamline up` or its workers end it, and run the same command again"}, nil
	}
	return Replay{State: ReplayQueued, Request: req}, nil
}

// busyWith tells whether the newest open request for the drop asks for something else: one that came now would take its place
// before it has ended.
func busyWith(ctx context.Context, s blob.Store, r state.Request) (bool, error) {
	open, ok, err := requestOf(ctx, s, r.Owner, r.Drop)
	return ok && open.Words() != r.Words(), err
}
