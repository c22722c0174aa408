package claudecode

import (
	"bytes"
	"context"
	"regexp"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// keyLines is the key of the lines in the object of a session on the web.
const keyLines = "loglines"

// nameless gives the role of a log whose lines do not name their session, "" for any other member.
func nameless(ctx context.Context, m archive.Member, s importer.Shape, peek importer.Peeker) (role string, err error) {
	switch {
	case s.Top != '{':
		return "", nil
	case s.Has(keyLines + "["):
		role = roleWrapped
	case s.Wrapper == "" && (s.Has("[].message{") || !s.Lines && s.Has("message{")):
		role = roleSession
	default:
		return "", nil
	}
	prefix, err := peek.Prefix(ctx, m)
	if err != nil && len(prefix) == 0 {
		return "", ctx.Err() // what cannot be read is described as unclaimed
	}
	if !hasTurn(importer.HeadUTF8(prefix), role == roleWrapped) {
		return "", nil
	}
	return role, nil
}

// cutTurn finds a turn in lines that are longer than what is looked at.
var (
	cutTurn    = regexp.MustCompile(`"type"\s*:\s*"(user|assistant)"`)
	cutMessage = regexp.MustCompile(`"message"\s*:\s*\{`)
)

// hasTurn tells whether a line of a log is one of a person or an assistant: its type says so, and
// its message has a role and content. The last line may be cut.
func hasTurn(prefix []byte, wrapped bool) bool {
	if wrapped {
		return cutTurn.Match(prefix) && cutMessage.Match(prefix)
	}
	head := prefix
	first := true
	for len(head) > 0 {
		line, rest, whole := bytes.Cut(head, []byte{'\n'})
		head = rest
		if !whole && first {
			return cutTurn.Match(line) && cutMessage.Match(line)
		}
		first = false
		d, err := jsonscan.Parse(bytes.TrimSpace(line), 0)
		if err == nil && isTurn(d.Root()) {
			return true
		}
	}
	return false
}

// isTurn tells whether a line is one of a person or an assistant.
func isTurn(line jsonscan.Node) bool {
	t, message := line.Get("type"), line.Get("message")
	return (t.Is("user") || t.Is("assistant")) && message.Kind() == jsonscan.Object && message.Get("content").Exists()
}
