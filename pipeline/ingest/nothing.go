package ingest

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/lossless"
)

// NothingKeptError is returned for a drop of a known format of which nothing is kept: it is empty,
// or every unit of it was quarantined.
type NothingKeptError struct {
	Quarantined int64
	// Erased is how many elements were left out because the owner has had them erased.
	Erased int
	// First is why the first unit could not be read; it may name files.
	First string
}

func (e *NothingKeptError) Error() string {
	if e.Erased > 0 && e.Quarantined == 0 {
		return "read drop: everything in it was erased at the owner's request"
	}
	switch e.Quarantined {
	case 0:
		return "read drop: it is an export without conversations, records and files"
	case 1:
		return "read drop: the only element in it cannot be read: " + e.First
	}
	return fmt.Sprintf("read drop: none of the %d elements in it can be read; the first: %s", e.Quarantined, e.First)
}

// LogText leaves out the first reason, which may name files.
func (e *NothingKeptError) LogText() string {
	return "nothing in the drop could be read (the receipt says more)"
}

// nothingKept removes what ingest wrote and gives the error that refuses the drop.
func nothingKept(ctx context.Context, d Options, m state.Manifest) error {
	e := &NothingKeptError{Quarantined: m.Counts.Quarantined, Erased: m.Counts.Skips[ledger.CodeErased].Count}
	code := ""
	for q, err := range state.ListQuarantined(ctx, d.Store, m) {
		if err != nil {
			return err
		}
		e.First, code = q.Member+": "+q.Reason, q.Code
		break
	}
	for o, err := range d.Store.List(ctx, state.ImportKey(m.Owner, m.Import, "")) {
		if err != nil {
			return fmt.Errorf("remove empty import %s: %w", m.Import, err)
		}
		if err := d.Store.Delete(ctx, o.Key); err != nil {
			return fmt.Errorf("remove empty import %s: %w", m.Import, err)
		}
	}
	hint := "download the export again: this file is damaged or incomplete"
	switch {
	case e.Quarantined == 0 && e.Erased > 0:
		hint = "it stays erased; what is said again in another conversation can be imported"
	case e.Quarantined == 0:
		hint = "ask the provider for the export again: this one has nothing in it"
	case code == cut.CodeTooBig:
		hint = "import it with a higher limit, on a machine with memory for it: --set limits.max_conversation=SIZE (docs/limits.md)"
	case code == lossless.CodeTooDeep:
		hint = "import it with a higher limit: --set limits.max_depth=LEVELS (docs/limits.md)"
	case code == cut.CodeUnread:
		hint = "download the export again; if it has a password, " + withPassword
	}
	return &fault.Fault{Class: fault.Permanent, Err: e, Hint: hint}
}
