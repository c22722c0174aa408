package geminicli

import (
	"context"
	"path"
	"regexp"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Roles of the claimed members.
const (
	roleObject  = "session"
	roleLog     = "log"
	roleHistory = "history" // counted
)

// historySkip is the account of logs.json.
var historySkip = importer.Skip{Code: "prompt-history", Reason: "a list of what was typed, without the answers", Count: 1}

// withoutSessions is why the history is not read by itself.
const withoutSessions = "the history that Gemini CLI keeps beside its sessions, without any session: drop the folder chats as well"

// Names of the program: a file that cannot be looked at is claimed by them.
var (
	sessionName = regexp.MustCompile(`(^|/)chats/([^/]+/)?(session-[^/]+|[0-9a-f-]{36})\.json(l?)$`)
	folderName  = regexp.MustCompile(`(^|/)chats(/[^/]+)?$`)
)

// claimMembers takes every member whose first bytes show a session, whatever it is called, and the
// history beside the folder of a session.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	projects := map[string]bool{}
	var histories []archive.Member
	err := localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		role := ""
		switch {
		case err != nil:
			if found := sessionName.FindStringSubmatch(m.Name); found != nil {
				role = map[string]string{"": roleObject, "l": roleLog}[found[4]]
			}
		case s.Lines && s.Has(`[].projectHash"`) && s.Has(`[].sessionId"`):
			role = roleLog
		case s.Top == '{' && s.Has(`projectHash"`) && s.Has(`sessionId"`):
			role = roleObject
			if !s.Has("messages") {
				role = roleLog // a log in which nobody has said anything, or whose first line is long
			}
		case s.Top == '[' && s.Has(`[].sessionId"`) && s.Has("[].messageId") && s.Has(`[].message"`):
			histories = append(histories, m)
		}
		if role != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: role})
			if dir := path.Dir(m.Name); folderName.MatchString(dir) {
				projects[path.Dir(dir)] = true
			}
		}
	})
	if err != nil {
		return importer.Claim{}, err
	}
	for _, m := range histories {
		switch {
		case projects[path.Dir(m.Name)]:
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roleHistory})
		case len(c.Members) == 0:
			c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: withoutSessions})
		}
	}
	return c, nil
}
