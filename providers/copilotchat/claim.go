package copilotchat

import (
	"context"
	"regexp"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Roles of the claimed members.
const (
	roleSession = "session"
	roleLog     = "log"
)

// sessionName is where the program keeps a session: it claims a file that cannot be looked at.
var sessionName = regexp.MustCompile(`(^|/)(chatSessions|emptyWindowChatSessions)/[^/]+\.json(l?)$`)

// claimMembers takes every member whose first bytes show a session, whatever it is called.
func claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	err := localapp.Look(ctx, members, peek, func(m archive.Member, s importer.Shape, err error) {
		role := ""
		switch {
		case err != nil:
			if found := sessionName.FindStringSubmatch(m.Name); found != nil {
				role = map[string]string{"": roleSession, "l": roleLog}[found[3]]
			}
		case isSession(s, ""):
			role = roleSession
		case isSession(s, "v."), isSession(s, "[].v."):
			role = roleLog
		}
		if role != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: role})
		}
	})
	if err != nil {
		return importer.Claim{}, err
	}
	return c, nil
}

// isSession tells whether an object at a path is a session: it has requests, and beside them what
// only these have.
func isSession(s importer.Shape, at string) bool {
	if s.Top != '{' || !s.Has(at+"requests[") {
		return false
	}
	return s.Has(at+`responderUsername"`) || s.Has(at+`requesterUsername"`) || s.Has(at+"initialLocation") ||
		s.Has(at+`sessionId"`) && (s.Has(at+"creationDate") || s.Has(at+"lastMessageDate"))
}
