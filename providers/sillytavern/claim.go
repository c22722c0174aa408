package sillytavern

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Roles of members.
const (
	roleChat  = "chat"
	roleGroup = "group"
)

// sidecars are the names of groups by the names of their chats, and the files of messages.
type sidecars struct {
	groups map[string]string
	files  localapp.Files
}

// claimMembers takes chats and groups by their shape, and the files in user/ beside the folders of
// chats.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	side := &sidecars{groups: map[string]string{}, files: localapp.Files{}}
	roots := map[string]bool{}
	taken := map[int]bool{}
	err := localapp.LookInto(ctx, members, peek, isObject, func(m archive.Member, s importer.Shape, prefix []byte, err error) {
		if err != nil {
			return // SillyTavern gives its files no name of their own
		}
		var role string
		switch {
		case isChat(s) || s.Top == '{' && !s.Lines && isChat(behindFirstLine(prefix)):
			role = roleChat
			for _, folder := range []string{"chats/", "group chats/"} {
				if i := strings.LastIndex("/"+m.Name, "/"+folder); i >= 0 {
					roots[m.Name[:i]+"user/"] = true
				}
			}
		case s.Has("members[") && s.Has("chats[") && s.Has("activation_strategy"):
			role = roleGroup
			group := localapp.First(prefix)
			for chat := range group.Get("chats").Items() {
				side.groups[chat.Str()] = group.Get("name").Str()
			}
		default:
			return
		}
		taken[m.Index] = true
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: role})
	})
	if err != nil {
		return importer.Claim{}, err
	}
	for _, m := range members {
		i := strings.LastIndex("/"+m.Name, "/user/")
		if i < 0 || taken[m.Index] || !roots[m.Name[:i]+"user/"] {
			continue
		}
		side.files.Add(m)
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: importer.RoleAsset})
	}
	c.Context = side
	return c, nil
}

// isObject: of an object, which may be a group or the only line that a broken one leaves, more than
// the shape is needed.
func isObject(s importer.Shape) bool { return s.Top == '{' && !s.Lines }

// isChat tells a chat from its first lines.
func isChat(s importer.Shape) bool {
	if s.Top != '{' {
		return false
	}
	at := []string{"", "[]."}
	return s.At(at, `mes"`, "is_user", "name") ||
		s.At(at, `user_name"`, `character_name"`, "chat_metadata{") || s.At(at, `user_name"`, `character_name"`, "create_date")
}

// behindFirstLine is the shape of a file whose first line is broken.
func behindFirstLine(prefix []byte) importer.Shape {
	_, rest, _ := bytes.Cut(prefix, []byte{'\n'})
	return importer.Sniff(rest)
}

// chatName is the name of a chat: that of its file without its ending.
func chatName(member string) string { return strings.TrimSuffix(path.Base(member), ".jsonl") }
