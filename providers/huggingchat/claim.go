package huggingchat

import (
	"context"
	"path"
	"regexp"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Roles of members.
const (
	roleConversations = "conversations"
	roleAssistants    = "assistants"
)

// asset is the name that the export gives files and the pictures of assistants.
var asset = regexp.MustCompile(`^(file-[0-9a-f]{24}-|avatar-[0-9a-f]{24}\.)`)

// claimMembers takes conversations and assistants by their shape, and the files of messages beside
// them.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	taken := map[int]bool{}
	err := localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		if err != nil {
			return // other providers have files of these names, too
		}
		role := roleConversations
		switch {
		case isConversation(s):
		case isAssistant(s):
			role = roleAssistants
		default:
			return
		}
		taken[m.Index] = true
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: role})
	})
	if err != nil || len(taken) == 0 {
		return importer.Claim{}, err
	}
	files := localapp.Files{}
	for _, m := range members {
		if !taken[m.Index] && asset.MatchString(path.Base(m.Name)) {
			files.Add(m)
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: importer.RoleAsset})
		}
	}
	c.Context = files
	return c, nil
}

// isConversation tells conversations from their first bytes; those without messages by the fields
// of the database.
func isConversation(s importer.Shape) bool {
	at := []string{"", "[]."}
	return s.At(at, `_id"`, "title", "messages[", `messages[].from"`, "messages[].content") ||
		s.At(at, `_id"`, `model"`, "messages[", "userId") || s.At(at, `_id"`, `model"`, "messages[", "sessionId")
}

func isAssistant(s importer.Shape) bool {
	return s.At([]string{"", "[]."}, `_id"`, "modelId", "preprompt", "createdById")
}
