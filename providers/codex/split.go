package codex

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split yields a unit for each log, with all its lines, one for each line of it that is broken, and
// one for each other file.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	passed, _ := c.Context.(map[int]importer.Skip)
	return cut.Members(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
		u.Context = nil
		switch u.Role {
		case roleLines:
			return cut.Lines(ctx, u, yield)
		case roleCounted:
			return cut.Counted(ctx, u, passed[u.Member.Index], yield)
		}
		return cut.Text(ctx, u, yield)
	})
}
