package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/harvest"
	"github.com/pamline/pamline/extract/rules"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// source is one import of a history: what the person says in a conversation, and what a provider
// keeps about the person.
type source struct {
	id, at   string
	question string // what the assistant asked before, "" for nothing
	text     string
	records  []string
}

// readHistory reads what was said before, apart by ">>", and what is said later. "(memory)" begins
// a record, "(asked)" a question of the assistant that ends with "=>".
func readHistory(before, after string) []source {
	at := time.Date(2023, 2, 1, 10, 0, 0, 0, time.UTC)
	var all []source
	for step := range strings.SplitSeq(before, ">>") {
		all = append(all, readSource(fmt.Sprint("before", len(all)), at, step))
		at = at.AddDate(0, 3, 0)
	}
	return append(all, readSource("after", time.Date(2024, 3, 5, 10, 0, 0, 0, time.UTC), after))
}

func readSource(id string, at time.Time, text string) source {
	s := source{id: id, at: at.Format(time.RFC3339)}
	text, records, found := strings.Cut(text, "(memory)")
	if found {
		for r := range strings.SplitSeq(records, "(memory)") {
			s.records = append(s.records, strings.TrimSpace(r))
		}
	}
	if question, ok := strings.CutPrefix(strings.TrimSpace(text), "(asked)"); ok {
		s.question, text, _ = strings.Cut(question, "=>")
	}
	s.text = strings.TrimSpace(text)
	return s
}

// candidates are what the extractors find in one import.
func (s *source) candidates() []normalize.Candidate {
	var all []normalize.Candidate
	if s.text != "" {
		all, _ = rules.New().Extract(s.conversation(), nil)
	}
	for i, r := range s.records {
		found, _ := harvest.New().ExtractRecord(&extract.Record{Kind: extract.RecordMemory, Provider: "chatgpt", ID: fmt.Sprint(s.id, i), Pointer: fmt.Sprint("/", i), Text: r, CreatedAt: s.at})
		for _, c := range found {
			c.Platform = "chatgpt"
			all = append(all, c)
		}
	}
	return all
}

// conversation is what the person says, with a long answer.
func (s *source) conversation() *pamio.Conversation {
	doc := &pamio.Conversation{ID: normalize.ConversationID("chatgpt", s.id)}
	doc.Provider.Name, doc.Temporal.CreatedAt = "chatgpt", s.at
	say := func(role, text string) {
		doc.Messages = append(doc.Messages, pamio.Message{ID: fmt.Sprint("m", len(doc.Messages)), Role: role, CreatedAt: s.at, Content: &pamio.Content{Type: "text", Text: &text}})
	}
	if s.question != "" {
		say("assistant", s.question)
	}
	say("user", s.text)
	say("assistant", strings.Repeat("Here is a longer answer with several points to think about, in some detail. ", 8))
	return doc
}
