package mistral

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split gives a unit for each chat: the whole file, for its messages stand in no order.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return cut.Texts(ctx, c, limits)
}
