package status

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// CheckWithin is how long CheckStore waits for an answer.
const CheckWithin = 2 * time.Second

// CheckStore asks storage one question, and gives up after CheckWithin however often the store
// itself would try again. Call it before a list that a person waits for. The error is of class
// Outage.
func CheckStore(ctx context.Context, s blob.Store) error {
	probe, cancel := context.WithTimeout(ctx, CheckWithin)
	defer cancel()
	_, err := objects.HasAny(probe, s, state.OpenRoot)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("storage gave no answer in %v: %w", CheckWithin, err)
	}
	return &fault.Fault{Class: fault.Outage, Hint: "check that storage runs and can be reached, then repeat the command", Err: fmt.Errorf("check storage: %w", err)}
}
