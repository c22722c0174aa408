package grok

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// backendFile is what Grok calls the file with the conversations. The name decides only where the
// content cannot be seen.
const backendFile = "prod-grok-backend.json"

// joined is what Decode knows of the other members.
type joined struct {
	assets map[string]archive.Member // by the id that the provider gives them
}

// find gives the member that a response names: by its id, or by an address with the id in it.
func (j *joined) find(name string) (archive.Member, bool) {
	if j == nil || name == "" {
		return archive.Member{}, false
	}
	for part := range strings.SplitSeq(name, "/") {
		if m, ok := j.assets[part]; ok {
			return m, true
		}
	}
	return archive.Member{}, false
}

// place is where a record stands in its member, as a JSON pointer. It is the Context of the units
// of records.
type place string

// claimMembers takes the members that hold conversations, then what belongs to them: files, and the
// two files about the account, which are counted. What a person uploaded may look like an export
// itself; it lies in the folder of the files.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	roles := make([]string, len(members))
	j := &joined{assets: map[string]archive.Member{}}
	found := false
	for i, m := range members {
		if id, ok := assetID(m.Name); ok {
			roles[i] = importer.RoleAsset
			if _, twice := j.assets[id]; !twice && id != "" {
				j.assets[id] = m
			}
			continue
		}
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		roles[i] = recognizeMember(path.Base(m.Name), s, err != nil)
		found = found || roles[i] == roleConversations
	}
	for i, m := range members {
		switch {
		case roles[i] == "":
		case found:
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roles[i]})
		case roles[i] == roleAuth:
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "sign-ins of a Grok account, which are never read; the conversations are in " + backendFile})
		case roles[i] == roleBilling:
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: "balances of a Grok account, which are never read; the conversations are in " + backendFile})
		}
	}
	c.Context = j
	return c, nil
}

func recognizeMember(base string, s importer.Shape, unreadable bool) string {
	switch {
	case isExport(s):
		return roleConversations
	case base == backendFile && (unreadable || s.Top == '{' && !s.Empty):
		return roleConversations // Split reports what is wrong with it
	case s.Root["balance_map"] == '{' && len(s.Root) == 1:
		return roleBilling
	case strings.HasPrefix(base, "prod-mc-billing") && (unreadable || s.Top == '{'):
		return roleBilling
	case strings.HasPrefix(base, "prod-mc-auth-mgmt-api") && (unreadable || s.Top == '{' || s.Top == '['):
		return roleAuth
	case s.Root["user"] == '{' && s.Root["sessions"] == '[':
		return roleAuth
	}
	return ""
}

// isExport tells whether a shape is that of an export: elements with a conversation and its
// responses, or the lists of a root object, all of which may be empty.
func isExport(s importer.Shape) bool {
	for _, keys := range slices.Concat(s.Objects, []map[string]byte{s.Root}) { // shapes are shared
		if isItem(keys) && (s.Wrapper == "" || s.Wrapper == "conversations" || isItem(s.Root)) {
			return true
		}
	}
	if s.At([]string{"conversations[].", "[].", ""}, "responses[].response{") {
		return true
	}
	if _, ok := s.Root["conversations"]; !ok {
		return false
	}
	if s.Has("conversations[].conversation") {
		return true
	}
	n := 0
	for key := range lists {
		if s.Root[key] == '[' {
			n++
		}
	}
	// Elements that are something else make it somebody else's.
	return n >= 3 && !s.Has("conversations[]")
}

// isItem tells whether an object is an element of the list of conversations.
func isItem(keys map[string]byte) bool {
	c, ok := keys["conversation"]
	r, ok2 := keys["responses"]
	return ok && ok2 && (c == '{' || c == 'n' || c == 0) && (r == '[' || r == 'n' || r == 0)
}

// assetID tells whether a name is that of a file of the bundle, and gives the id under which
// responses know it, "" for none: <folder>/prod-mc-asset-server/<id>/content, a picture of the
// person, or a picture of a canvas.
func assetID(name string) (id string, ok bool) {
	parts := strings.Split(name, "/")
	last := len(parts) - 1
	for i, p := range parts[:last] {
		switch p {
		case "prod-mc-asset-server":
			return parts[i+1], true
		case "canvas_thumbnails":
			return "", true
		}
	}
	if last >= 1 && parts[last] == "content" && isUUID(parts[last-1]) {
		return parts[last-1], true
	}
	stem := strings.TrimSuffix(parts[last], path.Ext(parts[last]))
	if who, cut := strings.CutSuffix(stem, "-profile-picture"); cut && isUUID(who) {
		return "", true
	}
	return "", false
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}
