package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// server answers the extractor's requests, in the wire format of OpenAI, with what was recorded
// about the same turns.
type server struct {
	index *index

	mu sync.Mutex
	// only is the memory that is answered with, counted in its session; below 0 for all.
	only     int
	strange  int // requests about no recorded session
	answered int
}

func newServer(sessions []session) *server { return &server{index: newIndex(sessions), only: -1} }

// choose sets which memory of a session is answered with; below 0 for all.
func (s *server) choose(only int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.only = only
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct{ Role, Content string } `json:"messages"`
	}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, `{"error":{"message":"only /chat/completions is served"}}`, http.StatusNotFound)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || len(request.Messages) == 0 {
		http.Error(w, `{"error":{"message":"the request has no messages"}}`, http.StatusBadRequest)
		return
	}
	read := 0
	for _, m := range request.Messages {
		read += len(m.Content)
	}
	text, err := s.answer(request.Messages[len(request.Messages)-1].Content)
	if err != nil {
		http.Error(w, `{"error":{"message":"the recording cannot be written"}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// An error here is one of the connection: the extractor sees it as well.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": read/4 + 1, "completion_tokens": len(text)/4 + 1},
	})
}

// answer gives the recorded memories whose evidence is in the question.
func (s *server) answer(question string) (string, error) {
	windows := parseQuestion(question)
	at := s.index.find(windows)
	s.mu.Lock()
	only := s.only
	if at < 0 {
		s.strange++
	} else {
		s.answered++
	}
	s.mu.Unlock()
	all := []wireMemory{}
	if at >= 0 {
		session := &s.index.sessions[at]
		for i := range session.memories {
			if only >= 0 && i != only {
				continue
			}
			if number := numberOf(session, &session.memories[i], windows); number > 0 {
				all = append(all, translate(&session.memories[i], number))
			}
		}
	}
	return answerText(all)
}

// numberOf gives the number of the turn that a memory cites, as the question counts: the part of a
// long turn that holds the quote, else its first part. It is 0 when the turn is not in the
// question.
func numberOf(s *session, m *memory, windows []window) int {
	cited := m.cited(s)
	quote := ""
	if q := m.quotes(); len(q) > 0 {
		quote = head(squeeze(q[0]))
	}
	first := 0
	for _, w := range windows {
		if w.dialogue != cited || cited < 0 {
			continue
		}
		if first == 0 {
			first = w.number
		}
		if quote != "" && strings.Contains(w.letters, quote) {
			return w.number
		}
	}
	return first
}

func (s *server) counts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d requests answered from recordings, %d about nothing recorded", s.answered, s.strange)
}
