package chatgpt_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// The inputs that break the converter of the reference SDK, by their number in our list, with the
// outcome they should have. 14 and 20 are tests of the command line, 31 is in assets_test.go.

// turn is a mapping entry. message is JSON, "" for null.
func turn(id, parent, message string, children ...string) string {
	if message == "" {
		message = "null"
	}
	up := "null"
	if parent != "" {
		up = `"` + parent + `"`
	}
	list := ""
	for i, c := range children {
		if i > 0 {
			list += ","
		}
		list += `"` + c + `"`
	}
	return fmt.Sprintf(`%q:{"id":%q,"message":%s,"parent":%s,"children":[%s]}`, id, id, message, up, list)
}

func says(role, more, content string) string {
	return `{"author":{"role":"` + role + `"},"create_time":1700000001,"content":` + content + more + `}`
}

func with(turns ...string) string {
	return `{"conversation_id":"c1","title":"T","create_time":1700000000,"mapping":{` + strings.Join(turns, ",") + `}}`
}

func one(t *testing.T, raw string) *pamio.Conversation {
	t.Helper()
	return check(t, []byte(raw)).Doc
}

// Case 15 of the reference SDK's failures: a folder with conversations-000.json … was "not found".
func TestShardsAreOneExport(t *testing.T) {
	r := readFiles(t, "conversations-000.json", "["+conv("a")+"]", "conversations-001.json", "["+conv("b")+"]", "CONVERSATIONS-2.JSON", "["+conv("c")+"]")
	if len(r.Conversations()) != 3 {
		t.Errorf("%d conversations", len(r.Conversations()))
	}
}

// Case 16 of the reference SDK's failures: a bad timestamp, and null for content, metadata, author,
// attachments or children, ended the import.
func TestOneBadRecordSpoilsNothing(t *testing.T) {
	for _, change := range [][2]string{
		{`"create_time":1700000001`, `"create_time":"noon"`}, {`"content":{"content_type":"text","parts":["hi & bye <b>"]}`, `"content":null`},
		{`"metadata":{}`, `"metadata":null`}, {`"author":{"role":"user"}`, `"author":null`}, {`"metadata":{}`, `"metadata":{"attachments":null}`}, {`"children":[]`, `"children":null`},
	} {
		bad := strings.Replace(conv("bad"), change[0], change[1], 1)
		if bad == conv("bad") {
			t.Fatalf("%s changes nothing", change[1])
		}
		r := readFiles(t, "conversations.json", "["+conv("a")+","+bad+","+conv("b")+"]")
		if len(r.Conversations()) != 3 || len(r.Quarantined()) != 0 || len(r.Conversations()[1].Doc.Messages) != 1 {
			t.Errorf("%s: %d conversations, quarantined %v", change[1], len(r.Conversations()), r.Quarantined())
		}
	}
}

// Case 17 of the reference SDK's failures: an id that is a path was the name of a file. Our ids are
// UUIDs, whatever the provider's are. Case 18: two conversations of one id overwrote each other,
// ids that differ by case collided, a very long id was an error.
func TestIDsAreNeverPaths(t *testing.T) {
	ids := map[string]bool{}
	for _, id := range []string{"/abs/x", "../../x", "CON", "a", "A", strings.Repeat("x", 5000)} {
		d := one(t, strings.ReplaceAll(conv("ID"), `"ID"`, string(pamio.AppendString(nil, id))))
		if len(d.ID) != 36 || strings.ContainsAny(d.ID, "/.") || d.Provider.ConversationID != id {
			t.Errorf("%.20q is %q", id, d.ID)
		}
		ids[strings.ToLower(d.ID)] = true
	}
	if len(ids) != 6 {
		t.Errorf("%d ids of 6 conversations", len(ids))
	}
	r := readFiles(t, "conversations.json", "["+conv("a")+","+strings.Replace(conv("a"), "hi", "ho", 1)+"]")
	if docs := r.Conversations(); len(docs) != 2 || docs[0].Doc.ID != docs[1].Doc.ID {
		t.Errorf("two snapshots of one conversation are %d documents", len(docs))
	}
}

// Case 19 of the reference SDK's failures: two runs gave different ids and times.
func TestTwoRunsGiveTheSame(t *testing.T) {
	for _, imp := range chatgpt.Versions() {
		text := func() (out string) {
			r := readPlain(t, imp, ownFixtures(t)...)
			for _, s := range r.Conversations() {
				out += string(s.Doc.AppendJSON(nil))
			}
			return out + strings.Join(records(r), "\n")
		}
		if first, second := text(), text(); first != second {
			t.Errorf("%s: two runs differ", imp.Version())
		}
	}
}

// Case 21 of the reference SDK's failures: an empty export, and a folder with nothing but a CSV
// file.
func TestNothingIsClaimedOfWhatIsNoExport(t *testing.T) {
	for _, imp := range chatgpt.Versions() {
		for name, data := range map[string]string{"conversations.json": "[]", "sales.csv": "a,b\n1,2\n"} {
			if r := readPlain(t, imp, importertest.File{Name: name, Data: []byte(data)}); len(r.Claim.Members) != 0 {
				t.Errorf("%s: %s is claimed", imp.Version(), name)
			}
		}
	}
}

// Case 22 of the reference SDK's failures: everything was read into memory, several times, before
// the first conversation came out.
func TestTheFirstConversationComesBeforeTheFileIsReadToItsEnd(t *testing.T) {
	const n = 20_000
	total := int64(n * len(conv("a")+","))
	read := int64(0)
	open := func(context.Context) (io.ReadCloser, error) {
		i := 0
		return io.NopCloser(&generated{next: func() string {
			i++
			switch {
			case i == 1:
				return "[" + conv("a")
			case i <= n:
				return "," + conv("a")
			case i == n+1:
				return "]"
			}
			return ""
		}, read: &read}), nil
	}
	m := archive.NewMember("conversations.json", total, 0, open)
	c, err := chatgpt.New().Claim(t.Context(), []archive.Member{m}, importertest.Peek, importer.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	read = 0
	for u, err := range chatgpt.New().Split(t.Context(), c, importer.Limits{}) {
		if err != nil || u.Err != nil {
			t.Fatal(err, u.Err)
		}
		if read > 1<<20 {
			t.Errorf("%d of %d bytes are read before the first conversation", read, total)
		}
		break
	}
}

type generated struct {
	next func() string
	rest string
	read *int64
}

func (g *generated) Read(p []byte) (int, error) {
	if g.rest == "" {
		if g.rest = g.next(); g.rest == "" {
			return 0, io.EOF
		}
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	*g.read += int64(n)
	return n, nil
}

// Case 23 of the reference SDK's failures: where a hidden, empty or null node was left out, the
// thread fell apart.
func TestThreadsGoOnBehindNodesWithoutMessages(t *testing.T) {
	hidden := `,"metadata":{"is_visually_hidden_from_conversation":true}`
	d := one(t, with(turn("root", "", "", "a"), turn("a", "root", says("user", "", textOf("x")), "void"), turn("void", "a", "", "h"), turn("h", "void", says("system", hidden, textOf("")), "b"), turn("b", "h", says("assistant", "", textOf("y")))))
	parents := map[string]string{}
	for _, m := range d.Messages {
		parents[m.ID] = m.ParentID
	}
	if len(parents) != 3 || parents["a"] != "" || parents["h"] != "a" || parents["b"] != "h" {
		t.Errorf("parents %v", parents)
	}
}

// Case 24 of the reference SDK's failures: what was spoken had no text and was left out. Case 25:
// neither code nor its output had any.
func TestSpeechAndCodeKeepTheirText(t *testing.T) {
	d := one(t, with(
		turn("a", "", says("user", "", `{"content_type":"multimodal_text","parts":[{"content_type":"audio_transcription","text":"hi","direction":"in"}]}`), "b"),
		turn("b", "a", says("assistant", `,"recipient":"python"`, `{"content_type":"code","language":"python","text":"print(1)"}`), "c"),
		turn("c", "b", says("tool", "", `{"content_type":"execution_output","text":"1"}`))))
	if got := text(d.Messages[0]); got != "hi" && got != "text:hi" {
		t.Errorf("spoken: %q", got)
	}
	if c := d.Messages[1].ToolCalls; len(c) != 1 || c[0].Name != "python" || string(c[0].Input) != `"print(1)"` {
		t.Errorf("call: %+v", c)
	}
	if got := text(d.Messages[2]); got != "1" {
		t.Errorf("output: %q", got)
	}
}

// Case 26 of the reference SDK's failures: a time of 0 or null became the time of the import.
func TestMissingTimesAreTakenFromTheSource(t *testing.T) {
	for _, none := range []string{"0", "null", `""`} {
		d := one(t, strings.Replace(conv("a"), `"create_time":1700000001`, `"create_time":`+none, 1))
		if got := d.Messages[0].CreatedAt; got != "2023-11-14T22:13:20Z" {
			t.Errorf("%s: %s", none, got)
		}
		d = one(t, strings.Replace(conv("a"), `"create_time":1700000000`, `"create_time":`+none, 1))
		if d.Temporal.CreatedAt != "2023-11-14T22:13:21Z" {
			t.Errorf("%s: %s", none, d.Temporal.CreatedAt)
		}
	}
}

// Case 27 of the reference SDK's failures: the roles developer, function and any other became the
// person.
func TestNoRoleBecomesThePerson(t *testing.T) {
	for original, want := range map[string]string{"developer": normalize.RoleSystem, "function": normalize.RoleTool, "critic": normalize.RoleSystem, "": normalize.RoleSystem} {
		if got := one(t, with(turn("a", "", says(original, "", textOf("x"))))).Messages[0].Role; got != want {
			t.Errorf("%q is %s, want %s", original, got, want)
		}
	}
}

// Case 28 of the reference SDK's failures: the text of a tool stood in the message and in the call.
func TestTheTextOfAToolIsKeptOnce(t *testing.T) {
	d := one(t, with(turn("a", "", says("assistant", `,"recipient":"web"`, textOf("a search that is made once")), "b"), turn("b", "a", says("tool", "", textOf("a result that is found once")))))
	doc := string(d.AppendJSON(nil))
	for _, s := range []string{"a search that is made once", "a result that is found once"} {
		if n := strings.Count(doc, s); n != 1 {
			t.Errorf("%q stands in the document %d times", s, n)
		}
	}
}

// Case 29 of the reference SDK's failures: messages came in the order of the mapping's keys.
func TestMessagesComeInTheOrderOfTheThread(t *testing.T) {
	d := one(t, with(turn("c", "b", says("user", "", textOf("3"))), turn("a", "", says("user", "", textOf("1")), "b"), turn("b", "a", says("assistant", "", textOf("2")), "c")))
	var order []string
	for _, m := range d.Messages {
		order = append(order, m.ID)
	}
	if !slices.Equal(order, []string{"a", "b", "c"}) {
		t.Errorf("order %v", order)
	}
}

// Case 30 of the reference SDK's failures: where the node's id is not the message's, all links to
// it were dropped.
func TestLinksAreThoseOfTheNodes(t *testing.T) {
	d := one(t, with(turn("a", "", strings.Replace(says("user", "", textOf("1")), "{", `{"id":"other",`, 1), "b"), turn("b", "a", says("assistant", "", textOf("2")))))
	if d.Messages[1].ParentID != "a" || d.Messages[0].ProviderMessageID != "other" || !slices.Equal(d.Messages[0].ChildrenIDs, []string{"b"}) {
		t.Errorf("%+v", d.Messages)
	}
}

// Case 32 of the reference SDK's failures: only a list was recognized, and only by its first
// element.
func TestExportsAreRecognizedByAnyElementAndAlone(t *testing.T) {
	for name, data := range map[string]string{
		"one object": conv("a"), "behind null": "[null," + conv("a") + "]", "behind a stub": `[{"id":"s","title":"t"},` + conv("a") + "]",
		"behind an empty object": "[{}," + conv("a") + "]", "a wrapper": `{"conversations":[` + conv("a") + `]}`, "lines": conv("a") + "\n" + conv("b"),
	} {
		for _, imp := range chatgpt.Versions() {
			if r := readPlain(t, imp, importertest.File{Name: "x", Data: []byte(data)}); len(r.Conversations()) == 0 {
				t.Errorf("%s: %s is not recognized", imp.Version(), name)
			}
		}
	}
}
