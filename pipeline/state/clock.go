package state

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
)

// clockKey is an object that is written to learn what time it is for the store.
const clockKey = TakenRoot + Nobody + "/clock"

// ReadStoreTime gives the present by the clock that the store dates objects with. Ages of objects
// are told by that clock alone: the clocks of the machines need not agree. If somebody else writes
// the object at the same moment, the answer is later by that much, and never later than the
// present.
func ReadStoreTime(ctx context.Context, s blob.Store) (time.Time, error) {
	if _, err := s.Put(ctx, clockKey, strings.NewReader("clock\n"), blob.PutOptions{}); err != nil {
		return time.Time{}, fmt.Errorf("ask store for the time: %w", err)
	}
	o, err := s.Head(ctx, clockKey)
	if err != nil {
		return time.Time{}, objects.Gone(fmt.Errorf("ask store for the time: %w", err))
	}
	return o.ModTime, nil
}
