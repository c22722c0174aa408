package deepseek

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split gives a unit for each conversation, and one for the account.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		limits = limits.WithDefaults()
		for _, m := range c.Members {
			u := importer.Unit{Member: m.Member, Role: m.Role, Context: c.Context, Limits: limits}
			var more bool
			if m.Role == roleUser {
				u.Limits.MaxConversation = limits.MaxSidecar
				more = cut.File(ctx, u, yield)
			} else {
				more = cut.Elements(ctx, u, cut.Options{Recognise: isConversation}, yield)
			}
			if !more {
				return
			}
		}
	}
}
