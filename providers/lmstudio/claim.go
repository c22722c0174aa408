package lmstudio

import (
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

const roleConversation = "conversation"

// uploads is the folder beside "conversations" that has the files of messages.
const uploads = "user-files"

// claimMembers takes conversations by their shape, and the files in the folders of uploads beside
// them.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	files := localapp.Files{}
	roots := map[string]bool{}
	taken := map[int]bool{}
	err := localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		if err != nil && fileID.MatchString(path.Base(m.Name)) || err == nil && isConversation(s) {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleConversation})
			taken[m.Index] = true
			if i := strings.LastIndex("/"+m.Name, "/conversations/"); i >= 0 {
				roots[m.Name[:i]+uploads+"/"] = true
			}
		}
	})
	if err != nil {
		return importer.Claim{}, err
	}
	for _, m := range members {
		i := strings.LastIndex("/"+m.Name, "/"+uploads+"/")
		if i < 0 || taken[m.Index] || !roots[m.Name[:i]+uploads+"/"] {
			continue
		}
		files.Add(m)
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: importer.RoleAsset})
	}
	c.Context = files
	return c, nil
}

// isConversation tells a conversation from its first bytes, an empty one by the settings that only
// LM Studio has.
func isConversation(s importer.Shape) bool {
	if s.Top != '{' || !s.Has("messages[") {
		return false
	}
	if s.Has("messages[].versions[") && (s.Has("messages[].currentlySelected") || s.Has(`messages[].versions[].type"`)) {
		return true
	}
	return s.Has("createdAt") && (s.Has("usePerChatPredictionConfig") || s.Has("perChatPredictionConfig{"))
}
