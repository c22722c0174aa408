package gemini_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/gemini"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

func jsonLog(rows ...string) importertest.File {
	return importertest.File{Name: logPath, Data: []byte("[" + strings.Join(rows, ",\n") + "]")}
}

func page(cells ...string) importertest.File {
	return importertest.File{Name: pagePath, Data: []byte("<html><head><title>x</title></head><body>" + strings.Join(cells, "") + "</body></html>")}
}

// outerCell is a cell of Gemini with this payload.
func outerCell(payload string) string {
	return `<div class="outer-cell"><div class="mdl-grid"><div class="header-cell"><p class="mdl-typography--title">Gemini Apps<br></p></div><div class="content-cell mdl-typography--body-1">` +
		payload + `</div><div class="content-cell mdl-typography--caption"><b>Products:</b><br>&emsp;Gemini Apps<br></div></div></div>`
}

// said gives the texts of a conversation.
func said(doc *pamio.Conversation) string {
	var out []string
	for _, m := range doc.Messages {
		out = append(out, m.Role+": "+*m.Content.Text)
	}
	return strings.Join(out, " | ")
}

func only(t *testing.T, r *importertest.Result) *importer.Snapshot {
	t.Helper()
	all := r.Conversations()
	if len(all) != 1 {
		t.Fatalf("%d conversations, want 1; quarantined %v", len(all), r.Quarantined())
	}
	return all[0]
}

// Case 38 of the reference SDK's failures: a row with "Prompted …" and safeHtmlItem gave no message
// at all.
func TestPromptedRowsAreRead(t *testing.T) {
	s := only(t, read(t, jsonLog(`{"header":"Gemini Apps","title":"Prompted Hello","time":"2026-01-02T03:04:05.678Z","products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>Hi</p>"}]}`)))
	if got := said(s.Doc); got != "user: Hello | assistant: Hi" {
		t.Error(got)
	}
}

// Case 39: rows without a conversation got random ids, and titleUrl null was an error.
func TestRowsWithoutAConversationHaveLastingIDs(t *testing.T) {
	row := `{"header":"Gemini Apps","title":"Prompted Hello","titleUrl":null,"time":"2026-01-02T03:04:05.678Z"}`
	first := only(t, read(t, jsonLog(row))).Doc
	more := read(t, jsonLog(`{"header":"Gemini Apps","title":"Prompted Newer","time":"2027-01-02T03:04:05.678Z"}`, row)).Conversations()
	if len(more) != 2 || more[0].Doc.ID != first.ID && more[1].Doc.ID != first.ID {
		t.Error("the log grew and the id is another one")
	}
	if first.ID != "e77674ae-a794-5344-acb6-f3ce39f21ac2" || first.Provider.ConversationID != "" {
		t.Errorf("id %s", first.ID)
	}
}

// Case 42: a prompt with a time in it, and an answer with a div in it.
func TestTimesInPromptsAndDivsInAnswers(t *testing.T) {
	s := only(t, read(t, page(outerCell("Prompted&nbsp;Was it<br>Jan 2, 2024, 10:11:12 AM UTC<br>or 2024, 10:11:12?<br>Feb 3, 2026, 4:05:06 PM UTC<br><div>a<div>b</div>c</div><p>d</p>"))))
	if got := said(s.Doc); got != "user: Was it\nJan 2, 2024, 10:11:12 AM UTC\nor 2024, 10:11:12? | assistant: a\n\nb\n\nc\n\nd" {
		t.Error(got)
	}
	if s.Doc.Messages[0].CreatedAt != "2026-02-03T16:05:06Z" {
		t.Error(s.Doc.Messages[0].CreatedAt)
	}
}

// Case 43: rows were stitched together by gaps of an hour, and cells without a time got that of the
// import.
func TestNothingIsStitchedAndNoTimeIsInvented(t *testing.T) {
	r := read(t, jsonLog(
		`{"header":"Gemini Apps","title":"Prompted b","time":"2026-01-02T03:04:06Z"}`,
		`{"header":"Gemini Apps","title":"Prompted a","time":"2026-01-02T03:04:05Z"}`))
	if n := len(r.Conversations()); n != 2 {
		t.Errorf("%d conversations of two rows that name none", n)
	}
	s := only(t, read(t, page(outerCell("Prompted&nbsp;x<br><p>y</p>"))))
	if m := s.Doc.Messages[0]; m.CreatedAt != "1970-01-01T00:00:00Z" || !strings.Contains(string(m.RawMetadata), `"created_at_source":"none"`) || s.Anomalies["unreadable_time"] != 1 {
		t.Errorf("%s %s %v", m.CreatedAt, m.RawMetadata, s.Anomalies)
	}
}

// What was named once keeps its name.
func TestIDsArePinned(t *testing.T) {
	for _, c := range []struct{ row, id, message string }{
		{`{"header":"Gemini Apps","title":"Prompted x","time":"2026-01-02T03:04:05.1Z","details":[{"url":"https://gemini.google.com/app/abc123"}]}`, "", ""},
		{`{"header":"Gemini Apps","title":"Prompted x","time":"2026-01-02T03:04:05.1Z","titleUrl":"https://gemini.google.com/app/c/abc123?hl=de#x"}`, "", ""},
		{`{"header":"Gemini Apps","title":"Prompted x","time":"2026-01-02T03:04:05.1Z","titleUrl":"https://bard.google.com/u/1/app/c_abc123/"}`, "", ""},
		{`{"header":"Gemini Apps","title":"Asked\u00a0 two\n words ","time":"2026-01-02T03:04:05.9Z","titleUrl":"https://gemini.google.com/gems/view"}`, "0d04c0be-7e8e-582e-b579-e8230cb960e4", "97e2c8e3245abbfd"},
	} {
		doc := only(t, read(t, jsonLog(c.row))).Doc
		id, message := c.id, c.message
		if id == "" {
			id, message = "87e30975-d584-52f7-838b-88387ff05a6f", "27f48eb4f86c7020"
		}
		if doc.ID != id || !strings.HasPrefix(doc.Messages[0].ID, message) {
			t.Errorf("%s\nconversation %s, message %s", c.row, doc.ID, doc.Messages[0].ID)
		}
	}
}

func TestVerbs(t *testing.T) {
	for _, c := range []struct{ title, answer, want string }{
		{"Prompted a  b\n\nc ", "", "user: a  b\n\nc "},
		{"Prompted\u202fa", "", "user: a"},
		{"Prompted", "", "user: "},
		{"Prompt\u00a0: a", "", "user: a"},
		{"Prompt: a", "", "user: a"},
		{"Live Prompt", "<p>x</p>", "user:  | assistant: x"},
		{"Branched a", "", "user: a"},
		{"送信したメッセージ: a", "", "user: a"},
		{"Promptedly a", "<p>x</p>", "user: Promptedly a | assistant: x"},
		{"", "<img src=\"a-0123456789abcdef.png\">", "user:  | assistant: ![](a-0123456789abcdef.png)"},
		{"Used Gemini Apps", "<p>x</p>", ""},
		{"Selected preferred draft", "", ""},
		{"Something else", "", ""},
	} {
		html := ""
		if c.answer != "" {
			html = `,"safeHtmlItem":[{"html":` + string(pamio.AppendString(nil, c.answer)) + `}]`
		}
		r := read(t, jsonLog(`{"header":"Gemini Apps","time":"2026-01-02T03:04:05Z","title":`+string(pamio.AppendString(nil, c.title))+html+`}`))
		rows.Check(t, r)
		if c.want == "" {
			if len(r.Conversations()) != 0 || len(r.Records()) != 1 {
				t.Errorf("%q: %d conversations, %d records", c.title, len(r.Conversations()), len(r.Records()))
			}
			continue
		}
		if got := said(only(t, r).Doc); got != c.want {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
	}
}

// A text that is changed in the document is changed in the restored row, behind its verb.
func TestAnEditShowsInTheRow(t *testing.T) {
	doc := only(t, read(t, jsonLog(`{"header":"Gemini Apps","title":"Asked old","time":"2026-01-02T03:04:05.120Z"}`))).Doc
	edited := "new \"text\""
	doc.Messages[0].Content.Text = &edited
	doc.Messages[0].CreatedAt = "2026-01-02T03:04:06Z"
	got, err := gemini.New().Restore(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(got); !strings.Contains(s, `"title":"Asked new \"text\""`) || !strings.Contains(s, `"time":"2026-01-02T03:04:06Z"`) {
		t.Error(s)
	}
}
