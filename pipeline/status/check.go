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

// CheckWithin is how long Ask waits for an answer.
const CheckWithin = 2 * time.Second

// CheckStore asks storage whether it answers. Call it before a list that a person waits for. The
// error is that of Ask.
func CheckStore(ctx context.Context, s blob.Store) error {
	return Ask(ctx, func(ctx context.Context) error {
		_, err := objects.HasAny(ctx, s, state.OpenRoot)
		return err
	})
}

// Ask asks storage one question, and gives up after CheckWithin however often the store itself
// would try again. The error is of class Outage.
func Ask(ctx context.Context, question func(context.Context) error) error {
	probe, cancel := context.WithTimeout(ctx, CheckWithin)
	defer cancel()
	err := question(probe)
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
