package pipeline

import (
	"context"
	"sync"

	"github.com/pamline/pamline/pipeline/state"
)

// Notice finds drops that would not change. It keeps the input set that it read last, so that an owner's ten thousand drops
// do not read it as often. The zero value works, and may be used by several goroutines.
type Notice struct {
	mu     sync.Mutex
	digest string // of inputs, which never change under it
	inputs state.Inputs
}

// accepted gives the import whose result the store has of a drop; "" for none.
func (n *Notice) accepted(ctx context.Context, d Deps, owner, drop string) (string, error) {
	head, _, err := state.ReadHead(ctx, d.Store, owner)
	if err != nil || head.Inputs == "" {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.digest != head.Inputs {
		in, err := state.ReadInputs(ctx, d.Store, owner, head)
		if err != nil {
			return "", err
		}
		n.digest, n.inputs = head.Inputs, in
	}
	return n.inputs.Drops[drop], nil
}

// unchanged tells whether a request would end at the result that the store has of its drop, whole, and gives that. It is
// sure when it says so; when it does not, reading the drop may still come to the same.
func (n *Notice) unchanged(ctx context.Context, d Deps, r state.Request) (m state.Manifest, ok bool, err error) {
	id, err := n.accepted(ctx, d, r.Owner, r.Drop)
	if err != nil || id == "" {
		return m, false, err
	}
	if m, ok, err = state.ReadManifest(ctx, d.Store, r.Owner, id); err != nil || !ok {
		return m, false, err
	}
	if same, err := d.ingest().ReadsAs(m, r); err != nil || !same {
		return m, false, err
	}
	receipt, final, err := state.ReadReceipt(ctx, d.Store, r.Owner, id)
	if err != nil {
		return m, false, err
	}
	whole := final && (receipt.State == state.StateDone || receipt.State == state.StateLosses) && len(receipt.Extraction.Failed) == 0
	return m, whole, nil
}
