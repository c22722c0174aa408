package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/pamio"
)

// session is a conversation with the memories that a model found in it.
type session struct {
	id       string
	dialogue []turn
	memories []memory
}

type turn struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// memory is one recorded memory. Annotators approved it, or rejected it.
type memory struct {
	Kind       string  `json:"type"`  // direct, indirect, implied
	Label      string  `json:"label"` // "Preferences/Food"
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
	Scope      string  `json:"time_scope"`
	Attitude   string  `json:"preference_attitude"`
	Evidence   struct {
		Text  json.RawMessage `json:"text"`            // a string, mostly
		Index json.RawMessage `json:"utterance_index"` // a number, mostly
	} `json:"evidence"`
	approved bool
}

// errAbsent tells that the recordings are not there.
var errAbsent = errors.New("the recorded answers are absent")

// readSessions reads the annotated conversations of a file of JSON Lines, compressed with gzip.
func readSessions(file string) (all []session, err error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", file, errAbsent)
	}
	if err != nil {
		return nil, fmt.Errorf("open recorded answers: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	in := bufio.NewReader(z)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			s, err := parseSession(line)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", file, err)
			}
			all = append(all, s)
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
	}
}

func parseSession(line []byte) (session, error) {
	var d struct {
		ID       string   `json:"session_id"`
		Dialogue []turn   `json:"dialogue"`
		Gold     []memory `json:"gold"`
		Rejected []memory `json:"rejected"`
	}
	if err := json.Unmarshal(line, &d); err != nil {
		return session{}, err
	}
	s := session{id: d.ID, dialogue: d.Dialogue}
	for _, m := range d.Gold {
		m.approved = true
		s.memories = append(s.memories, m)
	}
	for _, m := range d.Rejected {
		m.Value = annotation.ReplaceAllString(m.Value, "") // the annotators' reason is no part of the answer
		s.memories = append(s.memories, m)
	}
	return s, nil
}

var annotation = regexp.MustCompile(`\s*\[ERROR:.*$`)

// conversation is the session as the extractor reads it. The ids of messages are their positions.
func (s *session) conversation() *pamio.Conversation {
	doc := &pamio.Conversation{ID: s.id}
	doc.Provider.Name = "local"
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	doc.Temporal.CreatedAt = start.Format(time.RFC3339)
	for i := range s.dialogue {
		doc.Messages = append(doc.Messages, pamio.Message{ID: strconv.Itoa(i), Role: s.dialogue[i].Role,
			CreatedAt: start.Add(time.Duration(i) * time.Second).Format(time.RFC3339),
			Content:   &pamio.Content{Type: "text", Text: &s.dialogue[i].Text}})
	}
	return doc
}

// quotes are the texts of a memory's evidence.
func (m *memory) quotes() []string {
	var one string
	if json.Unmarshal(m.Evidence.Text, &one) == nil {
		return []string{one}
	}
	var several []string
	if json.Unmarshal(m.Evidence.Text, &several) == nil {
		return several
	}
	return nil
}

// cited is the position of the turn that a memory names as its evidence, -1 for none.
func (m *memory) cited(s *session) int {
	i, err := strconv.Atoi(strings.Trim(string(m.Evidence.Index), "[]"))
	if err != nil || i < 0 || i >= len(s.dialogue) {
		return -1
	}
	return i
}
