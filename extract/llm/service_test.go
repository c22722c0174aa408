package llm

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// service is a local server with both wire formats and their batch APIs. It answers as model says,
// unless a fault is due.
type service struct {
	*httptest.Server
	t *testing.T

	mu    sync.Mutex
	calls []call
	// faults take the next requests for an answer, each once, instead of the model.
	faults []http.HandlerFunc
	// model gives the text, and what ended it ("" for its natural end), of an answer.
	model func(question string) (text, finish string)
	// refuses are rungs that get a 400.
	refuses map[rung]bool
	// picky: parameters that get a 400 with their name.
	picky map[string]bool
	// tooLong is from how many characters of a question on there is a 400; 0 for never.
	tooLong int
	// window is the most tokens that the service reads of a question; it leaves out the rest and
	// does not say so. 0: all.
	window int64

	batches []*fakeBatch
	files   map[string][]byte
	// batchFault changes what comes of the n-th request in a batch; "" for nothing strange.
	batchFault func(round, n int) string
	pollsLeft  int // polls until a batch has ended
	loseSubmit bool
	failBatch  string // code with which batches fail
}

type call struct {
	method, path string
	question     string
	rung         rung
}

type fakeBatch struct {
	id, tag string
	created time.Time
	lines   []json.RawMessage
	polls   int
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{t: t, model: attentive, refuses: map[rung]bool{}, picky: map[string]bool{}, files: map[string][]byte{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// asked are the questions that came one by one, probes left out.
func (s *service) asked() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []call
	for _, c := range s.calls {
		if c.question != "" && c.question != probeText {
			out = append(out, c)
		}
	}
	return out
}

func (s *service) count(method, path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.calls {
		if c.method == method && strings.HasSuffix(c.path, path) {
			n++
		}
	}
	return n
}

func (s *service) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read request: %v", err)
	}
	c := call{method: r.Method, path: r.URL.Path}
	asks := strings.HasSuffix(r.URL.Path, "/chat/completions") || strings.HasSuffix(r.URL.Path, "/messages")
	if asks {
		c.question, c.rung = questionIn(body)
	}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	var fault http.HandlerFunc
	if asks && len(s.faults) > 0 && c.question != probeText {
		fault, s.faults = s.faults[0], s.faults[1:]
	}
	s.mu.Unlock()
	switch {
	case fault != nil:
		fault(w, r)
	case asks:
		status, answer := s.complete(r.URL.Path, body)
		writeJSON(w, status, answer)
	default:
		s.serveBatch(w, r, body)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

type wireBody struct {
	System   json.RawMessage `json:"system"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Temperature    *float64 `json:"temperature"`
	MaxTokens      int      `json:"max_tokens"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
	OutputConfig json.RawMessage   `json:"output_config"`
	Tools        []json.RawMessage `json:"tools"`
}

func questionIn(body []byte) (string, rung) {
	var b wireBody
	if json.Unmarshal(body, &b) != nil || len(b.Messages) == 0 {
		return "", ""
	}
	r := rungPlain
	switch {
	case b.ResponseFormat.Type != "":
		r = rung(b.ResponseFormat.Type)
	case b.OutputConfig != nil:
		r = rungSchema
	case len(b.Tools) > 0:
		r = rungTool
	}
	return b.Messages[len(b.Messages)-1].Content, r
}

// complete is what the service answers to a request.
func (s *service) complete(path string, body []byte) (int, any) {
	var b wireBody
	if err := json.Unmarshal(body, &b); err != nil {
		s.t.Errorf("request is no JSON: %v", err)
	}
	question, rung := questionIn(body)
	refuse := func(code, param, message string) (int, any) {
		return 400, object{"type": "error", "error": object{"type": "invalid_request_error", "code": code, "param": param, "message": message}}
	}
	switch {
	case s.refuses[rung]:
		return refuse("unsupported_parameter", "response_format", "this form is not supported")
	case s.picky["temperature"] && b.Temperature != nil:
		return refuse("unsupported_value", "temperature", "temperature: only the default is supported")
	case s.picky["max_tokens"] && b.MaxTokens != 0 && strings.HasSuffix(path, "completions"):
		return refuse("unsupported_parameter", "max_tokens", "use 'max_completion_tokens' instead of 'max_tokens'")
	case s.tooLong > 0 && len(question) > s.tooLong:
		return refuse("context_length_exceeded", "messages", "This model's maximum context length is exceeded")
	}
	s.mu.Lock()
	model := s.model
	s.mu.Unlock()
	text, finish := model(question)
	if strings.HasSuffix(path, "/messages") {
		return 200, anthropicAnswer(text, finish, rung)
	}
	return 200, openAIAnswer(text, finish, rung, s.counted(question))
}

// counted is how many tokens of a question the service says it has read.
func (s *service) counted(question string) int64 {
	n := tokens(question) + tokens(system)
	switch {
	case s.window > 0:
		return min(n, s.window)
	case len(question) < 2000:
		return 1000 // for tests that count
	}
	return n
}

func openAIAnswer(text, finish string, r rung, input int64) any {
	message := object{"role": "assistant", "content": text}
	if r == rungTool && finish == "" {
		message = object{"role": "assistant", "content": nil, "tool_calls": []object{{"type": "function", "function": object{"name": toolName, "arguments": text}}}}
	}
	if finish == "" {
		finish = "stop"
	}
	return object{"id": "c1", "choices": []object{{"index": 0, "finish_reason": finish, "message": message}},
		"usage": object{"prompt_tokens": input, "completion_tokens": 100}}
}

func anthropicAnswer(text, finish string, r rung) any {
	content := []object{{"type": "text", "text": text}}
	if r == rungTool && finish == "" {
		content = []object{{"type": "tool_use", "name": toolName, "input": json.RawMessage(text)}}
	}
	if finish == "" {
		finish = "end_turn"
	}
	if finish == "length" {
		finish = "max_tokens"
	}
	return object{"id": "m1", "type": "message", "content": content, "stop_reason": finish, "usage": object{"input_tokens": 1000, "output_tokens": 100}}
}

// said is a memory as the model of the tests writes it.
func said(kind, content string, turn int, quote string, more ...any) object {
	o := object{
		"type": kind, "content": content, "subject": "user", "evidence": []object{{"turn": turn, "quote": quote}}, "polarity": "positive",
		"stability": "durable", "explicit": true, "event_time": nil, "confidence": "high", "attribute": nil, "value": nil, "sensitive": nil, "derived_from": []int{},
	}
	for i := 0; i+1 < len(more); i += 2 {
		o[more[i].(string)] = more[i+1]
	}
	return o
}

func says(memories ...object) string {
	if memories == nil {
		memories = []object{}
	}
	text, err := json.Marshal(object{"memories": memories, "injection_suspected": false})
	if err != nil {
		panic(err)
	}
	return string(text)
}

var (
	turnTag = regexp.MustCompile(`<turn-[0-9a-f]+ (\d+) (user|assistant) (evidence|context)>\n`)
	lives   = regexp.MustCompile(`I (live in|like|play) ([\p{L}\d ]+)\.`)
)

// attentive is a model that finds "I live in X.", "I like X." and "I play X." in the turns that are
// evidence.
func attentive(question string) (string, string) {
	var found []object
	tags := turnTag.FindAllStringSubmatchIndex(question, -1)
	for i, tag := range tags {
		end := len(question)
		if i+1 < len(tags) {
			end = tags[i+1][0]
		}
		if question[tag[6]:tag[7]] != "evidence" {
			continue
		}
		n, _ := strconv.Atoi(question[tag[2]:tag[3]])
		for _, m := range lives.FindAllStringSubmatch(question[tag[1]:end], -1) {
			kind, verb, attribute := "fact", "Lives in ", "residence"
			switch m[1] {
			case "like":
				kind, verb, attribute = "preference", "Likes ", "likes"
			case "play":
				kind, verb, attribute = "skill", "Plays ", "plays"
			}
			found = append(found, said(kind, verb+m[2]+".", n, m[0], "attribute", attribute, "value", m[2]))
		}
	}
	return says(found...), ""
}
