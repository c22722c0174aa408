package chatgpt

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// Claim recognizes conversations by their content, wherever they lie and whatever they are called;
// then the sidecars and files that belong to them. Without conversations nothing is claimed.
func (imp Importer) Claim(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	role := make([]string, len(members))
	top := make([]byte, len(members)) // of what was looked at
	look := func(want func(archive.Member) bool) error {
		for i, m := range members {
			if role[i] != "" || top[i] != 0 || !want(m) {
				continue
			}
			shape, err := peek.Shape(ctx, m)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil && shape.Empty {
				if shardName.MatchString(path.Base(m.Name)) {
					role[i] = roleConversations // Split reports what is wrong with it
				}
				continue
			}
			s := listOnly(shape)
			top[i] = s.Top
			switch {
			case holdsConversations(s):
				role[i] = roleConversations
			case !imp.old && holdsTasks(shape):
				role[i] = roleTasks
			case err != nil && len(shape.Objects) == 0 && len(shape.Root) == 0 && shardName.MatchString(path.Base(m.Name)):
				role[i] = roleConversations
			}
		}
		return nil
	}
	if err := look(func(m archive.Member) bool { return !looksBinary(m.Name) }); err != nil {
		return c, err
	}
	if !slices.Contains(role, roleConversations) {
		if err := look(func(archive.Member) bool { return true }); err != nil {
			return c, err
		}
	}
	if err := imp.claimPages(ctx, members, role, top); err != nil {
		return c, err
	}
	if !slices.Contains(role, roleConversations) && !slices.Contains(role, rolePage) && !slices.Contains(role, roleTasks) {
		return c, nil
	}
	asset := imp.assetRole()
	// What the person uploaded may be an export of its own, or look like a sidecar. It is a file of
	// a conversation.
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
	// The shapes of an archive with many files are too much to hold on to: they are asked for
	// again.
	shapeOf := func(m archive.Member) (importer.Shape, error) {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		if err != nil && s.Empty {
			return importer.Shape{}, nil // it was read before, but for a file that Split reports
		}
		return listOnly(s), nil
	}
	for i, m := range members {
		base := strings.ToLower(path.Base(m.Name))
		_, named := sidecarNames[base]
		switch {
		case role[i] == roleConversations:
			j.conversations++
			if s, err := shapeOf(m); err != nil {
				return c, err
			} else if s.Wrapper != "" {
				j.wrapped[m.Index] = true
			}
		case role[i] != "":
		case top[i] == '[' || top[i] == '{':
			s, err := shapeOf(m)
			if err != nil {
				return c, err
			}
			kind := sidecarKind(base, s)
			if kind == "" && shardName.MatchString(base) && !s.Empty {
				continue // the conversations of another provider have that name, too
			}
			if kind == "" && !named && !shardName.MatchString(base) && path.Base(path.Dir(m.Name)) != "sites" {
				if isAsset(m.Name, byFolder) {
					role[i] = asset
				}
				continue
			}
			if !imp.old && kind == "" && keptNames[base] && !s.Empty {
				role[i] = roleRecord
				continue
			}
			role[i] = roleSidecar
			if err := j.read(ctx, m, kind, s, limits); err != nil {
				return c, err
			}
			if _, unread := j.notes[m.Index]; !imp.old && (kind == "library" || kind == "names") && !unread && !s.Empty {
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

// binaryEndings are names that are looked at only when nothing else is recognized.
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

// claimPages claims chat.html: as the source where no JSON is, else as its twin. Before 2026.12 the
// twin was recognized by its name alone.
func (imp Importer) claimPages(ctx context.Context, members []archive.Member, role []string, top []byte) error {
	beside := slices.Contains(role, roleConversations)
	for i, m := range members {
		if role[i] != "" || top[i] != '<' {
			continue
		}
		if beside && strings.EqualFold(path.Base(m.Name), "chat.html") {
			role[i] = roleTwin
			continue
		}
		if beside && imp.unpaired {
			continue
		}
		found, err := hasPageData(ctx, m)
		switch {
		case err != nil:
			return err
		case found && beside:
			role[i] = roleTwin
		case found:
			role[i] = rolePage
		}
	}
	return nil
}
