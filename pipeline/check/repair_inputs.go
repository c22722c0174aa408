package check

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
)

// repairInputs makes an input set again: that of the current head of everything that was ever
// accepted; that of another head of the set before it and one generation more. It is written only
// if it has the digest that is lost.
func (r *repairer) repairInputs(ctx context.Context, d Damage) error {
	over, discard, err := replay.Overlay(r.Store, r.Publish.Scratch)
	if err != nil {
		return err
	}
	m := &setMaker{repairer: r, over: objects.ClassedStore{Store: over}}
	return errors.Join(m.make(ctx, strings.TrimSuffix(path.Base(d.Object), ".json")), discard())
}

// make makes the set of a digest, or the current set, of which that is a bucket.
func (m *setMaker) make(ctx context.Context, digest string) error {
	events, err := m.events(ctx)
	if err != nil {
		return err
	}
	current, _, err := state.ReadHead(ctx, m.Store, m.owner)
	if err != nil {
		return err
	}
	if !m.done["inputs"] {
		m.done["inputs"] = true
		if _, err := m.try(ctx, state.NewInputs(), events, current.Inputs); err != nil {
			return err
		}
	}
	if made, err := objects.IsWhole(ctx, m.Store, state.InputsKey(m.owner, digest), ""); err != nil || made {
		return err
	}
	base := state.NewInputs()
	for o, err := range m.Store.List(ctx, state.OwnerKey(m.owner, "heads/")) {
		if err != nil {
			return err
		}
		var h state.Head
		if _, err := objects.ReadJSON(ctx, m.Store, o.Key, &h); err != nil {
			continue // it is damage of its own
		}
		if h.Inputs == digest {
			return m.tryNext(ctx, base, events, digest)
		}
		if in, err := state.ReadInputs(ctx, m.Store, m.owner, h); err == nil {
			base = in
		}
	}
	return errNotDerived
}

// tryNext tries each generation that may have followed a set.
func (m *setMaker) tryNext(ctx context.Context, base state.Inputs, events []event, digest string) error {
	for _, e := range events {
		if e.gen <= base.Drops[e.drop].Gen {
			continue
		}
		if made, err := m.try(ctx, base, []event{e}, digest); err != nil || made {
			return err
		}
	}
	return errNotDerived
}

// try writes the set that follows a set after some events, if it has the digest.
func (m *setMaker) try(ctx context.Context, base state.Inputs, events []event, digest string) (made bool, err error) {
	in := base.Clone()
	for _, e := range events {
		e.enter(&in)
	}
	if err := m.addContents(ctx, in); err != nil {
		return false, err
	}
	packed, err := in.Pack()
	if err != nil || packed.Digest != digest {
		return false, err
	}
	return true, packed.Repair(ctx, m.Store, m.owner)
}

// importsOf gives the imports of a set.
func importsOf(in state.Inputs) (ids []string) {
	for drop, e := range in.Drops {
		ids = append(append(ids, in.Past[drop]...), e.Import)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	slices.Sort(ids)
	return slices.Compact(ids)
}
