package deepseek

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// splitMember gives a unit for each conversation, and one for the account.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	if u.Role == roleUser {
		u.Limits.MaxConversation = u.Limits.MaxSidecar
		return cut.Text(ctx, u, yield)
	}
	return cut.Elements(ctx, u, cut.Options{Recognize: isConversation}, yield)
}
