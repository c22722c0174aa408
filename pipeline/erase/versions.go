package erase

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
)

// versioned gives the store that keeps versions, nil for none.
func (e *remover) versioned() blob.Versioned {
	if e.Versions == nil {
		return nil
	}
	return e.Versions()
}

// checkVersions refuses an erasure that could not reach earlier versions of objects.
func (e *remover) checkVersions(ctx context.Context) error {
	if v := e.versioned(); v != nil {
		return v.CheckVersions(ctx)
	}
	return nil
}

// removeVersions removes earlier versions of the objects of the owner, those of the wrapped data
// keys among them.
func (e *remover) removeVersions(ctx context.Context) error {
	v := e.versioned()
	if v == nil {
		return nil
	}
	for _, root := range append(e.roots(), sealed.KeyPrefix(e.owner)) {
		n, err := v.RemoveVersions(ctx, root)
		e.receipt.Removed["earlier versions"] += n
		if err != nil {
			return err
		}
	}
	return nil
}
