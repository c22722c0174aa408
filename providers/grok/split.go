package grok

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// splitMember gives a unit for each element of each list, one for what stands around the lists, and
// one for a member that is never read. An export without anything in it gives a unit that says so.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	if u.Role == roleConversations {
		return splitExport(ctx, u, yield)
	}
	return yield(u, nil)
}

func splitExport(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	o := cut.Options{
		Wrappers: slices.Sorted(maps.Keys(lists)), Roles: lists, Rest: roleRest,
		Recognize: func(prefix []byte) bool { return isItem(importer.Sniff(prefix).Root) },
	}
	units := 0
	next := map[string]int{}
	more := cut.Elements(ctx, u, o, func(got importer.Unit, err error) bool {
		units++
		if key := listOf(got.Role); key != "" && got.Err == nil {
			got.Context = place("/" + key + "/" + strconv.Itoa(next[key]))
			next[key]++
		}
		return yield(got, err)
	})
	if more && units == 0 {
		u.Role = roleEmpty
		return yield(u, nil)
	}
	return more
}

// listOf is the key of the list whose elements have a role, "" for conversations and what is no
// element.
func listOf(role string) string {
	for key, r := range lists {
		if r == role && role != roleConversations {
			return key
		}
	}
	return ""
}
