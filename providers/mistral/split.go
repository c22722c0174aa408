package mistral

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split gives a unit for each chat: the whole file, for its messages stand in no order.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		limits = limits.WithDefaults()
		for _, m := range c.Members {
			if m.Role == importer.RoleAsset {
				continue
			}
			if !cut.File(ctx, importer.Unit{Member: m.Member, Role: m.Role, Context: c.Context, Limits: limits}, yield) {
				return
			}
		}
	}
}
