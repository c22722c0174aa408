package localapp

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Lines reads a log of JSON Lines that is one conversation as one JSON array, see [cut.Lines]. What
// is wrong with it goes to yield, and raw is nil when nothing is left. levels is how many levels of
// JSON will be put around the array. It tells whether to go on.
func Lines(ctx context.Context, u importer.Unit, levels int, yield func(importer.Unit, error) bool) (raw []byte, more bool) {
	u.Limits.MaxDepth -= levels
	more = cut.Lines(ctx, u, func(unit importer.Unit, err error) bool {
		if err != nil || unit.Err != nil {
			return yield(unit, err)
		}
		raw = unit.Raw
		return true
	})
	return raw, more
}
