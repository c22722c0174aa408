package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// clockKey is an object that is written to learn what time it is for the store.
const clockKey = state.TakenRoot + state.Nobody + "/clock"

// storeTime is the present by the clock that the store gives objects their times by. A folder is quiet by that clock alone:
// one of this machine that is ahead would take a folder while it is being filled. Somebody who writes at the same moment only
// makes the answer later by that much, and no answer is later than the present.
func storeTime(ctx context.Context, s blob.Store) (time.Time, error) {
	if _, err := s.Put(ctx, clockKey, strings.NewReader("clock\n"), blob.PutOptions{}); err != nil {
		return time.Time{}, fmt.Errorf("ask store for the time: %w", err)
	}
	o, err := s.Head(ctx, clockKey)
	if err != nil {
		return time.Time{}, state.Gone(fmt.Errorf("ask store for the time: %w", err))
	}
	return o.ModTime, nil
}
