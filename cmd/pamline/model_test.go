package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// model is a local server with the wire format of OpenAI: it finds "I keep …" in what it is asked,
// and makes vectors of two numbers.
type model struct {
	*httptest.Server
	mu     sync.Mutex
	asked  int
	broken bool
}

func newModel(t testing.TB) *model {
	m := &model{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *model) set(broken bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = broken
}

func (m *model) requests() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

var (
	turnTag = regexp.MustCompile(`<turn-[0-9a-f]+ (\d+) user evidence>\n`)
	keeps   = regexp.MustCompile(`I keep (\w+)`)
)

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.asked++
	broken := m.broken
	m.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || broken {
		http.Error(w, `{"error":{"message":"no such key"}}`, http.StatusUnauthorized)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/embeddings") {
		m.embed(w, body)
		return
	}
	var q struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	question := q.Messages[len(q.Messages)-1].Content
	memories := []any{}
	for _, tag := range turnTag.FindAllStringSubmatchIndex(question, -1) {
		turn, _ := strconv.Atoi(question[tag[2]:tag[3]])
		rest := question[tag[1]:]
		if end := strings.Index(rest, "</turn-"); end >= 0 {
			rest = rest[:end]
		}
		for _, k := range keeps.FindAllStringSubmatch(rest, -1) {
			memories = append(memories, map[string]any{
				"type": "fact", "content": "Keeps " + k[1] + ".", "subject": "user", "evidence": []any{map[string]any{"turn": turn, "quote": k[0]}},
				"polarity": "positive", "stability": "durable", "explicit": true, "event_time": nil, "confidence": "high", "attribute": nil, "value": nil,
				"sensitive": nil, "derived_from": []any{},
			})
		}
	}
	text, _ := json.Marshal(map[string]any{"memories": memories, "injection_suspected": false})
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": string(text)}}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 10},
	})
}

func (m *model) embed(w io.Writer, body []byte) {
	var q struct{ Input []string }
	_ = json.Unmarshal(body, &q)
	var data []any
	for i, s := range q.Input {
		data = append(data, map[string]any{"index": i, "embedding": []float64{float64(1 + len(s)%7), float64(len(s) % 5)}})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "usage": map[string]any{"prompt_tokens": len(q.Input)}})
}

// talk is an export with one conversation of one message.
func talk(text string) string {
	doc, _ := json.Marshal([]any{map[string]any{
		"uuid": "11111111-1111-4111-8111-111111111111", "name": "Birds", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z",
		"account": map[string]any{"uuid": "a"},
		"chat_messages": []any{map[string]any{
			"uuid": "22222222-2222-4222-8222-222222222222", "text": text, "sender": "human", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z",
			"content": []any{map[string]any{"type": "text", "text": text}}, "attachments": []any{}, "files": []any{},
		}},
	}})
	return string(doc)
}

// pamline runs a command and gives its exit code and what it printed.
func pamline(args ...string) (code int, out string) {
	var stdout, stderr strings.Builder
	code = runCommand(args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

func TestAnImportAsksAModelOnceAndKeepsVectors(t *testing.T) {
	t.Parallel()
	m, folder := newModel(t), t.TempDir()
	export := filepath.Join(folder, "conversations.json")
	if err := os.WriteFile(export, []byte(talk("I keep hens and sometimes I keep bees, as a hobby.")), 0o600); err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(folder, "out")
	args := func(data string, more ...string) []string {
		return append([]string{"import", "--data", filepath.Join(folder, data), "--owner", "me", "--extractors", "harvest,llm", "--out", bundle,
			"--set", "llm.model=m", "--set", "llm.url=" + m.URL + "/v1", "--set", "llm.price_input=1", "--set", "llm.price_output=10",
			"--set", "embeddings.model=v", "--set", "embeddings.url=" + m.URL + "/v1", "--set", "llm.attempts=1"}, append(more, export)...)
	}
	if code, out := pamline(args("data", "--dry-run")...); code != 0 || !strings.Contains(out, "would take") || m.requests() != 0 {
		t.Fatalf("estimate: exit %d after %d requests\n%s", code, m.requests(), out)
	}
	m.set(true)
	code, out := pamline(args("data")...)
	if code != 3 || !strings.Contains(out, "done with losses") || !strings.Contains(out, "import the files again") {
		t.Fatalf("without a service: exit %d\n%s", code, out)
	}
	m.set(false)
	if code, out = pamline(args("data")...); code != 0 || !strings.Contains(out, "2 in the store") || !strings.Contains(out, "110") && !strings.Contains(out, "model ") {
		t.Fatalf("with the service again: exit %d\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(bundle, "embeddings.json")); err != nil {
		t.Error(err)
	}
	if code, out := pamline("validate", "--strict", bundle); code != 0 {
		t.Errorf("validate: exit %d\n%s", code, out)
	}
	before := m.requests()
	if code, out := pamline(args("data")...); code != 0 || !strings.Contains(out, "Nothing new: ") || m.requests() != before {
		t.Errorf("again: exit %d, %d requests more\n%s", code, m.requests()-before, out)
	}
	// A dry run with other extractors asks nothing, and shows what the recorded answers give.
	if code, out := pamline(args("data", "--dry-run", "--extractors", "rules")...); code != 0 || !strings.Contains(out, "2 in the store;") || strings.Contains(out, "would take") || m.requests() != before {
		t.Errorf("dry run: exit %d, %d requests more\n%s", code, m.requests()-before, out)
	}
	store, err := os.ReadFile(filepath.Join(bundle, "memory-store.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"content":"Keeps bees."`, `"content":"Keeps hens."`, `"extraction_method":"llm_inference"`, `"embedding_ref":"`, `"quote":"I keep hens"`} {
		if !strings.Contains(string(store), want) {
			t.Errorf("the store has no %s", want)
		}
	}
	// The same answers in another place make the same memories and vectors.
	if code, out := pamline(args("other")...); code != 0 {
		t.Fatalf("elsewhere: exit %d\n%s", code, out)
	}
	again, err := os.ReadFile(filepath.Join(bundle, "memory-store.json"))
	if err != nil {
		t.Fatal(err)
	}
	memories := regexp.MustCompile(`(?s)"memories":\[.*`)
	if a, b := memories.FindString(string(store)), memories.FindString(string(again)); a != b || a == "" {
		t.Errorf("another run made other memories:\n%s\n%s", a, b)
	}
}

func TestABudgetEndsTheAskingAndTheRestGoesOn(t *testing.T) {
	m, folder := newModel(t), t.TempDir()
	export := filepath.Join(folder, "conversations.json")
	if err := os.WriteFile(export, []byte(talk("I keep hens. My name is Anna Berg.")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out := pamline("import", "--data", filepath.Join(folder, "data"), "--extractors", "harvest,rules,llm", "--set", "llm.model=m", "--set", "llm.url="+m.URL+"/v1",
		"--set", "llm.max_tokens=10", export)
	if code != 3 || !strings.Contains(out, "llm.max_tokens") || m.requests() != 0 || !strings.Contains(out, "in the store") || strings.Contains(out, " 0 in the store") {
		t.Errorf("exit %d, %d requests\n%s", code, m.requests(), out)
	}
}
