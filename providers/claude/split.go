package claude

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// splitMember yields the units of one member: one for each conversation, project and account, one
// for each memory or set of memories, one for each file that is only counted.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	j, _ := u.Context.(*joined)
	var o cut.Options
	switch u.Role {
	case roleChats:
		o.Recognize = hasConversations
		if j != nil && j.wrapped[u.Member.Index] {
			o.Wrappers, o.Rest = []string{"conversations"}, roleRest
		}
	case roleDesigns:
		o.Recognize = hasDesigns
	case roleProjects:
		o.Recognize = hasProject
	case roleMemories, roleAccount, roleManifest:
	default:
		return yield(u, nil)
	}
	return cut.Elements(ctx, u, o, yield)
}

// splitRest yields a unit for what is missing.
func splitRest(_ context.Context, c importer.Claim, limits importer.Limits, yield func(importer.Unit, error) bool) {
	if j, _ := c.Context.(*joined); j != nil && len(j.missing) > 0 {
		yield(importer.Unit{Member: j.manifest.member, Role: roleReport, Context: j, Limits: limits}, nil)
	}
}
