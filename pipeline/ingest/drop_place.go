package ingest

import (
	"context"
	"errors"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// relocateDrop looks for a drop whose reading ended with cause because a part is no longer where it
// was. found tells that the drop can be read as now says, with parts at other places of the same
// bytes.
func relocateDrop(ctx context.Context, s blob.Store, read state.DropRecord, cause error) (now state.DropRecord, found bool, err error) {
	var lost *state.MovedError
	if !errors.As(cause, &lost) && !objects.IsMissing(cause) {
		return read, false, nil
	}
	now, err = state.ReadDrop(ctx, s, read.Owner, read.Drop)
	if err != nil {
		if fault.Of(err) == fault.Permanent {
			err = nil // the cause says more
		}
		return read, false, err
	}
	now, found, err = now.Locate(ctx, s)
	return now, found && !slices.EqualFunc(now.Parts, read.Parts, state.DropPart.IsAt), err
}

// movedFrom classes an error of opening a part. A pinned part has been removed or replaced; a copy
// by pamline, whose pinned is "", has been deleted.
func movedFrom(pinned string, err error) error {
	switch {
	case pinned != "":
		return state.Moved(pinned, err)
	case errors.Is(err, blob.ErrNotExist):
		return &fault.Fault{Class: fault.Permanent, Err: err, Hint: "the archive is no longer stored: import it again"}
	}
	return err
}
