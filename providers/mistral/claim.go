package mistral

import (
	"context"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// joined is what Decode knows of the other members: the files of each chat by their names. Archives
// made on a Mac write letters with marks as two characters, so names are compared in composed form.
type joined struct {
	files map[string]map[string]archive.Member // by the path of the folder
}

// filesFolder is the folder with the files of the chat in a member.
func filesFolder(member string) string {
	stem := strings.TrimSuffix(path.Base(member), ".json")
	if id := chatInName(member); id != "" {
		stem = "chat-" + id
	}
	return path.Join(path.Dir(member), stem+"-files")
}

// filesOf gives the files beside a chat, by name as messages have it.
func filesOf(u importer.Unit) map[string]archive.Member {
	j, _ := u.Context.(*joined)
	if j == nil {
		return nil
	}
	return j.files[filesFolder(u.Member.Name)]
}

// claimMembers takes the members that are lists of Le Chat's messages, and the files beside each.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	j := &joined{files: map[string]map[string]archive.Member{}}
	roles := make([]string, len(members))
	found := false
	for i, m := range members {
		if inFiles(m.Name) {
			continue // what a person attached may be a chat itself
		}
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		switch {
		case isChat(s):
			found = true
			roles[i] = roleChat
		case chatInName(m.Name) != "" && (err != nil || s.Top == '[' && s.Empty):
			roles[i] = roleChat // broken, which Split reports, or without messages
		}
		if roles[i] == roleChat {
			j.files[filesFolder(m.Name)] = map[string]archive.Member{}
		}
	}
	if !found {
		return c, nil
	}
	for i, m := range members {
		if folder, ok := j.files[path.Dir(m.Name)]; ok && roles[i] == "" {
			roles[i] = importer.RoleAsset
			name := path.Base(m.Name)
			for _, n := range []string{name, norm.NFC.String(name), norm.NFD.String(name)} {
				if _, twice := folder[n]; !twice {
					folder[n] = m
				}
			}
		}
		if roles[i] != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roles[i]})
		}
	}
	c.Context = j
	return c, nil
}

// inFiles tells whether a member lies in the folder of a chat's files.
func inFiles(name string) bool {
	folder := path.Base(path.Dir(name))
	stem, ok := strings.CutSuffix(folder, "-files")
	return ok && chatInName(stem+".json") != ""
}

// isChat tells whether a shape is that of a list of messages.
func isChat(s importer.Shape) bool {
	if s.Top != '[' {
		return false
	}
	for _, keys := range s.Objects {
		_, chat := keys["chatId"]
		_, role := keys["role"]
		_, chunks := keys["contentChunks"]
		_, created := keys["createdAt"]
		if chat && role && (chunks || created) {
			return true
		}
	}
	// The first message may be longer than what is looked at.
	return s.Has("[].chatId") && s.Has("[].version") && s.Has("[].content")
}
