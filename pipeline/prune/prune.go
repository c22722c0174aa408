package prune

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
)

// removals is how many objects are removed at a time.
const removals = 16

// kinds are the kinds of objects that may be removed, by their folder, in the order of removal: the
// heads first, so that no head names an object that is not there.
var kinds = []struct{ folder, name string }{
	{"heads/", "logged heads"}, {"exports/", "exports"}, {"moments/", "moments of exports"}, {"inputs/", "input sets"},
	{"conversations/", "conversations"}, {"assets/", "files of conversations"}, {"imports/", "imports"},
	{"", archives},
}

// archives are the copies in the inbox of what was imported.
const archives = "archives"

// plan is what a prune of an owner is to remove, in the order of kinds.
type plan struct {
	head    state.Head
	objects [][]blob.Object // by kind
	report  Report
}

// Owner removes what an owner does not need any more. If an import is running, it removes nothing,
// and the report says so.
func Owner(ctx context.Context, o Options, owner string) (Report, error) {
	o.Store = objects.ClassedStore{Store: o.Store}
	jobs := job.New(o.Store, job.Options{NewID: o.NewID})
	// Where an import is running, nothing is looked at, and no mark holds up the next one.
	if err := state.CheckOwner(owner); err != nil {
		return Report{}, err
	}
	switch err := jobs.CheckIdle(ctx, owner); {
	case errors.Is(err, job.ErrBusy):
		return Report{Owner: owner, Busy: true}, nil
	case err != nil:
		return Report{Owner: owner}, fmt.Errorf("prune %s: %w", owner, err)
	}
	p, err := o.planOwner(ctx, jobs, owner)
	if err != nil || len(p.report.Removed) == 0 {
		return p.report, err
	}
	p.report.Removed = map[string]Count{}
	for kind := 0; kind < len(kinds); {
		p.head, err = jobs.Prunes().Run(ctx, owner, p.head, func(ctx context.Context) error {
			for ; kind < len(kinds); kind++ {
				if err := p.removeKind(ctx, o.Store, kind); err != nil {
					return err
				}
			}
			return nil
		})
		if errors.Is(err, job.ErrBusy) {
			p.report.Busy = true
			return p.report, nil
		}
		if err != nil {
			return p.report, fmt.Errorf("prune %s: %w", owner, err)
		}
	}
	return p.report, nil
}

// Plan says what a prune would remove, and changes nothing.
func Plan(ctx context.Context, o Options, owner string) (Report, error) {
	o.Store = objects.ClassedStore{Store: o.Store}
	p, err := o.planOwner(ctx, job.New(o.Store, job.Options{}), owner)
	return p.report, err
}

// planOwner plans the prune of an owner. An object that is missing may be one that another prune
// has removed since it was listed: when that has ended, the plan is made again, and once more for
// each head that has come since.
func (o Options) planOwner(ctx context.Context, jobs *job.Jobs, owner string) (p plan, err error) {
	for seen := int64(-1); ; seen = p.head.Sequence {
		p, err = o.planObjects(ctx, jobs, owner)
		if !objects.IsMissing(err) || p.head.Sequence == seen {
			return p, err
		}
		if err := jobs.Prunes().Await(ctx, owner); err != nil {
			return p, fmt.Errorf("wait for another prune of %s: %w", owner, err)
		}
	}
}

func (o Options) planObjects(ctx context.Context, jobs *job.Jobs, owner string) (plan, error) {
	p := plan{objects: make([][]blob.Object, len(kinds)), report: Report{Owner: owner}}
	if err := state.CheckOwner(owner); err != nil {
		return p, err
	}
	var err error
	if p.head, _, err = state.ReadHead(ctx, o.Store, owner); err != nil || p.head.Sequence == 0 {
		return p, err // without a store there is nothing that another has replaced
	}
	k := &kept{store: o.Store, owner: owner, names: map[string]bool{}, imports: map[string]bool{}, exports: map[string]bool{}}
	if err = errors.Join(k.keepJobs(ctx, jobs), k.keepHeads(ctx, p.head, o)); err != nil {
		return p, fmt.Errorf("find what is needed of %s: %w", owner, err)
	}
	p.report.Exports = len(k.exports)
	root, removed := state.OwnerKey(owner, ""), map[string]Count{}
	for object, err := range o.Store.List(ctx, root) {
		if err != nil {
			return p, fmt.Errorf("list objects of %s: %w", owner, err)
		}
		kind, needed, err := k.isNeeded(ctx, strings.TrimPrefix(object.Key, root), object)
		if err != nil {
			return p, err
		}
		if needed {
			p.report.Kept.add(object.Size)
			continue
		}
		p.objects[kind] = append(p.objects[kind], object)
		c := removed[kinds[kind].name]
		c.add(object.Size)
		removed[kinds[kind].name] = c
	}
	if o.DropOriginals {
		for object, err := range importedArchives(ctx, o.Store, jobs, owner) {
			if err != nil {
				return p, err
			}
			p.objects[len(kinds)-1] = append(p.objects[len(kinds)-1], object)
			c := removed[archives]
			c.add(object.Size)
			removed[archives] = c
		}
	}
	// Each prune logs a head: that alone is no reason for another one.
	if len(removed) > 1 || len(removed) == 1 && len(p.objects[0]) == 0 {
		p.report.Removed = removed
	}
	return p, nil
}

// isNeeded tells whether an object is kept, and the kind of one that is not.
func (k *kept) isNeeded(ctx context.Context, name string, o blob.Object) (kind int, needed bool, err error) {
	for kind, of := range kinds {
		rest, ok := strings.CutPrefix(name, of.folder)
		if !ok || of.folder == "" {
			continue
		}
		switch of.folder {
		case "exports/":
			id, _, _ := strings.Cut(rest, ".")
			return kind, k.exports[id], nil
		case "imports/":
			id, _, _ := strings.Cut(rest, "/")
			return kind, k.imports[id], nil
		case "moments/":
			export, err := publish.ReadMomentExport(ctx, k.store, o.Key)
			if errors.Is(err, objects.ErrDamaged) || fault.Of(err) == fault.Permanent {
				return kind, true, nil // a check tells of it
			}
			return kind, k.exports[export], err
		}
		return kind, k.names[o.Key], nil
	}
	return 0, true, nil
}

// removeKind removes the planned objects of a kind. What is removed leaves the plan.
func (p *plan) removeKind(ctx context.Context, s blob.Store, kind int) error {
	for list := p.objects[kind]; len(list) > 0; list = p.objects[kind] {
		n := min(len(list), removals)
		g, gctx := errgroup.WithContext(ctx)
		for _, o := range list[:n] {
			g.Go(func() error {
				if kinds[kind].name == archives {
					if err := objects.PutEmpty(gctx, s, state.RemovedMark(o.Key)); err != nil {
						return err
					}
				}
				return s.Delete(gctx, o.Key)
			})
		}
		if err := g.Wait(); err != nil {
			return fmt.Errorf("remove %s: %w", kinds[kind].name, err)
		}
		c := p.report.Removed[kinds[kind].name]
		for _, o := range list[:n] {
			c.add(o.Size)
		}
		p.report.Removed[kinds[kind].name] = c
		p.objects[kind] = list[n:]
	}
	return nil
}
