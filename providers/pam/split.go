package pam

import (
	"context"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// splitMember gives a unit for each element of a store and of embeddings, and for each conversation.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	switch u.Role {
	case roleStore:
		return collections(ctx, u, yield, memories, relations, indexed)
	case roleSums:
		return true
	case roleEmbeddings:
		return collections(ctx, u, yield, embeddings)
	}
	return cut.Text(ctx, u, func(one importer.Unit, err error) bool {
		one.Index = u.Context.(*joined).positions[u.Member.Name]
		return yield(one, err)
	})
}

// collections yields the elements of arrays, each with its place in its array.
func collections(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool, keys ...string) bool {
	o := cut.Options{Wrappers: keys, Roles: map[string]string{}, Rest: roleRest}
	for _, k := range keys {
		o.Roles[k] = k
	}
	seen := map[string]int{}
	return cut.Elements(ctx, u, o, func(one importer.Unit, err error) bool {
		if one.Role == roleRest {
			return true // the header was read by Claim
		}
		one.Index = seen[one.Role]
		seen[one.Role]++
		return yield(one, err)
	})
}

// roleRest is what stands around the collections.
const roleRest = "rest"
