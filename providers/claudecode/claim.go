package claudecode

import (
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Roles of the claimed members.
const (
	roleSession     = "session"     // a log
	roleWrapped     = "wrapped"     // a log in an object
	roleMeta        = "meta"        // what a subagent is called
	roleMemory      = "memory"      // a Markdown file in memory/
	roleInstruction = "instruction" // CLAUDE.md
)

// logName is where the program keeps a session: it claims a log that is too damaged to be looked
// at.
var logName = regexp.MustCompile(`(^|/)projects/[^/]+/([0-9a-f-]{36}/subagents/)?(agent-)?[0-9a-f-]{7,36}\.jsonl$`)

// withoutSessions is why a list is not read by itself.
const withoutSessions = "a list that Claude Code keeps beside its sessions, without any session: drop the folder projects as well"

// claimMembers takes every member whose first bytes show lines of a session, whatever it is called;
// and beside a session, what the program keeps with it.
func (r reader) claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	roles := make([]string, len(members))
	looks := make([]look, len(members))
	folders := map[string]bool{} // of sessions
	for i, m := range members {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil && s.Empty {
			if !logName.MatchString(m.Name) {
				continue
			}
			roles[i] = roleSession
			folders[path.Dir(m.Name)] = true
			continue
		}
		role := ""
		switch {
		case isLog(s):
			role = roleSession
		case r.old:
		default:
			if role, err = nameless(ctx, m, s, peek); err != nil {
				return c, err
			}
		}
		if role != "" {
			roles[i] = role
			folders[path.Dir(m.Name)] = true
			continue
		}
		looks[i] = look{meta: s.Top == '{' && s.Root["agentType"] == '"', skip: counted(s)}
	}
	if len(folders) == 0 {
		for i, m := range members {
			if skip := looks[i].skip; skip != nil && skip.Code != codeTasks {
				c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: withoutSessions})
			}
		}
		return c, nil
	}
	passed := map[int]importer.Skip{}
	c.Context = passed
	above := importer.Above(folders)
	for i, m := range members {
		if roles[i] == "" {
			roles[i] = beside(m.Name, looks[i], folders, above)
		}
		if roles[i] == localapp.RoleCounted {
			passed[m.Index] = *looks[i].skip
		}
		if roles[i] != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roles[i]})
		}
	}
	return c, nil
}

// isLog tells whether a member's lines are those of a session.
func isLog(s importer.Shape) bool {
	if s.Top != '{' || s.Wrapper != "" {
		return false
	}
	objects := s.Objects
	if !s.Lines {
		objects = []map[string]byte{s.Root}
	}
	for _, o := range objects {
		if isLine(o) {
			return true
		}
	}
	return false
}

// isLine is the predicate for one line by its keys and the first bytes of their values. A line that
// is longer than what is looked at shows only its first keys.
func isLine(keys map[string]byte) bool {
	has := func(names ...string) bool {
		for _, n := range names {
			if _, ok := keys[n]; !ok {
				return false
			}
		}
		return true
	}
	switch {
	case keys["sessionId"] == '"' && has("isSidechain", "parentUuid"):
		return true
	case keys["type"] != '"':
		return false
	case keys["sessionId"] == '"' && (has("uuid") || has("message") || has("cwd") || has("operation") || has("customTitle") || has("aiTitle") || has("lastPrompt") || has("permissionMode") || has("agentName")):
		return true
	case keys["summary"] == '"' && keys["leafUuid"] == '"':
		return true
	}
	return has("messageId", "snapshot", "isSnapshotUpdate")
}

// look is what the shape of a member shows that is no session.
type look struct {
	meta bool           // what a subagent is called
	skip *importer.Skip // the account of a file that is counted
}

// beside gives the role of a member that lies with sessions, whose folders and those above them are
// given.
func beside(name string, l look, folders, above map[string]bool) string {
	base, dir := path.Base(name), path.Dir(name)
	switch {
	case strings.EqualFold(base, "CLAUDE.md"), strings.EqualFold(base, "CLAUDE.local.md"):
		if above[dir] {
			return roleInstruction
		}
	case strings.EqualFold(path.Ext(base), ".md") && path.Base(dir) == "memory" && folders[path.Dir(dir)]:
		return roleMemory
	case strings.HasSuffix(base, ".meta.json") && folders[dir] && l.meta:
		return roleMeta
	case l.skip != nil:
		return localapp.RoleCounted
	}
	return ""
}

// codeTasks is the code of lists of tasks, whose shape other programs have, too.
const codeTasks = "task-list"

// counted recognizes the files that hold no conversations, with the account of them; nil for any
// other. A count of 0 stands for the number of lines.
func counted(s importer.Shape) *importer.Skip {
	first := s.Root
	if s.Lines {
		first = s.Objects[0]
	}
	switch {
	case s.Has("entries[].sessionId") && s.Has("entries[].fullPath"):
		return &importer.Skip{Code: "session-index", Reason: "a list of sessions without what was said in them; only sessions whose logs are in the drop are read", Count: 1}
	case s.Top == '{' && first["display"] == '"' && first["project"] == '"':
		return &importer.Skip{Code: "prompt-history", Reason: "a history of what was typed, without the answers; only sessions whose logs are in the drop are read"}
	case s.Top == '[' && s.Has("[].content\"") && s.Has("[].status\"") && (s.Has("[].activeForm\"") || s.Has("[].priority\"")):
		return &importer.Skip{Code: codeTasks, Reason: "tasks of a session, nothing that was said", Count: 1}
	}
	return nil
}
