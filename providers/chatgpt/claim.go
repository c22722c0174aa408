package chatgpt

import (
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// Claim recognises conversations by their content, wherever they lie and whatever they are called; then the sidecars and
// files that belong to them. Without conversations nothing is claimed.
func (imp Importer) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	role := make([]string, len(members))
	shapes := make([]importer.Shape, len(members))
	look := func(want func(archive.Member) bool) error {
		for i, m := range members {
			if role[i] != "" || shapes[i].Top != 0 || !want(m) {
				continue
			}
			prefix, err := peek(ctx, m)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				if shardName.MatchString(path.Base(m.Name)) {
					role[i] = roleConversations // Split reports what is wrong with it
				}
				continue
			}
			shapes[i] = sniff(prefix)
			switch {
			case holdsConversations(shapes[i]):
				role[i] = roleConversations
			case !imp.old && holdsTasks(prefix):
				role[i] = roleTasks
			}
		}
		return nil
	}
	if err := look(func(m archive.Member) bool { return !looksBinary(m.Name) }); err != nil {
		return c, err
	}
	if !contains(role, roleConversations) {
		if err := look(func(archive.Member) bool { return true }); err != nil {
			return c, err
		}
	}
	if err := claimPages(ctx, members, role, shapes); err != nil {
		return c, err
	}
	if !contains(role, roleConversations) && !contains(role, rolePage) && !contains(role, roleTasks) {
		return c, nil
	}
	asset := imp.assetRole()
	// What the person uploaded may be an export of its own, or look like a sidecar. It is a file of a conversation.
	byFolder := false
	for i, m := range members {
		byFolder = byFolder || (role[i] == roleConversations || role[i] == rolePage) && !isAsset(m.Name, true)
	}
	for i, m := range members {
		if byFolder && isAsset(m.Name, true) {
			role[i] = asset
		}
	}
	j := newJoined()
	j.old = imp.old
	for i, m := range members {
		base := strings.ToLower(path.Base(m.Name))
		_, named := sidecarNames[base]
		switch {
		case role[i] == roleConversations:
			j.conversations++
			if shapes[i].Wrapper != "" {
				j.wrapped[m.Index] = true
			}
		case role[i] != "":
		case shapes[i].Top == '[' || shapes[i].Top == '{':
			kind := sidecarKind(base, shapes[i])
			if kind == "" && !named && !shardName.MatchString(base) && path.Base(path.Dir(m.Name)) != "sites" {
				if isAsset(m.Name, byFolder) {
					role[i] = asset
				}
				continue
			}
			if !imp.old && kind == "" && keptNames[base] && !shapes[i].Empty {
				role[i] = roleRecord
				continue
			}
			role[i] = roleSidecar
			if err := j.read(ctx, m, kind, shapes[i], limits); err != nil {
				return c, err
			}
			if _, unread := j.notes[m.Index]; !imp.old && (kind == "library" || kind == "names") && !unread && !shapes[i].Empty {
				role[i] = roleRecord // not all that these lists say has a place in conversations
			}
		case named:
			role[i] = roleSidecar
			j.notes[m.Index] = note{"sidecar-unreadable", "the file is not JSON", 1}
		case isAsset(m.Name, byFolder):
			role[i] = asset
		}
	}
	if !imp.old {
		if err := j.findAssets(ctx, members, role, limits); err != nil {
			return c, err
		}
	}
	for i, m := range members {
		if role[i] != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: role[i]})
		}
		if role[i] == asset {
			j.assets++
		}
	}
	j.checkManifest(members)
	c.Context = j
	return c, nil
}

// assetRole is the role of a file of a conversation.
func (imp Importer) assetRole() string {
	if imp.old {
		return roleFile
	}
	return importer.RoleAsset
}

func contains(roles []string, want string) bool {
	for _, r := range roles {
		if r == want {
			return true
		}
	}
	return false
}

// binaryEndings are names that are looked at only when nothing else is recognised.
var binaryEndings = []string{".png", ".jpg", ".jpeg", ".webp", ".gif", ".heic", ".wav", ".mp3", ".m4a", ".ogg", ".mp4", ".mov", ".webm", ".pdf", ".docx", ".xlsx", ".pptx", ".zip", ".dat", ".csv"}

func looksBinary(name string) bool {
	name = strings.ToLower(name)
	for _, e := range binaryEndings {
		if strings.HasSuffix(name, e) {
			return true
		}
	}
	return false
}

// claimPages claims chat.html: as the source where no JSON is, else as its twin, which is not read.
func claimPages(ctx context.Context, members []archive.Member, role []string, shapes []importer.Shape) error {
	json := contains(role, roleConversations)
	for i, m := range members {
		if role[i] != "" || shapes[i].Top != '<' {
			continue
		}
		if json {
			if strings.EqualFold(path.Base(m.Name), "chat.html") {
				role[i] = roleTwin
			}
			continue
		}
		found, err := hasPageData(ctx, m)
		if err != nil {
			return err
		}
		if found {
			role[i] = rolePage
		}
	}
	return nil
}
