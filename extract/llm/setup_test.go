package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

type convo = pamio.Conversation

var testNow = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// memory of the tests: answers in a map, which can be made to fail.
type kept struct {
	mu     sync.Mutex
	values map[string][]byte
	spent  extract.Usage
	puts   int
	// dieAt is the write that fails, and all after it; 0 for none.
	dieAt int
	calls int
}

var errDied = errors.New("the process was killed")

func newKept() *kept { return &kept{values: map[string][]byte{}} }

var keyForm = regexp.MustCompile(`^(batch-)?[0-9a-f]{64}$`)

func (k *kept) Get(_ context.Context, key string) ([]byte, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !keyForm.MatchString(key) {
		return nil, false, fmt.Errorf("key %q is not one", key)
	}
	v, ok := k.values[key]
	return v, ok, nil
}

func (k *kept) write() error {
	if k.calls++; k.dieAt > 0 && k.calls >= k.dieAt {
		return errDied
	}
	return nil
}

func (k *kept) Put(_ context.Context, key string, value []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !keyForm.MatchString(key) {
		return fmt.Errorf("key %q is not one", key)
	}
	if err := k.write(); err != nil {
		return err
	}
	k.puts++
	k.values[key] = append([]byte{}, value...)
	return nil
}

func (k *kept) Spent(context.Context) (extract.Usage, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.spent, nil
}

func (k *kept) Spend(_ context.Context, u extract.Usage) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.write(); err != nil {
		return err
	}
	k.spent.Add(u)
	return nil
}

// talkOf makes a conversation: a text that begins with ">" is the assistant's.
func talkOf(id string, texts ...string) *pamio.Conversation {
	doc := &pamio.Conversation{ID: id, Provider: pamio.Provider{Name: "chatgpt", AccountID: "acc"}}
	doc.Temporal.CreatedAt = "2025-03-01T08:00:00Z"
	for i, text := range texts {
		role := "user"
		if rest, ok := strings.CutPrefix(text, ">"); ok {
			role, text = "assistant", rest
		}
		doc.Messages = append(doc.Messages, pamio.Message{
			ID: fmt.Sprintf("m%d", i), Role: role, CreatedAt: fmt.Sprintf("2025-03-01T08:%02d:00Z", i%60), Content: &pamio.Content{Type: "text", Text: &text},
		})
	}
	return doc
}

func seq(docs ...*pamio.Conversation) iter.Seq2[*pamio.Conversation, error] {
	return func(yield func(*pamio.Conversation, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// sleeps notes pauses instead of making them.
type sleeps struct {
	mu  sync.Mutex
	all []time.Duration
}

func (s *sleeps) sleep(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	s.all = append(s.all, d)
	s.mu.Unlock()
	return ctx.Err()
}

func options(s *service, api string) Options {
	return Options{
		API: api, URL: s.URL + "/v1", Model: "test-model", Key: func() string { return "key-very-secret-0123456789" }, Timeout: 5 * time.Minute, Parallel: 2,
		Now: func() time.Time { return testNow }, Sleep: new(sleeps).sleep,
	}
}

func must(t *testing.T, o Options) *Extractor {
	t.Helper()
	x, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func ask(t *testing.T, x *Extractor, answers extract.Answers, docs ...*pamio.Conversation) extract.Usage {
	t.Helper()
	u, err := x.Ask(t.Context(), seq(docs...), answers)
	if err != nil {
		t.Fatalf("ask: %v", err)
	}
	return u
}

func read(t *testing.T, x *Extractor, answers extract.Answers, docs ...*pamio.Conversation) ([]normalize.Candidate, extract.Report) {
	t.Helper()
	var all []normalize.Candidate
	var sum extract.Report
	for _, d := range docs {
		found, report, err := x.Read(t.Context(), d, answers)
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		checkEvidence(t, d, found)
		all = append(all, found...)
		sum.Add(report)
		sum.Rejects = append(sum.Rejects, report.Rejects...)
	}
	return all, sum
}

// checkEvidence holds every candidate to the contract: its quotes are the person's own words, where
// it says.
func checkEvidence(t *testing.T, doc *pamio.Conversation, found []normalize.Candidate) {
	t.Helper()
	turns, _ := extract.Turns(doc)
	for _, c := range found {
		if len(c.Evidence) == 0 {
			t.Errorf("%q has no evidence", c.Content)
		}
		if !pamio.IsSystem(c.Extractor) {
			t.Errorf("extractor %q", c.Extractor)
		}
		for _, e := range c.Evidence {
			ok := false
			for _, turn := range turns {
				runes := []rune(turn.Text)
				if turn.ID == e.Message && turn.Own && e.Start >= 0 && e.End <= len(runes) && e.Start < e.End {
					ok = string(runes[e.Start:e.End]) == e.Quote
				}
			}
			if !ok {
				t.Errorf("%q: %+v is no span of the person's words", c.Content, e)
			}
		}
	}
}

func contents(found []normalize.Candidate) string {
	var all []string
	for _, c := range found {
		all = append(all, c.Content)
	}
	return strings.Join(all, " ")
}

// asJSON is for comparing candidates.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
