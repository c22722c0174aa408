package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/llm"
	"github.com/pamline/pamline/pamio"
)

// Ask gets answers and records them, Read makes candidates of what is recorded.
func ExampleExtractor() {
	// A model that finds one thing.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text := `{"memories":[{"type":"fact","content":"Lives in Oslo.","subject":"user","evidence":[{"turn":1,"quote":"I live in Oslo"}],` +
			`"polarity":"positive","stability":"durable","explicit":true,"confidence":"high","attribute":"residence","value":"Oslo"}]}`
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": text}}}})
	}))
	defer server.Close()

	x, err := llm.New(llm.Options{
		URL: server.URL, Model: "small-model", Now: func() time.Time { return time.Unix(0, 0) },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "By the way, I live in Oslo."
	doc := &pamio.Conversation{ID: "c1", Messages: []pamio.Message{{ID: "m1", Role: "user", Content: &pamio.Content{Type: "text", Text: &text}}}}
	var docs iter.Seq2[*pamio.Conversation, error] = func(yield func(*pamio.Conversation, error) bool) { yield(doc, nil) }

	answers := &shelf{values: map[string][]byte{}}
	if _, err := x.Ask(context.Background(), docs, answers); err != nil {
		fmt.Println(err)
		return
	}
	found, _, err := x.Read(context.Background(), doc, answers)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range found {
		e := c.Evidence[0]
		fmt.Printf("%s: %s %q at %d–%d of %s\n", c.Type, c.Content, e.Quote, e.Start, e.End, e.Message)
	}
	// Output: fact: Lives in Oslo. "I live in Oslo" at 12–26 of m1
}

// shelf keeps answers in memory.
type shelf struct {
	mu     sync.Mutex
	values map[string][]byte
	spent  extract.Usage
}

func (s *shelf) Get(_ context.Context, key string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[key]
	return v, ok, nil
}

func (s *shelf) Put(_ context.Context, key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = value
	return nil
}

func (s *shelf) Spent(context.Context) (extract.Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spent, nil
}

func (s *shelf) Spend(_ context.Context, u extract.Usage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent.Add(u)
	return nil
}
