package textgen

import (
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

const roleChat = "chat"

// claimMembers takes chats by their shape; one that cannot be looked at by its name in a folder of
// logs.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	err := localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		if err != nil && fileID.MatchString(path.Base(m.Name)) && strings.Contains("/"+m.Name, "/logs/") || err == nil && isChat(s) {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleChat})
		}
	})
	return c, err
}

// isChat tells a chat from its first bytes: a list of lists, and beside it the list of the visible
// texts or, where that is too far behind, nothing else.
func isChat(s importer.Shape) bool {
	for pairs, visible := range map[string]string{"internal": "visible", "data": "data_visible"} {
		if s.Top != '{' || !s.Has(pairs+"[") || s.Wrapper != "" {
			continue
		}
		switch {
		case s.Has(visible + "["):
			return s.Has(pairs+"[][") || !s.Has(pairs+"[]")
		case s.Has(pairs + "[]["):
			return pairs == "internal" && len(s.Root) == 1
		}
	}
	return false
}
