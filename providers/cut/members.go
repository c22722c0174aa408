package cut

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/importer"
)

// Members yields the units of all claimed members but files and refused ones, in the order of the
// claim, as split makes them of a unit with the member, its role, the claim's context and the
// limits in it. split tells whether to go on.
func Members(ctx context.Context, c importer.Claim, limits importer.Limits, split Splitter) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		for _, m := range c.Members {
			if m.Role == importer.RoleAsset || m.Role == importer.RoleRefused {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(importer.Unit{}, err)
				return
			}
			u := importer.Unit{Member: m.Member, Role: m.Role, Context: c.Context, Limits: limits.WithDefaults()}
			if !split(ctx, u, yield) {
				return
			}
		}
	}
}
