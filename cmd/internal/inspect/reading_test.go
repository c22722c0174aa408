package inspect

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

// forked is a conversation with two answers, a thought and a call of a tool.
func forked() *pamio.Conversation {
	text := func(s string) *pamio.Content { return &pamio.Content{Type: "text", Text: &s} }
	title, output, code := "Fork \x1b[31m", "forty-two", "x := 1\n```\n"
	return &pamio.Conversation{
		ID: "11111111-0000-5000-8000-000000000000", Title: &title, Provider: pamio.Provider{Name: "claude"}, Temporal: pamio.Span{CreatedAt: "2025-01-01T10:00:00Z"},
		Messages: []pamio.Message{
			{ID: "q", Role: "user", CreatedAt: "2025-01-01T10:00:00Z", Content: text("Why?\r\n\u202eBecause\u200b"), ChildrenIDs: []string{"t", "b"}},
			{ID: "t", Role: "assistant", CreatedAt: "2025-01-01T10:01:00Z", ParentID: "q", ChildrenIDs: []string{"a"}, IsThought: true, Content: text(strings.Repeat("Hm, let me see. ", 9))},
			{ID: "a", Role: "assistant", CreatedAt: "2025-01-01T10:02:00Z", ParentID: "t", ChildrenIDs: []string{}, Content: &pamio.Content{Type: "multipart", Parts: []pamio.Part{
				{Type: "code", Language: "go", Text: &code}, {Type: "image", Ref: "assets/a.png", MimeType: "image/png"},
			}}, Attachments: []pamio.Attachment{{Type: "image", Name: "plot.png", Ref: "assets/a.png"}, {Type: "file", Name: "data.csv"}},
				ToolCalls: []pamio.ToolCall{{Name: "run", Input: pamio.RawJSON(`"answer\n()"`), Output: &output}}},
			{ID: "b", Role: "assistant", CreatedAt: "2025-01-01T10:01:30Z", ParentID: "q", ChildrenIDs: []string{}, Content: text("No reason.")},
		},
	}
}

func pageOf(t *testing.T, message, branch int, markdown, unfold bool) string {
	t.Helper()
	r, err := Read(&Target{Conversation: forked(), Message: message}, branch)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (&Page{Reading: r, Markdown: markdown, Unfold: unfold}).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e\r") {
		t.Errorf("control characters reach the terminal: %q", b.String())
	}
	return b.String()
}

func TestTheBranchWithTheNewestMessageIsReadFolded(t *testing.T) {
	text := pageOf(t, -1, 0, false, false)
	contains(t, text, "branch 1 of 2", "Why?\nBecause", "[assistant, thought, 2025-01-01 10:01: Hm, let me see.", "(144 characters)]  ‹1/2›",
		"[image: plot.png, assets/a.png]", "[file: data.csv]", "[tool run: answer (), answer of 9 characters]", "--unfold")
	if strings.Contains(text, "forty-two") || strings.Count(text, "plot.png") != 1 {
		t.Errorf("%s", text)
	}
}

func TestAnotherBranchAndEverythingCanBeRead(t *testing.T) {
	contains(t, pageOf(t, -1, 2, false, false), "branch 2 of 2", "‹2/2›", "No reason.")
	contains(t, pageOf(t, -1, 1, false, true), "[answer of run]\nforty-two", "answer\n()")
	contains(t, pageOf(t, 3, 0, false, false), "branch 2 of 2", "› ── assistant")
	if _, err := Read(&Target{Conversation: forked(), Message: -1}, 3); err == nil {
		t.Error("there is no third branch")
	}
	if _, err := Read(&Target{Conversation: forked(), Message: -1}, -1); err == nil {
		t.Error("there is no branch before the first")
	}
}

func TestMarkdownKeepsCodeInItsFence(t *testing.T) {
	contains(t, pageOf(t, -1, 1, true, false), "# Fork", "## user, 2025-01-01 10:00", "````go\nx := 1\n```\n````", "![plot.png](<assets/a.png>)")
}

func TestAConversationWithoutMessagesSaysSo(t *testing.T) {
	r, err := Read(&Target{Conversation: &pamio.Conversation{ID: "x"}, Message: -1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (&Page{Reading: r}).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	contains(t, b.String(), "no messages")
}
