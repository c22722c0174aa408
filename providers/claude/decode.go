package claude

import (
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// counted are members that are known and not read.
var counted = map[string]struct{ code, reason string }{
	roleManifest: {"manifest", "the list of the archives was compared with the drop and is not kept: it holds links to download the export"},
	roleArtifact: {"artifact", "what is noted of a published artifact is not kept; its pages are copied"},
	roleComments: {"artifact-comments", "comments on a published artifact are not kept: other people write them"},
	roleLogins:   {"login-history", "the login history is not read: it has addresses and devices, and says nothing of conversations"},
	roleFeedback: {"reflections", "reflections are not read: their form is not known, and they are no conversations"},
}

// decodeUnit turns a unit into items.
func decodeUnit(u importer.Unit) ([]importer.Item, error) {
	switch u.Role {
	case roleChats:
		return decodeChat(u)
	case roleDesigns:
		return decodeDesign(u)
	case roleProjects:
		return decodeProject(u)
	case roleMemories:
		return decodeMemories(u)
	case roleAccount:
		return decodeAccount(u)
	case roleRest:
		return decodeRest(u)
	case roleReport:
		return missingParts(joinedOf(u)), nil
	case roleManifest:
		if _, err := lossless.Parse(u); err != nil {
			return nil, err
		}
	}
	c, ok := counted[u.Role]
	if !ok {
		return nil, lossless.Fail(u, "unknown_role", "the unit has a role that this importer does not give")
	}
	return []importer.Item{{Skip: &importer.Skip{Code: c.code, Reason: c.reason, Count: 1}}}, nil
}

// decodeRest keeps what stands around a wrapped list of conversations.
func decodeRest(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	return records(record(u, importer.RecordSetting, "", src.Root)), nil
}

// pointer is where the element of a unit stands in its member.
func pointer(u importer.Unit) string {
	j := joinedOf(u)
	index := "/" + strconv.Itoa(u.Index)
	switch {
	case j.wrapped[u.Member.Index]:
		return "/conversations" + index
	case j.listed[u.Member.Index]:
		return index
	}
	return ""
}

// record starts a record of a value that stands below the element of a unit.
func record(u importer.Unit, kind, below string, n jsonscan.Node) *importer.Record {
	at := pointer(u) + below
	if u.Role == roleRest {
		at = ""
	}
	return &importer.Record{Kind: kind, Provider: provider, Pointer: at, AccountID: joinedOf(u).onlyAccount(), Raw: n.AppendCompact(nil)}
}

func records(list ...*importer.Record) []importer.Item {
	items := make([]importer.Item, len(list))
	for i, r := range list {
		items[i].Record = r
	}
	return items
}

// when is a time as records have it, "" for none.
func when(n jsonscan.Node) string {
	t, ok := lossless.ReadTime(n)
	if !ok || t == normalize.Epoch {
		return ""
	}
	return t.String()
}

// child is the pointer to a key.
func child(key string) string { return "/" + normalize.EscapePointer(key) }

// without is an object without some of its values.
func without(n jsonscan.Node, gone []jsonscan.Node) (rest pamio.RawJSON, leaves int) {
	var t normalize.Taken
	t.Reset()
	for _, g := range gone {
		t.Take(g)
	}
	rest = t.AppendResidual(nil, n, &leaves)
	return rest, leaves
}
