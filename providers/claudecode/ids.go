package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules in this file are frozen: a conversation that was named once keeps its name.
//
//   - A session is named by the sessionId of its last line that carries a message: a session that
//     was resumed in a file of its own begins with lines of the one before. Without messages there
//     is no conversation.
//   - A subagent (every message isSidechain) is named by the session and its agentId,
//     "<sessionId>/agent-<agentId>"; by the uuid of its first message where there is no agentId,
//     "<sessionId>/sidechain-<uuid>".
//   - Without a sessionId the conversation is named by the digest of its lines, if 2026.11 reads
//     the log.
//   - Any other log without a sessionId is named by the session_id of its last line that carries a
//     message; else by the UUID that its file is named with; else by the SHA-256 of the digests of
//     its lines up to the first message of the assistant.
//
// A message is named by the uuid of its line; where one line became several, the others by
// "<uuid>#<n>", counted from 0 in the order of the line. A line without a uuid is "line:<n>",
// counted from 0 among the lines that are JSON.

// idSpace is the space of ids: local/claude-code.
const idSpace = provider + "/" + sourceApp

// identity is what a log says of itself.
type identity struct {
	session, agent string
	others         []string // sessions whose lines this one repeats, at most maxOthers, of names up to maxName bytes
}

// maxOthers bounds the sessions that are noted as repeated.
const maxOthers = 8

// maxName is the length of a session's name that is noted; they are UUIDs.
const maxName = 128

// id is the provider's id of the conversation, "" when there is none.
func (d identity) id() string {
	if d.session == "" || d.agent == "" {
		return d.session
	}
	return d.session + "/" + d.agent
}

// identify reads the identity off the lines that carry messages.
func identify(lines jsonscan.Node) identity {
	var d identity
	var agent, first string
	main := false // a message that is no sidechain's
	var seen []string
	for line := range lines.Items() {
		if !isMessage(line) {
			continue
		}
		if s := line.Get("sessionId"); s.Kind() == jsonscan.String && !s.Is("") {
			d.session = s.Str()
			if n := len(seen); (n == 0 || seen[n-1] != d.session) && n < 4*maxOthers {
				seen = append(seen, d.session)
			}
		}
		main = main || !line.Get("isSidechain").True() && !line.Get("type").Is("system")
		if a := line.Get("agentId"); agent == "" && a.Kind() == jsonscan.String {
			agent = a.Str()
		}
		if u := line.Get("uuid"); first == "" && u.Kind() == jsonscan.String {
			first = u.Str()
		}
	}
	if !main {
		switch {
		case agent != "":
			d.agent = "agent-" + agent
		case first != "":
			d.agent = "sidechain-" + first
		}
	}
	known := map[string]bool{d.session: true}
	for _, s := range seen {
		if !known[s] && len(d.others) < maxOthers && len(s) <= maxName {
			known[s] = true
			d.others = append(d.others, s)
		}
	}
	return d
}

// uuidName is the name of a file that a session is named with.
var uuidName = regexp.MustCompile(`^(?:session[-_])?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl?$`)

// name names the conversation.
func (l log) name(b *lossless.Builder, d identity) {
	if d.session != "" || l.old || l.container == "" && readBefore(l.lines) {
		b.IDIn(idSpace, d.id())
		return
	}
	for line := range l.lines.Items() {
		if s := line.Get("session_id"); isMessage(line) && s.Kind() == jsonscan.String && !s.Is("") {
			d.session = s.Str()
		}
	}
	if m := uuidName.FindStringSubmatch(path.Base(l.member)); d.session == "" && m != nil {
		d.session = m[1]
		b.NoteJSON("synthetic_id", []byte("true"))
	}
	if d.session != "" {
		b.IDIn(idSpace, d.id())
		return
	}
	sum := sha256.New()
	for line := range l.lines.Items() {
		sum.Write([]byte(normalize.Digest(line)))
		if line.Get("type").Is("assistant") {
			break
		}
	}
	b.DerivedID(idSpace, hex.EncodeToString(sum.Sum(nil)))
}

// readBefore tells whether 2026.11 reads a log by one of its lines.
func readBefore(lines jsonscan.Node) bool {
	for line := range lines.Items() {
		keys := map[string]byte{}
		for k, v := range line.Fields() {
			keys[k.Str()] = v.Raw()[0]
		}
		if isLine(keys) {
			return true
		}
	}
	return false
}
