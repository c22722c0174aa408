package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// maxRounds bounds the repairs of an owner: a repaired object may show what else is damaged.
const maxRounds = 8

// RepairOwner repairs what it can, until a check finds no damage or only damage that it found
// before. The report has all damage that any check has found; what the last check does not find any
// more is repaired.
func RepairOwner(ctx context.Context, o Options, owner string) (Report, error) {
	r := newRepairer(o, owner)
	all := map[string]Damage{}
	report, err := CheckOwner(ctx, o, owner)
	for round := 0; err == nil && len(report.Damage) > 0 && round < maxRounds; round++ {
		before := len(all)
		for _, d := range report.Damage {
			all[d.Object] = d
		}
		if round > 0 && len(all) == before && len(report.Damage) == r.left {
			break // nothing has changed
		}
		r.left = len(report.Damage)
		if err = r.round(ctx, report.Damage); err == nil {
			report, err = CheckOwner(ctx, o, owner)
		}
	}
	if err != nil {
		return report, err
	}
	left := report.Damage
	for _, d := range all {
		if !slices.ContainsFunc(left, func(l Damage) bool { return l.Object == d.Object }) {
			d.Repaired = true
			report.Damage = append(report.Damage, d)
		}
	}
	slices.SortFunc(report.Damage, func(a, b Damage) int { return bytes.Compare([]byte(a.Object), []byte(b.Object)) })
	for i := range report.Damage {
		d := &report.Damage[i]
		if d.Advice = d.kind.advice; d.Repaired {
			d.Advice = ""
		} else if why := r.failures[d.Object]; why != "" {
			d.Advice = "it could not be repaired (" + why + "): " + d.Advice
		}
	}
	return report, nil
}

// repairer repairs the objects of one owner.
type repairer struct {
	Options
	owner string
	jobs  *job.Jobs
	// left is how many cases of damage the check before this round has found.
	left int
	// failures says by object why a repair failed.
	failures map[string]string
	// done has what was repaired together in this round: imports, exports.
	done map[string]bool
}

// importRepairer reads archives and extracts shards again.
type importRepairer struct{ *repairer }

func newRepairer(o Options, owner string) *repairer {
	o.Store = objects.ClassedStore{Store: o.Store}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	o.Publish.Store = o.Store
	return &repairer{Options: o, owner: owner, jobs: job.New(o.Store, job.Options{}), failures: map[string]string{}}
}

// round tries each repair once, in the order of the stages. The error is one of storage.
func (r *repairer) round(ctx context.Context, damage []Damage) error {
	r.done = map[string]bool{}
	damage = slices.Clone(damage)
	slices.SortStableFunc(damage, func(a, b Damage) int { return a.kind.stage - b.kind.stage })
	for _, d := range damage {
		if d.kind.repair == nil {
			continue
		}
		repair := d.kind.repair
		if d.leftover && d.kind.stage >= stageInputs && d.kind.stage <= stageStore {
			repair = (*repairer).removeObject // an interrupted import makes it again
		}
		err := fault.Recovered("repair "+d.Object, func() error { return repair(r, ctx, d) })
		switch {
		case err == nil:
			delete(r.failures, d.Object)
		case ctx.Err() != nil, fault.Of(err) == fault.Outage:
			return err
		default:
			r.failures[d.Object] = fault.Loggable(err)
			r.Log.Info("an object could not be repaired", zap.String("object", d.Object), zap.String("error", fault.Loggable(err)))
		}
	}
	return nil
}

// errNotDerived tells that the other objects do not give the lost one.
var errNotDerived = errors.New("the other objects do not give the one that was lost")

func (r *repairer) removeObject(ctx context.Context, d Damage) error {
	return r.Store.Delete(ctx, d.Object)
}

func (r *repairer) put(ctx context.Context, key string, body []byte) error {
	_, err := r.Store.Put(ctx, key, bytes.NewReader(body), blob.PutOptions{})
	return err
}

// repairHead swaps in the newest head of the log.
func (r *repairer) repairHead(ctx context.Context, _ Damage) error {
	head, tag, err := state.ReadHead(ctx, r.Store, r.owner)
	if err != nil {
		return err
	}
	if head.Sequence == 0 {
		return errNotDerived
	}
	return objects.SwapJSON(ctx, r.Store, state.HeadKey(r.owner), tag, head)
}

// repairLoggedHead writes the current head into the log again. An earlier one that is damaged is
// removed: the log is only used for its end.
func (r *repairer) repairLoggedHead(ctx context.Context, d Damage) error {
	var head state.Head
	if _, err := objects.ReadJSON(ctx, r.Store, state.HeadKey(r.owner), &head); err != nil {
		return err
	}
	switch {
	case d.Object == state.HeadLogKey(r.owner, head.Sequence):
		return objects.PutJSON(ctx, r.Store, d.Object, head)
	case d.Object > state.HeadLogKey(r.owner, head.Sequence):
		return fmt.Errorf("%w: it is newer than head.json", errNotDerived)
	}
	return r.removeObject(ctx, d)
}

// repairStore computes the store of a head again: of the one that needs the object, else of the
// current one.
func (r *repairer) repairStore(ctx context.Context, d Damage) error {
	head := d.of.head
	if head.ExportID == "" {
		return fmt.Errorf("%w: no head names it", errNotDerived)
	}
	key := fmt.Sprint("store ", head.Sequence)
	if r.done[key] {
		return nil
	}
	r.done[key] = true
	return publish.RepairStore(ctx, r.Publish, r.owner, head)
}

func (r *repairer) repairCopies(ctx context.Context, _ Damage) error {
	head, _, err := state.ReadHead(ctx, r.Store, r.owner)
	if err != nil {
		return err
	}
	return publish.RepairCopies(ctx, r.Store, r.owner, head)
}

// repairMoment writes the moment of an export as the export has it.
func (r *repairer) repairMoment(ctx context.Context, d Damage) error {
	for o, err := range r.Store.List(ctx, state.OwnerKey(r.owner, "heads/")) {
		if err != nil {
			return err
		}
		var head state.Head
		if _, err := objects.ReadJSON(ctx, r.Store, o.Key, &head); err != nil {
			continue // it is damage of its own
		}
		if fits, err := publish.RepairMoment(ctx, r.Store, r.owner, d.Object, head); err != nil || fits {
			return err
		}
	}
	return r.removeObject(ctx, d) // of a store that was never published
}

// repairFailed keeps that work has failed.
func (r *repairer) repairFailed(ctx context.Context, d Damage) error {
	return objects.PutJSON(ctx, r.Store, d.Object, job.Failure{V: 1, Class: fault.Permanent, Attempts: 1,
		Reason: "the work failed, but its report was damaged, and so the reason is not known", Hint: "redrive it, or replay its drop"})
}
