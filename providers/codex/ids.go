package codex

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
//   - A session is named by the id in its first session_meta, first line or session object. A
//     session that was forked from another repeats that one's session_meta behind its own.
//   - Without one, by the uuid at the end of the name rollout-<time>-<uuid>.
//   - Without both, by the SHA-256 of the digests of its lines up to the first message of the
//     assistant.
//
// A session of codex-exec is named by the thread_id of its first thread.started, which is the id in
// session_meta of the same session. Its messages are named "item:<id>", after the item, and
// "item:<id>#<k>"; those of lines without an item, and those of codex-events, "event:<n>".
//
// A message is named "line:<n>" by its line, counted from 0 among the lines that are JSON (of
// codex-json: among the items); where one line became several, the others are "line:<n>#<k>".

// idSpace is the space of ids: local/codex.
const idSpace = provider + "/" + sourceApp

var rolloutName = regexp.MustCompile(`^rollout-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:\.\d+Z?)?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl?$`)

// named reads id and time off the name of a log; the time is the person's own, and is taken for
// UTC.
func named(member string) (id string, at normalize.Instant) {
	m := rolloutName.FindStringSubmatch(path.Base(member))
	if m == nil {
		return "", normalize.Epoch
	}
	at, ok := normalize.ISOInstant(m[1] + "T" + m[2] + ":" + m[3] + ":" + m[4] + "Z")
	if !ok {
		at = normalize.Epoch
	}
	return m[5], at
}

// name names the conversation.
func name(b *lossless.Builder, log *log, member string) {
	for _, key := range []string{"id", "thread_id"} {
		if id := log.head.Get(key); id.Kind() == jsonscan.String && !id.Is("") {
			b.IDIn(idSpace, id.Str())
			return
		}
	}
	if id, _ := named(member); id != "" {
		b.Doc.Provider.ConversationID = id
		b.NoteJSON("synthetic_id", []byte("true"))
		b.Doc.ID = normalize.ConversationID(idSpace, id)
		return
	}
	sum := sha256.New()
	for _, e := range log.entries {
		sum.Write([]byte(normalize.Digest(e.line)))
		if e.item && e.body.Get("role").Is("assistant") || e.kind == kindCompleted && e.body.Get("type").Is("agent_message") {
			break
		}
	}
	b.DerivedID(idSpace, hex.EncodeToString(sum.Sum(nil)))
}
