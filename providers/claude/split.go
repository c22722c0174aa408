package claude

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split cuts the claimed members into units, in the order of the archive: one for each
// conversation, project and account, one for each memory or set of memories, one for each file that
// is only counted, and a last one for what is missing.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		limits = limits.WithDefaults()
		j, _ := c.Context.(*joined)
		for _, m := range c.Members {
			u := importer.Unit{Member: m.Member, Role: m.Role, Context: j, Limits: limits}
			if !splitMember(ctx, u, j, yield) {
				return
			}
		}
		if j != nil && len(j.missing) > 0 {
			yield(importer.Unit{Member: j.manifest.member, Role: roleReport, Context: j, Limits: limits}, nil)
		}
	}
}

// splitMember yields the units of one member. It tells whether to go on.
func splitMember(ctx context.Context, u importer.Unit, j *joined, yield func(importer.Unit, error) bool) bool {
	var o cut.Options
	switch u.Role {
	case rolePageAsset:
		return true
	case roleChats:
		o.Recognise = hasConversations
		if j != nil && j.wrapped[u.Member.Index] {
			o.Wrappers, o.Rest = []string{"conversations"}, roleRest
		}
	case roleDesigns:
		o.Recognise = hasDesigns
	case roleProjects:
		o.Recognise = hasProject
	case roleMemories, roleAccount, roleManifest:
	default:
		return yield(u, nil)
	}
	return cut.Elements(ctx, u, o, yield)
}
