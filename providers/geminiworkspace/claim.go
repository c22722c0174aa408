package geminiworkspace

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strconv"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// The roles of members.
const (
	roleConversation = "conversation"
	rolePage         = "page"
)

// The names of files, from which ids and links are read.
var (
	conversationName = regexp.MustCompile(`^conversation_(\d+)\b`)
	imageName        = regexp.MustCompile(`^conversation_(\d+)_turn_(\d+)_images?_(\d+)\b`)
	ownName          = regexp.MustCompile(`^conversation_\d+( ?\(\d+\))?\.txt$`)
)

// turnImages are the images of a turn in the order of their numbers.
type turnImages []numbered

type numbered struct {
	number int
	member archive.Member
}

// images are the images beside conversations, by folder, conversation and turn.
type images map[string]turnImages

func imageKey(dir, conversation, turn string) string {
	return dir + "\x00" + conversation + "\x00" + turn
}

// claimMembers takes conversations by their content, with the images that are named after them.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	beside := images{}
	dirs := map[string]bool{}
	for _, m := range members {
		base := path.Base(m.Name)
		s, err := peek.Shape(ctx, m)
		var prefix []byte
		if err == nil && s.Top == '<' {
			prefix, err = peek.Prefix(ctx, m)
		}
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		switch {
		case err != nil && !ownName.MatchString(base):
		case err != nil || isConversation(s):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleConversation})
			dirs[path.Dir(m.Name)] = true
		case isPage(base, prefix):
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: rolePage})
		}
	}
	for _, m := range members {
		g := imageName.FindStringSubmatch(path.Base(m.Name))
		dir := path.Dir(m.Name)
		if g == nil || !dirs[dir] {
			continue
		}
		n, err := strconv.Atoi(g[3])
		if err != nil {
			continue
		}
		c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: importer.RoleAsset})
		key := imageKey(dir, g[1], g[2])
		beside[key] = append(beside[key], numbered{n, m})
	}
	for _, list := range beside {
		slices.SortStableFunc(list, func(a, b numbered) int { return a.number - b.number })
	}
	c.Context = beside
	return c, nil
}

// isConversation tells whether the first bytes of a file are those of a conversation. Its turns may
// lie behind them.
func isConversation(s importer.Shape) bool {
	return s.Top == '{' && !s.Lines && (s.Has("conversation_turns[") || s.Has("title") && s.Has(`creation_time"`) && s.Has(`last_modification_time"`))
}
