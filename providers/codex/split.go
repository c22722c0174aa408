package codex

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// splitMember yields a unit for each log, with all its lines, one for each line of it that is broken, and
// one for each other file.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	passed, _ := u.Context.(map[int]importer.Skip)
	u.Context = nil
	switch u.Role {
	case roleLines:
		return cut.Lines(ctx, u, yield)
	case roleCounted:
		return cut.Counted(ctx, u, passed[u.Member.Index], yield)
	}
	return cut.Text(ctx, u, yield)
}
