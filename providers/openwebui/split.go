package openwebui

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/openwebui/chat"
	"github.com/pamline/pamline/providers/sqlite"
)

// roleRest is what stands around a list of chats in an object.
const roleRest = "rest"

// splitMember gives a unit for each chat, and for each row of a database that is kept.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	found, _ := u.Context.(*claimed)
	if u.Role != roleExport {
		return sqlite.Split(ctx, u, found.logs, yield, databaseUnits)
	}
	o := cut.Options{Recognize: chat.Recognize, Rest: roleRest}
	if key := found.wrapped[u.Member.Index]; key != "" && key != "messages" {
		o.Wrappers = []string{key}
	}
	return cut.Elements(ctx, u, o, yield)
}
