package harvest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

func FuzzListItems(f *testing.F) {
	for _, s := range []string{"1. [2024-05-01]. a\n2. [2024-05-02]. b", "# H\n1. a\n2. b", "x", "", "1) [2024-13-01] x\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		items := listItems(s)
		if len(items) > strings.Count(s, "\n")+1 {
			t.Fatalf("%d items in %q", len(items), s)
		}
		for _, item := range items {
			for line := range strings.Lines(item.text) {
				if !strings.Contains(s, strings.TrimSpace(line)) {
					t.Fatalf("item line %q is not in %q", line, s)
				}
			}
		}
	})
}

func FuzzExtract(f *testing.F) {
	f.Add(`{"content":{"content_type":"user_editable_context"}}`, "text", `"input"`)
	f.Add(`{"metadata":{"user_context_message_data":{"about_user_message":1}},"text_from":[1,null]}`, profile, `{"content":2}`)
	f.Add(`{"content":{"content_type":"model_editable_context"},"recipient":"bio"}`, "1. [2024-05-01]. x", ``)
	f.Fuzz(func(t *testing.T, raw, text, input string) {
		m := pamio.Message{ID: "n", Content: plainText(text), RawMetadata: pamio.RawJSON(raw), ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(input)}}}
		doc := conversation(m)
		doc.RawMetadata = pamio.RawJSON(raw)
		got, report := New().Extract(doc, nil)
		skipped := 0
		for _, n := range report.Skipped {
			skipped += n
		}
		if _, forbidden := report.Skipped[SkipForbidden]; !forbidden && len(got)+skipped < report.Records { // a record may have several sentences
			t.Fatalf("%d records gave %d candidates and %d skips", report.Records, len(got), skipped)
		}
		for i := range got {
			if got[i].Content == "" || decay[got[i].Type] == "" {
				t.Fatalf("candidate is %+v", got[i])
			}
		}
	})
}

// ordinaryTalk is a conversation of about 100 KB without a record.
func ordinaryTalk() (*pamio.Conversation, []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the user asks about a bio reactor and its context while editing model profiles every day")
	var messages []pamio.Message
	for i := range 100 {
		var b strings.Builder
		for b.Len() < 900 {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		messages = append(messages, pamio.Message{ID: fmt.Sprint(i), Role: "user", CreatedAt: began, Content: &pamio.Content{Type: "text", Text: ptr(b.String())}, RawMetadata: pamio.RawJSON(`{"metadata":{"a":1}}`)})
	}
	doc := conversation(messages...)
	return doc, doc.AppendJSON(nil)
}

func BenchmarkMayHold(b *testing.B) {
	_, raw := ordinaryTalk()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if MayHold(raw) {
			b.Fatal("a record out of nothing")
		}
	}
}

func BenchmarkOrdinaryConversation(b *testing.B) {
	doc, raw := ordinaryTalk()
	var sink []normalize.Candidate
	b.ReportAllocs()
	for b.Loop() {
		sink, _ = New().Extract(doc, raw)
	}
	if len(sink) != 0 {
		b.Fatal("candidates out of nothing")
	}
}

func BenchmarkConversationWithRecords(b *testing.B) {
	doc, _ := ordinaryTalk()
	doc.Messages = append(doc.Messages, pamio.Message{ID: "r", CreatedAt: began, ToolCalls: []pamio.ToolCall{{Name: "bio", Input: pamio.RawJSON(`"User prefers tea"`)}}})
	raw := doc.AppendJSON(nil)
	b.ReportAllocs()
	for b.Loop() {
		if c, _ := New().Extract(doc, raw); len(c) != 1 {
			b.Fatal("the record was not found")
		}
	}
}
