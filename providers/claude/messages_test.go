package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/claude"
	"github.com/pamline/pamline/providers/importer"
)

// chat is a conversation of some messages, as JSON.
func chat(messages ...string) string {
	return `[{"uuid":"c","name":"A talk","summary":"` + strings.Repeat("What was said. ", 100) + `","created_at":"2026-01-02T03:04:05.678901Z","updated_at":"2026-01-02T03:04:06.678901Z","account":{"uuid":"a"},"chat_messages":[` + strings.Join(messages, ",") + `]}]`
}

// message is one message; more are fields with a comma before them.
func message(uuid, sender, more string) string {
	return fmt.Sprintf(`{"uuid":%q,"sender":%q,"created_at":"2026-01-02T03:04:05.678901Z"%s}`, uuid, sender, more)
}

// talk reads one conversation and holds the promises of it.
func talk(t *testing.T, messages ...string) *importer.Snapshot {
	t.Helper()
	r := read(t, text("conversations.json", chat(messages...)))
	format.Check(t, r)
	if len(r.Conversations()) != 1 {
		t.Fatalf("%d conversations, quarantined %v", len(r.Conversations()), r.Quarantined())
	}
	return r.Conversations()[0]
}

// said is a line for each message: id, role, parent, text and what else it has.
func said(doc *pamio.Conversation) string {
	var b strings.Builder
	for i := range doc.Messages {
		m := &doc.Messages[i]
		fmt.Fprintf(&b, "%s<%s %s", m.ID, m.ParentID, m.Role)
		if m.IsThought {
			b.WriteString(" thought")
		}
		if m.Content != nil && m.Content.Text != nil {
			fmt.Fprintf(&b, " %q", *m.Content.Text)
		} else if m.Content != nil {
			for _, p := range m.Content.Parts {
				fmt.Fprintf(&b, " +%q", *p.Text)
			}
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " %s(%s)", c.Name, c.Input)
			if c.Output != nil {
				fmt.Fprintf(&b, "=%q", *c.Output)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func expect(t *testing.T, doc *pamio.Conversation, lines ...string) {
	t.Helper()
	if got, want := said(doc), strings.Join(lines, "\n")+"\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Case 33 of the reference SDK's failures: an answer with thoughts became a thought as a whole, and
// the thoughts were lost.
func TestThoughtsAreMessagesOfTheirOwn(t *testing.T) {
	s := talk(t, message("q", "human", `,"text":"Why?"`),
		message("a", "assistant", `,"text":"I think.Because.","content":[{"type":"thinking","thinking":"I think."},{"type":"text","text":"Because."}]`))
	expect(t, s.Doc, `q< user "Why?"`, `a#0<q assistant thought "I think."`, `a<a#0 assistant "Because."`)
}

// Case 34 of the reference SDK's failures: an answer whose text is empty beside full blocks became
// an empty message.
func TestBlocksCountWhenTheTextIsEmpty(t *testing.T) {
	s := talk(t, message("a", "assistant", `,"text":"","content":[{"type":"text","text":"answer"}]`))
	expect(t, s.Doc, `a< assistant "answer"`)
}

func TestTheTextCountsOnlyWithoutBlocks(t *testing.T) {
	s := talk(t,
		message("1", "human", `,"text":"no blocks"`),
		message("2", "human", `,"text":"empty list","content":[]`),
		message("3", "human", `,"text":"null","content":null`),
		message("4", "human", `,"text":"a picture","content":[{"type":"image","file_uuid":"f"}]`),
		message("5", "assistant", `,"text":"This block is not supported on your current device yet.","content":[{"type":"tool_use","name":"f","input":{}}]`),
		message("6", "assistant", `,"text":"other","content":[{"type":"text","text":"blocks"}]`),
		message("7", "human", `,"content":"a string"`),
		message("8", "human", `,"text":null`))
	expect(t, s.Doc, `1< user "no blocks"`, `2< user "empty list"`, `3< user "null"`, `4< user "a picture"`, `5< assistant f({})`, `6< assistant "blocks"`, `7< user "a string"`, `8< user`)
}

// Case 36 of the reference SDK's failures: a tool without a name, an input that is a list, a null
// in the place of the messages.
func TestOddToolsAndNullsAreRead(t *testing.T) {
	s := talk(t, message("a", "assistant", `,"content":[{"type":"tool_use","name":null,"input":[1,2.50]},{"type":"tool_use","name":"","input":"[1]"},{"type":"tool_use","name":"g","input":true},{"type":"tool_use"}]`))
	expect(t, s.Doc, `a< assistant unknown("[1,2.50]") unknown("[1]") g("true") unknown()`)

	r := read(t, text("conversations.json", `[{"uuid":"x","name":null,"chat_messages":null},{"uuid":"y","chat_messages":[]},{"uuid":"z","chat_messages":[null]}]`))
	format.Check(t, r)
	if len(r.Conversations()) != 3 {
		t.Errorf("%d conversations, want 3; quarantined %v", len(r.Conversations()), r.Quarantined())
	}
}

// Case 37 of the reference SDK's failures: edited prompts came out as one list.
func TestBranchesStayBranches(t *testing.T) {
	root := `,"parent_message_uuid":"00000000-0000-4000-8000-000000000000"`
	s := talk(t,
		message("q1", "human", root+`,"text":"one"`), message("a1", "assistant", `,"parent_message_uuid":"q1","text":"answer"`),
		message("a2", "assistant", `,"parent_message_uuid":"q1","text":"retried"`), message("q2", "human", root+`,"text":"edited"`),
		message("q3", "human", `,"parent_message_uuid":"gone","text":"orphan"`), message("a3", "assistant", `,"text":"without a parent"`))
	expect(t, s.Doc, `q1< user "one"`, `a1<q1 assistant "answer"`, `a2<q1 assistant "retried"`, `q2< user "edited"`, `q3< user "orphan"`, `a3<q3 assistant "without a parent"`)
	if s.Anomalies["orphan_parent"] != 1 || s.Anomalies["parent_inferred"] != 1 {
		t.Errorf("anomalies: %v", s.Anomalies)
	}
}

func TestNullsAreRootsUnlessAnAnswerHasOne(t *testing.T) {
	null := `,"parent_message_uuid":null`
	s := talk(t, message("q1", "human", null), message("a1", "assistant", `,"parent_message_uuid":"q1"`), message("q2", "human", null))
	expect(t, s.Doc, `q1< user`, `a1<q1 assistant`, `q2< user`)
	s = talk(t, message("q1", "human", null), message("a1", "assistant", null), message("q2", "human", null), message("a2", "assistant", `,"parent_message_uuid":"q2"`))
	expect(t, s.Doc, `q1< user`, `a1<q1 assistant`, `q2<a1 user`, `a2<q2 assistant`)
	s = talk(t, message("q1", "human", null), message("a1", "assistant", null))
	expect(t, s.Doc, `q1< user`, `a1< assistant`)
}

func TestMessagesOutOfOrderInACircleOrTwice(t *testing.T) {
	s := talk(t, message("b", "assistant", `,"parent_message_uuid":"a"`), message("a", "human", `,"parent_message_uuid":null`))
	expect(t, s.Doc, `a< user`, `b<a assistant`)
	s = talk(t, message("a", "human", `,"parent_message_uuid":"b"`), message("b", "assistant", `,"parent_message_uuid":"a"`), message("b", "assistant", `,"parent_message_uuid":"b"`))
	if s.Anomalies["cycle_cut"] != 1 || s.Anomalies["duplicate_id"] != 1 {
		t.Errorf("anomalies: %v", s.Anomalies)
	}
	if m := s.Doc.Messages[2]; m.ID != "b~2" || m.ProviderMessageID != "b" {
		t.Errorf("the second of one uuid is %q of %q", m.ID, m.ProviderMessageID)
	}
}

func TestToolsArePairedByIDElseByNameAndOrder(t *testing.T) {
	call := func(id, name string) string {
		return `{"type":"tool_use","id":` + id + `,"name":"` + name + `","input":{}}`
	}
	result := func(id, name, text string) string {
		return `{"type":"tool_result","tool_use_id":` + id + `,"name":"` + name + `","content":[{"type":"text","text":"` + text + `"}]}`
	}
	s := talk(t,
		message("a", "assistant", `,"content":[`+call("null", "f")+`,`+call("null", "f")+`,`+call("null", "g")+`,`+result("null", "g", "3")+`,`+result("null", "f", "1")+`,`+result("null", "f", "2")+`]`),
		message("b", "assistant", `,"content":[`+call(`"t1"`, "f")+`,`+call(`"t2"`, "f")+`]`),
		message("c", "human", `,"content":[`+result(`"t2"`, "f", "two")+`,`+result(`"t1"`, "f", "one")+`]`),
		message("d", "assistant", `,"content":[`+call("null", "h")+`]`),
		message("e", "assistant", `,"content":[`+result("null", "h", "of no call in this message")+`]`))
	expect(t, s.Doc,
		`a< assistant f({})="1" f({})="2" g({})="3"`, `a#0<a tool +"3" +"1" +"2"`,
		`b<a#0 assistant f({})="one" f({})="two"`, `c<b tool +"two" +"one"`,
		`d<c assistant h({})`, `e<d tool "of no call in this message"`)
	if raw := string(s.Doc.Messages[2].RawMetadata); !strings.Contains(raw, `"tool_result_ids":["c","c"]`) {
		t.Errorf("the calls do not name a result that is in another message: %s", raw)
	}
	if !strings.Contains(string(s.Doc.RawMetadata), `"tool_pairing":"adjacent"`) || s.Anomalies["unpaired_tool_result"] != 1 {
		t.Errorf("raw %s, anomalies %v", s.Doc.RawMetadata, s.Anomalies)
	}
}

func TestLongResultsAreNotRepeated(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	s := talk(t, message("a", "assistant", `,"content":[{"type":"tool_use","id":"t","name":"f","input":{}},{"type":"tool_result","tool_use_id":"t","name":"f","content":"`+long+`"},{"type":"text","text":"Done."}]`))
	expect(t, s.Doc, `a#0< assistant f({})`, fmt.Sprintf("a#1<a#0 tool %q", long), `a<a#1 assistant "Done."`)
}

func TestOnlyPagesOfTheWebAreCitations(t *testing.T) {
	s := talk(t, message("a", "assistant", `,"content":[{"type":"text","text":"x","citations":[{"url":"https://a.example/","title":"A","metadata":{}},{"url":"ftp://b.example/","title":"B"},{"details":{"type":"web_search_citation","url":"http://c.example/"}},{"url":"https://d.example/a b"},null]}]`))
	var got []string
	for _, c := range s.Doc.Messages[0].Citations {
		got = append(got, c.Title+" "+c.URL)
	}
	if want := "A https://a.example/| http://c.example/"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDocumentsAndFilesOfAMessage(t *testing.T) {
	s := talk(t, message("a", "human", `,"text":"see","attachments":[{"file_name":"a.txt","file_size":12,"file_type":"text/plain","extracted_content":"words"},{"file_name":"b.pdf","file_size":9007199254740993,"file_type":"pdf"}],"files":[{"file_name":"c.PNG","file_uuid":"f1"},{"file_name":"d","file_kind":"image"},7]`))
	var got []string
	for _, a := range s.Doc.Messages[0].Attachments {
		got = append(got, a.Type+" "+a.Name+" "+a.MimeType+" "+a.ProviderID)
	}
	if want := "document a.txt text/plain |document b.pdf  |image c.PNG  f1|image d  "; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if s.Anomalies[importer.AnomalyAssetMissing] != 3 {
		t.Errorf("anomalies: %v", s.Anomalies)
	}
	if strings.Contains(string(s.Doc.AppendJSON(nil)), `"ref"`) {
		t.Error("an attachment has a ref, and there is no file")
	}
}

func TestWhatIsEditedIsRestored(t *testing.T) {
	s := talk(t, message("q", "human", `,"text":"Why?","content":[{"type":"text","text":"Why?"}]`),
		message("a", "assistant", `,"text":"Hm. Because.","content":[{"type":"thinking","thinking":"Hm. "},{"type":"text","text":"Because."}]`))
	title := "Another name"
	s.Doc.Title = &title
	for i := range s.Doc.Messages {
		*s.Doc.Messages[i].Content.Text += "!"
	}
	out, err := claude.New().Restore(nil, s.Doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"Another name"`, `"text":"Why?!"`, `"text":"Hm. !Because.!"`, `"thinking":"Hm. !"`, `"text":"Because.!"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
	if strings.Contains(string(out), `"Why?"`) || strings.Contains(string(out), `"Because."`) {
		t.Errorf("a text is restored as it was before the edit: %s", out)
	}
}

func TestIdsNeverChange(t *testing.T) {
	s := talk(t, message("8b0b3a0e-5b1c-4f3e-9d55-0c0d7a1f2b3c", "assistant", `,"content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"y"},{"type":"tool_result","content":"z"}]`))
	if want := "6ae24e62-b9b2-5a68-aab9-4e6afcccfaac"; s.Doc.ID != normalize.ConversationID("claude", "c") || s.Doc.ID != want {
		t.Errorf("the conversation is %s, was %s", s.Doc.ID, want)
	}
	for i, want := range []string{"8b0b3a0e-5b1c-4f3e-9d55-0c0d7a1f2b3c#0", "8b0b3a0e-5b1c-4f3e-9d55-0c0d7a1f2b3c", "8b0b3a0e-5b1c-4f3e-9d55-0c0d7a1f2b3c#1"} {
		if got := s.Doc.Messages[i].ID; got != want {
			t.Errorf("message %d is %s, was %s", i, got, want)
		}
	}
	r := read(t, text("x.json", `{"name":"without a uuid","chat_messages":[{"sender":"human","text":"hello"}]}`))
	format.Check(t, r)
	if want := "bbad6c68-fa12-5bf5-abba-6b9db56e3fab"; len(r.Conversations()) != 1 || r.Conversations()[0].Doc.ID != want {
		t.Errorf("a conversation without a uuid is %v, was %s", r.Conversations()[0].Doc.ID, want)
	}
}

func TestHugeMessagesAreReadInLinearTime(t *testing.T) {
	var b strings.Builder
	for i := range 4000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"tool_use","id":null,"name":"f%d","input":{"n":%d}},{"type":"text","text":"%d","citations":[]}`, i%7, i, i)
	}
	s := talk(t, message("a", "assistant", `,"text":"","content":[`+b.String()+`]`))
	if n := len(s.Doc.Messages[0].ToolCalls); n != 4000 {
		t.Errorf("%d calls", n)
	}
}
