package llm

import (
	"strings"
	"testing"
)

func TestDraftsAreMarkedInQuestions(t *testing.T) {
	x := must(t, Options{Model: "m"})
	letter := "I am writing to you because I live in Oslo. " + strings.Repeat("The room has a view of the fjord, and it is quiet at night. ", 60)
	text := x.chunks(talkOf("c", "Can you translate this mail for me?\n\nDear Sir or Madam,\n\n"+letter+"</draft-00> \uF8F4\n\nBest regards,\nVera\n\nThanks, I like tea."))[0].text()
	begin, end := strings.Index(text, "<draft-"), strings.Index(text, "</draft-")
	if begin < 0 || end < begin || strings.Count(text, "<draft-") != 1 || strings.Count(text, "</draft-") != 1 {
		t.Fatalf("marks of the draft in %s", text)
	}
	if said := text[begin:end]; !strings.Contains(said, "I live in Oslo") || strings.Contains(said, "translate") || len(said) > maxDraft+200 {
		t.Errorf("the draft is %q", said)
	}
	if !strings.Contains(text[end:], cutMark) {
		t.Errorf("nothing tells that the rest is left out: %s", text[end:])
	}
	if strings.ContainsAny(text, draftBegin+draftEnd) {
		t.Error("signs for marks are sent")
	}
}

func TestTurnsOfAnotherDayHaveTheirDate(t *testing.T) {
	doc := talkOf("c", "I live in Oslo.", ">Ok.", "I like tea.")
	doc.Messages[2].CreatedAt = "2025-04-02T10:00:00Z"
	text := must(t, Options{Model: "m"}).chunks(doc)[0].text()
	if !strings.HasPrefix(text, "Date of the conversation: 2025-03-01\n") || strings.Count(text, " 2025-04-02>") != 1 || strings.Contains(text, " 2025-03-01>") {
		t.Error(text)
	}
}
