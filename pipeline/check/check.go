package check

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// ListOwners gives everybody who has objects in a store, also in the inbox only, in order.
func ListOwners(ctx context.Context, s blob.Store) ([]string, error) {
	all := map[string]bool{}
	for _, root := range []string{"owners/", state.InboxRoot, state.TakenRoot, state.FailedRoot} {
		for owner, err := range blob.ListFolders(ctx, s, root) {
			if err != nil {
				return nil, err
			}
			if state.CheckOwner(owner) == nil {
				all[owner] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// ConfirmOwner is CheckOwner beside others who import and publish: damage counts if a second check
// finds it, too. A copy, for example, is another one than the head names until it is written.
func ConfirmOwner(ctx context.Context, o Options, owner string) (Report, error) {
	first, err := CheckOwner(ctx, o, owner)
	if err != nil || len(first.Damage) == 0 {
		return first, err
	}
	second, err := CheckOwner(ctx, o, owner)
	second.Damage = slices.DeleteFunc(second.Damage, func(d Damage) bool {
		return !slices.ContainsFunc(first.Damage, func(f Damage) bool { return f.Object == d.Object })
	})
	return second, err
}

// CheckOwner looks for damage of an owner's objects and changes nothing. The error is one of
// storage.
func CheckOwner(ctx context.Context, o Options, owner string) (Report, error) {
	o.Store = objects.ClassedStore{Store: o.Store}
	c := &ownerCheck{Options: o, owner: owner, jobs: job.New(o.Store, job.Options{}),
		erased: map[string]bool{}, imports: map[string]bool{}, inputs: map[string]bool{}, exports: map[string]bool{}}
	return c.run(ctx)
}

// ownerCheck is the check of one owner.
type ownerCheck struct {
	Options
	owner   string
	jobs    *job.Jobs
	found   *survey
	current state.Head
	set     state.Inputs // of the current head

	imports, inputs, exports map[string]bool // that were looked at
	erased                   map[string]bool // imports that something was erased of
}

func (c *ownerCheck) run(ctx context.Context) (Report, error) {
	r := Report{Owner: c.owner}
	c.found = newSurvey(c.Options, c.owner)
	// The head comes first: what it names is in storage before it.
	head, _, headErr := state.ReadHead(ctx, c.Store, c.owner)
	if headErr != nil && !isDamage(headErr) {
		return r, headErr
	}
	if err := c.found.run(ctx); err != nil {
		return r, err
	}
	c.current = head
	if err := c.checkHeads(ctx, headErr); err != nil {
		return r, err
	}
	if err := c.checkKeys(ctx); err != nil {
		return r, err
	}
	if err := c.checkErasures(ctx); err != nil {
		return r, err
	}
	if err := c.checkDrops(ctx); err != nil {
		return r, err
	}
	if err := c.checkJobs(ctx); err != nil {
		return r, err
	}
	r.Objects, r.Bytes = c.found.objects, c.found.bytes
	whole := !c.isWalkBroken()
	for _, key := range slices.Sorted(maps.Keys(c.found.damage)) {
		d := *c.found.damage[key]
		d.leftover = whole && d.of.namedBy == "" && strings.HasPrefix(key, "owners/")
		if d.Consequence == "" {
			d.Consequence = d.kind.consequence
		}
		d.Advice = d.kind.advice
		if d.kind.repair != nil {
			d.Advice = "`pamline fsck --repair`; if that cannot repair it, " + d.Advice
		}
		still, err := c.isStill(ctx, d)
		if err != nil {
			return r, err
		}
		if still {
			r.Damage = append(r.Damage, d)
		}
	}
	return r, nil
}

// isWalkBroken tells whether an object that names others is damaged: then it is not known what is
// needed.
func (c *ownerCheck) isWalkBroken() bool {
	for _, d := range c.found.damage {
		if d.of.namedBy != "" {
			return true
		}
	}
	return c.current.Sequence == 0
}

// isStill looks at damage again: a running service may have written or removed the object.
func (c *ownerCheck) isStill(ctx context.Context, d Damage) (bool, error) {
	if d.kind.verify == nil || d.of.namedBy != "" && c.found.has(d.Object) {
		return true, nil
	}
	_, err := d.kind.verify(ctx, c.Store, d.Object)
	if err != nil && !isDamage(err) {
		return false, err
	}
	if objects.IsMissing(err) && d.of.namedBy == "" && d.Problem != "it is missing" {
		return false, nil
	}
	return err != nil, nil
}

// withoutHint is the text of an error without the advice that follows it.
func withoutHint(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+fault.HintOf(err))
}
