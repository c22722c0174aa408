package opencode

import (
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/sqlite"
)

// Roles of the claimed members, beside those of package sqlite.
const (
	roleExport  = "export"
	roleSession = "session"
	roleMessage = "message"
	rolePart    = "part"
	roleOther   = "other" // counted
)

// Names of the files of the storage: the ids stand in them.
var (
	sessionName = regexp.MustCompile(`^(.*/|)session/(?:[^/]+/)?(ses[^/]+)\.json$`)
	messageName = regexp.MustCompile(`^(.*/|)(?:session/)?message/([^/]+)/([^/]+)\.json$`)
	partName    = regexp.MustCompile(`^(.*/|)(?:session/)?part/(?:ses[^/]+/)?([^/]+)/([^/]+)\.json$`)
	otherName   = regexp.MustCompile(`^(.*/|)(?:todo|session_diff|session_share|project|migration)(?:/[^/]+\.json)?$`)
)

// claimed is the context of a claim.
type claimed struct {
	logs    sqlite.Logs
	storage *storage
}

// claimMembers takes databases by their tables, exports by their shape, and the files of the
// storage by their names and shapes.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, limits importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	databases, logs, err := sqlite.Claim(ctx, members, peek, limits, isDatabase, func(name string) bool {
		return strings.EqualFold(path.Base(name), "opencode.db")
	})
	if err != nil {
		return c, err
	}
	found := &claimed{logs: logs, storage: newStorage()}
	c.Context = found
	taken := map[int]bool{}
	for _, m := range databases {
		taken[m.Member.Index] = true
	}
	var others []archive.Member
	err = localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		if taken[m.Index] {
			return
		}
		role := ""
		switch {
		case isExport(s):
			role = roleExport
		case (err != nil || s.Has(`messageID"`) && s.Has(`type"`)) && partName.MatchString(m.Name):
			role = rolePart
			at := partName.FindStringSubmatch(m.Name)
			found.storage.part(m, at[2], at[3])
		case (err != nil || s.Has(`sessionID"`) && s.Has(`role"`)) && messageName.MatchString(m.Name):
			role = roleMessage
			at := messageName.FindStringSubmatch(m.Name)
			found.storage.message(m, at[2], at[3])
		case (err != nil || s.Has(`id"`) && s.Has("time{")) && sessionName.MatchString(m.Name):
			role = roleSession
			at := sessionName.FindStringSubmatch(m.Name)
			found.storage.session(m, at[1], at[2])
		case otherName.MatchString(m.Name):
			others = append(others, m)
		}
		if role != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: role})
		}
	})
	if err != nil {
		return importer.Claim{}, err
	}
	for _, m := range others {
		if at := otherName.FindStringSubmatch(m.Name); found.storage.roots[place{m.Part, at[1]}] {
			found.storage.others = append(found.storage.others, m)
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleOther})
		}
	}
	c.Members = append(c.Members, databases...)
	return c, nil
}

// isExport tells an export from its first bytes.
func isExport(s importer.Shape) bool {
	return s.Top == '{' && s.Has(`info.id"`) && s.Has("messages[") &&
		(s.Has(`messages[].info.role"`) && s.Has("messages[].parts[") || s.Has(`info.projectID"`) && s.Has("info.time{"))
}
