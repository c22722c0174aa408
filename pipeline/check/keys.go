package check

import (
	"context"

	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/pipeline/objects"
)

// checkKeys looks at the data keys of the owner, if the store is encrypted.
func (c *ownerCheck) checkKeys(ctx context.Context) error {
	s := sealed.Of(c.Store)
	if s == nil {
		return nil
	}
	wrong, err := s.Keys().Check(ctx, c.owner)
	if err != nil {
		return err
	}
	for key, err := range wrong {
		d := &Damage{Object: key, Problem: withoutHint(err), kind: kindKeys}
		if objects.IsMissing(err) {
			d.Problem = "it is missing"
		}
		c.found.damage[key] = d
	}
	return nil
}

// repairKeys writes the keys again from the file or the copy that is whole.
func (r *repairer) repairKeys(ctx context.Context, _ Damage) error {
	s := sealed.Of(r.Store)
	if s == nil {
		return errNotDerived
	}
	return s.Keys().Mend(ctx, r.owner)
}
