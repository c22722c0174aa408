package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/pamline/pamline/extract/wire"
)

// ollama is the wire format of Ollama's own API. Unlike its copy of OpenAI's, it lets a request set
// the context, and refuse to be cut.
type ollama struct{}

// complete takes off the path of the other API, which people know better.
func (ollama) complete(address string) string {
	return strings.TrimSuffix(strings.TrimRight(address, "/"), "/v1")
}

func (ollama) header(key string) http.Header { return wire.Bearer(key) }

type ollamaRequest struct {
	Model    string          `json:"model"`
	Messages []openAIMessage `json:"messages"`
	Stream   bool            `json:"stream"`
	Truncate bool            `json:"truncate"`
	Format   any             `json:"format,omitempty"`
	Think    any             `json:"think,omitempty"`
	Options  ollamaOptions   `json:"options"`
}

type ollamaOptions struct {
	Context     int      `json:"num_ctx"`
	MaxTokens   int      `json:"num_predict"`
	Temperature *float64 `json:"temperature,omitempty"`
}

func (ollama) body(q question, d dialect) ([]byte, error) {
	r := ollamaRequest{
		Model: q.model, Messages: []openAIMessage{{"system", system}, {"user", q.text}},
		Options: ollamaOptions{Context: q.context, MaxTokens: q.maxOutput},
	}
	switch q.effort {
	case "":
	case "none":
		r.Think = false
	default:
		r.Think = q.effort
	}
	if !d.NoTemperature {
		r.Options.Temperature = new(float64)
	}
	switch d.Rung {
	case rungSchema:
		r.Format = schema
	case rungObject:
		r.Format = "json"
	case rungTool, rungPlain:
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	return body, nil
}

func (ollama) read(body []byte) (reply, error) {
	var doc struct {
		Message *struct {
			Content  string `json:"content"`
			Thinking string `json:"thinking"`
		} `json:"message"`
		DoneReason string `json:"done_reason"`
		Input      int64  `json:"prompt_eval_count"`
		Output     int64  `json:"eval_count"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return reply{}, fmt.Errorf("read answer of service: %w", errForm)
	}
	r := reply{input: max(doc.Input, 0), output: max(doc.Output, 0), cut: doc.DoneReason == "length"}
	if doc.Message == nil {
		return r, fmt.Errorf("read answer of service: there is no message in it: %w", errForm)
	}
	r.text = doc.Message.Content
	return r, nil
}
