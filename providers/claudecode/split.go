package claudecode

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split yields a unit for each log, with all its lines, one for each line of it that is broken, and one for each other
// file.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		limits = limits.WithDefaults()
		passed, _ := c.Context.(map[int]importer.Skip)
		for _, m := range c.Members {
			u := importer.Unit{Member: m.Member, Role: m.Role, Limits: limits}
			var more bool
			switch m.Role {
			case roleSession:
				more = cut.Lines(ctx, u, yield)
			case roleCounted:
				more = count(ctx, u, passed[m.Member.Index], yield)
			default:
				more = cut.File(ctx, u, yield)
			}
			if !more {
				return
			}
		}
	}
}

// count yields a unit for a file that is counted, whose context is the account of it. Count is 0 where lines are counted.
func count(ctx context.Context, u importer.Unit, s importer.Skip, yield func(importer.Unit, error) bool) bool {
	if s.Count == 0 {
		n, err := cut.CountLines(ctx, u.Member)
		if ctx.Err() != nil {
			return yield(importer.Unit{}, ctx.Err())
		}
		if err != nil {
			u.Err = &importer.UnitError{Member: u.Member.Name, Code: cut.CodeUnread, Reason: "the file cannot be read to its end: " + err.Error()}
			return yield(u, nil)
		}
		s.Count = max(n, 1)
	}
	u.Context = s
	return yield(u, nil)
}
