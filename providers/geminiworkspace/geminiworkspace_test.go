package geminiworkspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/geminiworkspace"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var (
	format = importertest.Format{Importer: geminiworkspace.New()}
	pages  = importertest.Format{Importer: geminiworkspace.New(), NoInverse: true}
)

// more makes a text as long as those of people and models are.
var more = strings.Repeat(" This is said at length, for what a document has beside the words of a message counts for little when there are more of them.", 12)

// conversation has thoughts, images, a card, a deleted turn, an answer given again and a question
// asked again.
var conversation = `{"title":"Tea","creation_time":"2026-02-17T14:36:11.123456+00:00","last_modification_time":"2026-02-17T15:00:00+00:00","conversation_turns":[
	{"user_turn":{"prompt":"Which tea?` + more + `","turn_index":0,"turn_last_modified":"2026-02-17T14:36:11.123456+00:00"}},
	{"system_turn":{"text":[{"data":"Assam.` + more + `"}],"model_thoughts":[{"headline":"Strength","description":"The person may like it strong.` + more + `"},{"headline":"Milk","description":"Perhaps."}],"turn_index":0,"turn_last_modified":"2026-02-17T14:36:12.100000+00:00"}},
	{"user_turn":{"prompt":"A picture` + more + `","turn_index":1,"turn_last_modified":"2026-02-17T14:37:00+00:00"}},
	{"system_turn":{"text":[{"preamble":"Here:","data":"two of them` + more + `"},{"cards":[{"content":"a card"}]}],"images":["img-1","img-2"],"turn_index":1,"turn_last_modified":"2026-02-17T14:37:01+00:00"}},
	{"system_turn":{"text":[{"data":"Or one` + more + `"}],"images":["img-3"],"turn_index":1,"turn_last_modified":"2026-02-17T14:38:01+00:00","turn_deleted_time":"2026-02-17T14:39:00+00:00"}},
	{"user_turn":{"prompt":"Thanks` + more + `","turn_index":2,"turn_last_modified":"2026-02-17T14:40:00+00:00"}},
	{"user_turn":{"prompt":"Many thanks` + more + `","turn_index":2,"turn_last_modified":"2026-02-17T14:41:00+00:00"}},
	{"system_turn":{"text":[{"data":"Gladly.` + more + `"}],"images":[],"turn_index":2,"turn_last_modified":"2026-02-17T14:41:01+00:00"}}
]}`

var plain = `{"title":"Plain","creation_time":"2026-02-16T14:36:11+00:00","last_modification_time":"2026-02-16T14:36:11+00:00","conversation_turns":[
	{"user_turn":{"prompt":"Hello","turn_index":0,"turn_last_modified":"2026-02-16T14:36:11+00:00"}},
	{"system_turn":{"text":[{"data":"Hi.` + more + `"}],"turn_index":1,"turn_last_modified":"2026-02-16T14:36:11+00:00"}}]}`

var odd = `{"title":null,"creation_time":null,"newKey":1,"conversation_turns":[{"user_turn":{"prompt":null}},{"other_turn":{"x":1}},null,{"system_turn":{"text":"a text"}},{"system_turn":{"text":[{"video":1}],"turn_index":"x"}},{"user_turn":{"prompt":"both` + more + `"},"system_turn":{}}]}`

const page = `<!DOCTYPE html><html><head><title>Tea &amp; milk</title><style>p{}</style></head><body><h1>Chat</h1>
<p>USER: Which tea, <b>please</b>?</p><p>MODEL: Assam:</p><ul><li>strong</li><li>with <a href="https://milk.example/">milk</a></li></ul><pre>USER: not a speaker
  x</pre><p><b>USER:</b> Thanks</p></body></html>`

const dir = "Takeout/Gemini in Workspace/Conversation History/"

func files() []importertest.File {
	return []importertest.File{
		{Name: dir + "conversation_123.txt", Data: []byte(conversation)},
		{Name: dir + "conversation_124.txt", Data: []byte(plain)},
		{Name: dir + "conversation_125 (1).txt", Data: append([]byte("\ufeff"), odd...)},
		{Name: dir + "conversation_123_turn_1_images_10.jpg", Data: []byte("ten")},
		{Name: dir + "conversation_123_turn_1_images_2.jpg", Data: []byte("two")},
		{Name: "elsewhere/conversation_123_turn_1_images_1.jpg", Data: []byte("not of it")},
	}
}

const pageName = "Takeout/NotebookLM/Drinks/Chat History/Chat Session - 0f8fad5b-d9cb-469f-a165-70867728950e.html"

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := importertest.Read(t, geminiworkspace.New(), importer.Limits{}, files...)
	format.Check(t, r)
	return r
}

// talk is a conversation as a person sees it, each message with its parent.
func talk(d *pamio.Conversation) []string {
	var out []string
	for _, m := range d.Messages {
		s := m.ID
		if m.ParentID != "" {
			s += "<" + m.ParentID
		}
		s += " " + m.Role
		if m.IsThought {
			s += " thinks"
		}
		if m.Content != nil {
			if m.Content.Text != nil {
				s += " " + strings.TrimSuffix(*m.Content.Text, more)
			}
			for _, p := range m.Content.Parts {
				s += " | " + strings.TrimSuffix(*p.Text, more)
			}
		}
		for _, a := range m.Attachments {
			s += fmt.Sprintf(" [%s %q]", a.ProviderID, a.Ref)
		}
		out = append(out, s)
	}
	return out
}

func want(t *testing.T, s *importer.Snapshot, lines ...string) {
	t.Helper()
	if got := talk(s.Doc); !slices.Equal(got, lines) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func TestWorkspace(t *testing.T) {
	r := read(t, files()...)
	if len(r.Conversations()) != 3 || len(r.Quarantined()) != 0 || len(r.Claim.Members) != 5 {
		t.Fatalf("%d conversations, quarantined %v, %d members", len(r.Conversations()), r.Quarantined(), len(r.Claim.Members))
	}
	importertest.Documents(t, "testdata/workspace.golden", r)
	format.Coverage(t, "testdata/workspace-coverage.golden", r)
	want(t, r.Conversations()[0],
		"user-0 user Which tea?",
		"model-0#0<user-0 assistant thinks | Strength | The person may like it strong. | Milk | Perhaps.",
		"model-0<model-0#0 assistant Assam.",
		"user-1<model-0 user A picture",
		`model-1<user-1 assistant | Here: | two of them | a card [img-1 "\x00member:4"] [img-2 "\x00member:3"]`,
		`model-1.2<user-1 assistant Or one [img-3 ""]`,
		"user-2<model-1.2 user Thanks",
		"user-2.2<model-1.2 user Many thanks",
		"model-2<user-2.2 assistant Gladly.")
	want(t, r.Conversations()[1], "user-0 user Hello", "model-1 assistant Hi.")
	want(t, r.Conversations()[2], "user-x0 user", "other-x1 system", "model-x3 assistant a text", "model-x4 assistant", "user-x5 user both")
	first := r.Conversations()[0]
	if first.Anomalies[importer.AnomalyAssetMissing] != 1 || !strings.Contains(string(first.Doc.Messages[5].RawMetadata), `"deleted":true`) || first.Doc.Provider.ConversationID != "123" {
		t.Errorf("%v %s", first.Anomalies, first.Doc.Messages[5].RawMetadata)
	}
	if a := r.Conversations()[2].Anomalies; a[importer.AnomalyUnknownVariant] != 1 || a["unknown_turn"] != 2 || a["unknown_key"] != 2 || a["turn_of_both"] != 1 {
		t.Errorf("odd: %v", a)
	}
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, read(t, files()...), 150)
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	doc := read(t, files()...).Conversations()[0].Doc
	for _, c := range [][2]string{{`"Tea"`, `"Coffee"`}, {"Which tea?", "Which coffee?"}, {"Perhaps.", "Surely."}, {"a card", "no card"}, {"Gladly.", "Never."}} {
		edited, err := pamio.ParseConversation(bytes.Replace(doc.AppendJSON(nil), []byte(c[0]), []byte(c[1]), 1))
		if err != nil {
			t.Fatal(err)
		}
		back, err := geminiworkspace.New().Restore(nil, edited)
		if err != nil || !bytes.Contains(back, []byte(c[1])) || bytes.Contains(back, []byte(c[0])) {
			t.Errorf("%q does not show: %v in %s", c[1], err, back)
		}
	}
}

func TestACutOffFileIsQuarantinedAlone(t *testing.T) {
	for name, data := range map[string]string{
		"cut off": conversation[:len(conversation)/2], "cut off before its turns": `{"title":"x","creation_time":"2026-02-17T14:36:11+00:00","last_modification_time":"20`, "null turns": `{"title":"x","creation_time":1,"conversation_turns":[nul]}`,
	} {
		r := read(t, append(files(), importertest.File{Name: dir + "conversation_999.txt", Data: []byte(data)})...)
		if bad := r.Quarantined(); len(bad) != 1 || len(r.Conversations()) != 3 || !strings.HasSuffix(bad[0].Member, "conversation_999.txt") {
			t.Errorf("%s: quarantined %v, %d conversations", name, bad, len(r.Conversations()))
		}
	}
	for name, data := range map[string]string{
		"no turns": `{"title":"x","creation_time":"2026-02-17T14:36:11+00:00","last_modification_time":"2026-02-17T14:36:11+00:00","conversation_turns":[]}`,
		"odd":      `{"conversation_turns":[{"system_turn":{"text":[null,{"data":"\ud800"},{"cards":[null,{"content":1}]}],"images":[null,1],"model_thoughts":[null,{"headline":1}],"turn_index":-1}}]}`,
	} {
		if r := read(t, importertest.File{Name: "x.txt", Data: []byte(data)}); len(r.Conversations()) != 1 {
			t.Errorf("%s: quarantined %v", name, r.Quarantined())
		}
	}
}

func TestNotebookLM(t *testing.T) {
	r := importertest.Read(t, geminiworkspace.New(), importer.Limits{}, importertest.File{Name: pageName, Data: []byte(page)}, importertest.File{Name: "a/b/c.html", Data: []byte("<p>USER: \xff</p><p>MODEL: x</p>")})
	pages.Check(t, r)
	importertest.Documents(t, "testdata/notebooklm.golden", r)
	if len(r.Conversations()) != 2 {
		t.Fatalf("quarantined %v", r.Quarantined())
	}
	want(t, r.Conversations()[0], "m0 user Which tea, **please**?", "m1 assistant Assam:\n\n- strong\n- with [milk](https://milk.example/)\n\n```\nUSER: not a speaker\n  x\n```", "m2 user Thanks")
	d := r.Conversations()[0].Doc
	if *d.Title != "Tea & milk" || d.Provider.ConversationID != "0f8fad5b-d9cb-469f-a165-70867728950e" || !strings.Contains(string(d.RawMetadata), "USER: Which tea, <b>please") {
		t.Errorf("%q %q %s", *d.Title, d.Provider.ConversationID, d.RawMetadata)
	}
	if d := r.Conversations()[1].Doc; *d.Title != "a" || !strings.Contains(string(d.RawMetadata), `"bytes":"PHA+VVNFUjog/zwvcD48cD5NT0RFTDogeDwvcD4="`) {
		t.Errorf("%q %s", *d.Title, d.RawMetadata)
	}
	if _, err := geminiworkspace.New().Restore(nil, d); !errors.Is(err, importer.ErrNoInverse) {
		t.Error(err)
	}
	r = importertest.Read(t, geminiworkspace.New(), importer.Limits{MaxConversation: 100}, importertest.File{Name: pageName, Data: []byte(page)})
	if bad := r.Quarantined(); len(bad) != 1 || bad[0].Code != "too_big" {
		t.Errorf("a page over the limit: %v", bad)
	}
}

func TestOthersAreNotClaimed(t *testing.T) {
	for name, data := range map[string]string{
		"chatgpt.json":     `[{"title":"x","mapping":{}}]`,
		"activity.html":    `<div class="outer-cell"><p>USER: x</p><p>MODEL: y</p></div>`,
		"page.html":        `<html><p>USER: hello</p></html>`,
		"text.txt":         "USER: hello\nMODEL: hi",
		"conversation.txt": `{"title":"x","creation_time":1}`,
		dir + "conversation_1_turn_1_images_1.jpg": "alone",
		"conversation_7.txt":                       `{"title":"hello"}`,
	} {
		if r := importertest.Read(t, geminiworkspace.New(), importer.Limits{}, importertest.File{Name: name, Data: []byte(data)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", name)
		}
	}
}

func TestADamagedFileOfItsOwnNameIsReported(t *testing.T) {
	damaged := func(name string) archive.Member {
		return archive.NewMember(name, 10, 0, func(context.Context) (io.ReadCloser, error) { return nil, errors.New("the checksum differs") })
	}
	imp := geminiworkspace.New()
	c, err := imp.Claim(t.Context(), []archive.Member{damaged(dir + "conversation_1.txt"), damaged(dir + "conversation_1_turn_1_images_1.jpg"), damaged("other.txt")}, importertest.Peek, importer.Limits{})
	if err != nil || len(c.Members) != 2 || c.Members[1].Role != importer.RoleAsset {
		t.Fatalf("%+v: %v", c.Members, err)
	}
	n := 0
	for u, err := range imp.Split(t.Context(), c, importer.Limits{}) {
		if n++; err != nil || u.Err == nil || !strings.Contains(u.Err.Reason, "checksum") {
			t.Errorf("%v, %+v", err, u.Err)
		}
	}
	if n != 1 {
		t.Errorf("%d units", n)
	}
}

func TestIDsAreFrozen(t *testing.T) {
	var got []string
	for _, s := range importertest.Read(t, geminiworkspace.New(), importer.Limits{}, append(files(), importertest.File{Name: pageName, Data: []byte(page)},
		importertest.File{Name: "renamed.json", Data: []byte(plain)}, importertest.File{Name: "Drinks/Chat History/x.html", Data: []byte(page)})...).Conversations() {
		got = append(got, s.Doc.ID+" "+s.Doc.Messages[0].ID)
	}
	frozen := []string{
		"972404d1-f239-5a13-8e5b-867aa80cf3a7 user-0",
		"c850f46d-03c7-5776-9240-c6f3efafb80d user-0",
		"7d4ba3ab-b6a4-5474-b9f9-2fe92ba5a5d1 user-x0",
		"45a66189-f62f-59cc-99ae-12e5ece3a4b0 m0",
		"baf4378a-ca9a-58a0-b417-308d6b51aa5d user-0",
		"a0b06aa1-a754-5c9b-b4fc-6bee9916fbc6 m0",
	}
	if !slices.Equal(got, frozen) {
		t.Errorf("the ids are\n%s", strings.Join(got, "\n"))
	}
}

func FuzzWorkspace(f *testing.F) {
	for _, s := range []string{conversation, plain, odd} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "conversation"}, raw) })
}

func FuzzNotebookLM(f *testing.F) {
	f.Add([]byte(page))
	f.Add([]byte("<p>USER: \xff<pre>```\n</pre>MODEL:"))
	f.Fuzz(func(t *testing.T, raw []byte) { pages.Fuzz(t, importer.Unit{Role: "page"}, raw) })
}
