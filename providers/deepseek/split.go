package deepseek

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split gives a unit for each conversation, and one for the account.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return cut.Members(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
		if u.Role == roleUser {
			u.Limits.MaxConversation = u.Limits.MaxSidecar
			return cut.Text(ctx, u, yield)
		}
		return cut.Elements(ctx, u, cut.Options{Recognise: isConversation}, yield)
	})
}
