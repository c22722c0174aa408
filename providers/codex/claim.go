package codex

import (
	"context"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
)

// Roles of the claimed members.
const (
	roleLines       = "session"     // a log
	roleObject      = "object"      // a log that is one JSON object
	roleInstruction = "instruction" // AGENTS.md
)

// withoutSessions is why a list is not read by itself.
const withoutSessions = "a list that Codex keeps beside its sessions, without any session: drop the folder sessions as well"

// claimMembers takes every member whose first bytes show lines of a session, whatever it is called;
// and beside a session, what the program keeps with it.
func (r reader) claimMembers(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	passed := map[int]importer.Skip{}
	c := importer.Claim{Context: passed}
	roles := make([]string, len(members))
	skips := map[int]*importer.Skip{} // of files that hold no conversations, by place
	folders := map[string]bool{}      // of sessions
	for i, m := range members {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		switch {
		case err != nil && s.Empty:
			if !rolloutName.MatchString(path.Base(m.Name)) {
				continue
			}
			roles[i] = roleLines // Split reports what is wrong with it
		case isObject(s):
			roles[i] = roleObject
		case isLog(s):
			roles[i] = roleLines
		default:
			found := false
			if !r.old {
				if found, err = streamed(ctx, m, s, peek); err != nil {
					return c, err
				}
			}
			if !found {
				if skip := counted(s); skip != nil {
					skips[i] = skip
				}
				continue
			}
			roles[i] = roleLines
		}
		folders[path.Dir(m.Name)] = true
	}
	if len(folders) == 0 {
		for i, m := range members {
			if skips[i] != nil {
				c.Refused = append(c.Refused, importer.Refusal{Member: m, Reason: withoutSessions})
			}
		}
		return c, nil
	}
	above := importer.Above(folders)
	for i, m := range members {
		if roles[i] == "" {
			if skip := skips[i]; skip != nil {
				roles[i] = localapp.RoleCounted
				passed[m.Index] = *skip
			} else if isInstruction(path.Base(m.Name)) && above[path.Dir(m.Name)] {
				roles[i] = roleInstruction
			}
		}
		if roles[i] != "" {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: roles[i]})
		}
	}
	return c, nil
}

// isInstruction tells whether a file is one of those that the program follows in the folder of a
// session and below.
func isInstruction(base string) bool {
	return strings.EqualFold(base, "AGENTS.md") || strings.EqualFold(base, "AGENTS.override.md")
}

// isObject tells whether a member is a session in one object.
func isObject(s importer.Shape) bool {
	return s.Top == '{' && !s.Lines && s.Root["session"] == '{' && s.Root["items"] == '[' && s.Has("session.id\"") && s.Has("session.timestamp\"")
}

// isLog tells whether a member's lines are those of a session.
func isLog(s importer.Shape) bool {
	if s.Top != '{' {
		return false
	}
	objects := s.Objects
	if !s.Lines {
		objects = []map[string]byte{s.Root}
	}
	for _, o := range objects {
		if isEnvelope(o) || isHead(o) || isCall(o) {
			return true
		}
	}
	// A first line of many bytes may show nothing but its first keys; bare messages have no others.
	return s.Lines && s.Has("[].content[].text\"") && allMessages(objects)
}

func isEnvelope(keys map[string]byte) bool {
	return keys["timestamp"] == '"' && keys["type"] == '"' && keys["payload"] == '{'
}

func isHead(keys map[string]byte) bool {
	_, instructions := keys["instructions"]
	_, git := keys["git"]
	_, kind := keys["type"]
	return keys["id"] == '"' && keys["timestamp"] == '"' && (instructions || git) && !kind
}

func isCall(keys map[string]byte) bool {
	_, arguments := keys["arguments"]
	_, output := keys["output"]
	_, input := keys["input"]
	return keys["record_type"] == '"' || keys["type"] == '"' && keys["call_id"] == '"' && (arguments || output || input)
}

// allMessages tells whether all lines are bare messages.
func allMessages(objects []map[string]byte) bool {
	for _, o := range objects {
		for key := range o {
			switch key {
			case "type", "role", "content", "id", "status", "phase", "end_turn":
			default:
				return false
			}
		}
		if o["type"] != '"' || o["role"] != '"' || o["content"] != '[' {
			return false
		}
	}
	return true
}

// counted recognizes the files that hold no conversations, with the account of them; nil for any
// other. A count of 0 stands for the number of lines.
func counted(s importer.Shape) *importer.Skip {
	first := s.Root
	if s.Lines {
		first = s.Objects[0]
	}
	switch {
	case s.Top != '{':
	case first["session_id"] == '"' && first["ts"] == '0' && first["text"] == '"':
		return &importer.Skip{Code: "prompt-history", Reason: "a history of what was typed, without the answers; only sessions whose logs are in the drop are read"}
	case first["id"] == '"' && first["thread_name"] == '"':
		return &importer.Skip{Code: "session-index", Reason: "a list of sessions without what was said in them; only sessions whose logs are in the drop are read"}
	}
	return nil
}
