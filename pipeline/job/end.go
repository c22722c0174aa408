package job

import (
	"context"
	"fmt"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Receipt makes the receipt of an accepted generation. It may be called again after a crash, and
// then its bytes may differ: the first stored ones count.
type Receipt func(context.Context, Decision) ([]byte, error)

// End ends the job of a decided generation: it writes the receipt of an accepted one, ends the
// record, and removes the hint and the leftovers of older generations. An erasure has no receipt.
// For decisions that are superseded or unsettled, End does nothing.
func (j *Jobs) End(ctx context.Context, d Decision, receipt Receipt) error {
	outcome := Failed
	switch {
	case d.Status != Accepted && d.Status != GivenUp:
		return nil
	case d.Status == Accepted && d.Record.Want.Erase:
		outcome = Erased
	case d.Status == Accepted:
		outcome = Done
		if err := j.putReceipt(ctx, d, receipt); err != nil {
			return err
		}
	}
	r, err := j.swapFrom(ctx, d.Ref, d.Gen, d.Record, d.tag, func(r *Record) bool {
		r.State, r.Outcome = Ended, outcome
		return true
	})
	if err != nil {
		return fmt.Errorf("end job %s: %w", d.Drop, err)
	}
	return j.tidy(ctx, d.Ref, d.Gen, r)
}

func (s *storage) putReceipt(ctx context.Context, d Decision, receipt Receipt) error {
	body, err := receipt(ctx, d)
	if err != nil {
		return fmt.Errorf("make receipt of %s.%d: %w", d.Drop, d.Gen, err)
	}
	if _, err := objects.PutOnce(ctx, s.store, state.ReceiptKey(d.Owner, d.Drop, d.Gen), body); err != nil {
		return fmt.Errorf("put receipt: %w", err)
	}
	return nil
}

// tidy removes the hint of a generation that is over, and the leftovers of all older generations.
// A command that saw the record end stops its workers at once; the hint goes all the same, for
// lists show a job with a hint among the open ones.
func (s *storage) tidy(ctx context.Context, ref Ref, gen int, r Record) error {
	if !r.isHintOver(gen) {
		return nil
	}
	if err := s.store.Delete(context.WithoutCancel(ctx), state.OpenKey(ref.Owner, ref.Drop, gen)); err != nil {
		return fmt.Errorf("remove hint: %w", err)
	}
	if gen == 1 {
		return nil
	}
	return s.sweepPrefixes(ctx, r, state.OpenPrefix(ref.Owner, ref.Drop),
		state.FailedPrefix(ref.Owner, ref.Drop, 0), state.BegunPrefix(ref.Owner, ref.Drop, 0))
}
