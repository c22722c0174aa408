package importertest_test

// This file is an importer from its first line to its last: the format of "Chatty", an assistant
// that nobody has made. docs/writing-an-importer.md goes through it step by step. A real importer
// is a folder under providers/ with the first half of this file in it, and a test file with the
// second half.

import (
	"context"
	"strconv"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/lossless"
)

// A Chatty export is a list of talks:
//
//	[{"id":"t1","name":"Tea","started":"2026-01-02T03:04:05Z","muted":false,
//	  "lines":[{"no":"1","who":"me","say":"Which tea?","when":1767323045},
//	           {"no":"2","who":"bot","say":"Assam.","when":1767323050,"after":"1","mood":"calm"}]}]
const chattyVersion = "chatty-importer/2026.11"

// chattySchema says which value of the source is which field of the document. What it does not name
// is kept in raw_metadata, and put back by Restore.
var chattySchema = &lossless.Schema{
	Conversation: []lossless.Rule{
		{Path: "/id", Slot: lossless.ConversationID},
		{Path: "/name", Slot: lossless.Title},
		{Path: "/started", Slot: lossless.Created, Form: lossless.ISO},
		{Path: "/lines", Slot: lossless.MessageList},
	},
	Message: []lossless.Rule{
		{Path: "/no", Slot: lossless.ID},
		{Path: "/who", Slot: lossless.Role, Form: lossless.Roles("user", "me", "assistant", "bot")},
		{Path: "/when", Slot: lossless.Created, Form: lossless.Seconds},
		{Path: "/after", Slot: lossless.Parent},
		{Path: "/say", Slot: lossless.Text},
	},
	Fields:        []string{"muted"},
	MessageFields: []string{"mood"},
}

// chatty is the importer. Its inverse needs nothing but the schema.
var chatty = &cut.Format{
	Provider: "chatty", Release: chattyVersion, File: "chatty.json",
	ClaimMembers: claimTalks, SplitMember: splitTalks, DecodeUnit: decodeTalk, RestoreElement: chattySchema.Restore,
}

// claimTalks takes every member whose first bytes show talks, whatever it is called.
func claimTalks(ctx context.Context, members []archive.Member, peek importer.Peeker, _ importer.Limits) (importer.Claim, error) {
	var c importer.Claim
	for _, m := range members {
		s, err := peek.Shape(ctx, m)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil {
			continue // what cannot be read is reported by whoever claims it, or as unread
		}
		if s.At([]string{"[].", ""}, "lines[", "started") {
			c.Members = append(c.Members, importer.ClaimedMember{Member: m, Role: "talks"})
		}
	}
	return c, nil
}

// splitTalks cuts without decoding: one unit a talk.
func splitTalks(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	return cut.Elements(ctx, u, cut.Options{Recognize: isTalk}, yield)
}

func isTalk(prefix []byte) bool { return importer.Sniff(prefix).Has("lines[") }

// decodeTalk makes the document of one talk. It only reads: what becomes of each value is the
// schema's business.
func decodeTalk(u importer.Unit) ([]importer.Item, error) {
	src, err := lossless.Parse(u)
	if err != nil {
		return nil, err
	}
	root := src.Root
	if !root.Get("lines").Exists() {
		return nil, lossless.Fail(u, "not_a_conversation", "the element has no lines")
	}
	b := chattySchema.New(src, "chatty")
	b.ID(root.Get("id").Str())
	b.Title(root.Get("name"))
	b.Created = b.Time(root.Get("started"))
	i := 0
	byNo := map[string]*lossless.Object{}
	for line := range root.Get("lines").Items() {
		if line.Get("say").Exists() {
			o := b.Item("/lines", i, line)
			role, known := normalize.RoleUser, true
			switch line.Get("who").Str() {
			case "me":
			case "bot":
				role = normalize.RoleAssistant
			default:
				role, known = normalize.RoleSystem, false
			}
			if !known {
				b.Unknown("unknown_role")
			}
			m := o.Add(line.Get("no").Str(), role)
			m.Text(line.Get("say").Str())
			m.Time = b.Time(line.Get("when"))
			switch after := line.Get("after"); {
			case after.Exists():
				o.Parent(byNo[after.Str()])
			default:
				o.Root()
			}
			byNo[line.Get("no").Str()] = o
		}
		i++
	}
	return b.Items()
}

// From here on: the test of the importer.

var chattyFormat = importertest.Format{Importer: chatty}

func chattyFiles() []importertest.File {
	talk := func(n int, more string) string {
		return `{"id":"t` + strconv.Itoa(n) + `","name":"Tea","started":"2026-01-02T03:04:05Z","muted":false,"lines":[
			{"no":"1","who":"me","say":"Which tea?","when":1767323045},
			{"no":"2","who":"bot","say":"Assam.","when":1767323050,"after":"1","mood":"calm"}` + more + `]}`
	}
	return []importertest.File{{Name: "export/chatty.json", Data: []byte("[" + talk(1, "") + "," +
		talk(2, `,{"no":"3","who":"bot","say":"Or Darjeeling.","when":null,"after":"1"},{"no":"3","who":"wizard","say":"","after":"9"},null`) + "," +
		talk(3, `,{"who":"me","say":"\ud83d again"},{"who":"me","say":"\ud83d again"}`) + "]")}}
}

func TestChatty(t *testing.T) {
	r := importertest.Read(t, chatty, importer.Limits{}, chattyFiles()...)
	chattyFormat.Check(t, r)
	if got := len(r.Conversations()); got != 3 {
		t.Fatalf("%d conversations, want 3", got)
	}
	importertest.Documents(t, "testdata/chatty.golden", r)
	chattyFormat.Coverage(t, "testdata/chatty-coverage.golden", r)
}

func TestChattyOfOddValues(t *testing.T) {
	chattyFormat.Mutate(t, importertest.Read(t, chatty, importer.Limits{}, chattyFiles()...), 200)
}

func TestDamagedChatty(t *testing.T) {
	chattyFormat.Damage(t, chattyFiles(), 0, importertest.JSONDamages()...)
}

func FuzzChatty(f *testing.F) {
	f.Add([]byte(`{"lines":[{"say":"x"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { chattyFormat.Fuzz(t, importer.Unit{Role: "talks"}, raw) })
}
