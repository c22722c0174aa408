package openwebui

import (
	"context"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/openwebui/chat"
	"github.com/pamline/pamline/providers/sqlite"
)

// roleRest is what stands around a list of chats in an object.
const roleRest = "rest"

// Split gives a unit for each chat, and for each row of a database that is kept.
func (Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	found, _ := c.Context.(*claimed)
	return cut.Members(ctx, c, limits, func(u importer.Unit, yield func(importer.Unit, error) bool) bool {
		switch u.Role {
		case sqlite.RoleDatabase:
			return databaseUnits(ctx, u, found.logs[u.Member.Index], yield)
		case sqlite.RoleLog:
			return true // read with its database
		case sqlite.RoleBeside:
			return yield(u, nil)
		}
		o := cut.Options{Recognise: chat.Recognise, Rest: roleRest}
		if key := found.wrapped[u.Member.Index]; key != "" && key != "messages" {
			o.Wrappers = []string{key}
		}
		return cut.Elements(ctx, u, o, yield)
	})
}
