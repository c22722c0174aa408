package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// anthropic is the wire format of Anthropic's messages.
type anthropic struct{}

// complete adds the version, which the maker's own programs expect to add.
func (anthropic) complete(address string) string {
	if address = strings.TrimRight(address, "/"); strings.HasSuffix(address, "/v1") {
		return address
	}
	return address + "/v1"
}

func (anthropic) header(key string) http.Header {
	h := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if key != "" {
		h.Set("X-Api-Key", key)
	}
	return h
}

type anthropicRequest struct {
	Model        string   `json:"model"`
	MaxTokens    int      `json:"max_tokens"`
	Temperature  *float64 `json:"temperature,omitempty"`
	System       []object `json:"system"`
	Messages     []object `json:"messages"`
	OutputConfig object   `json:"output_config,omitempty"`
	Tools        []object `json:"tools,omitempty"`
	ToolChoice   object   `json:"tool_choice,omitempty"`
}

func (anthropic) body(q question, d dialect) ([]byte, error) {
	r := anthropicRequest{
		Model: q.model, MaxTokens: q.maxOutput,
		System:   []object{{"type": "text", "text": system, "cache_control": object{"type": "ephemeral"}}},
		Messages: []object{{"role": "user", "content": q.text}},
	}
	if !d.NoTemperature {
		r.Temperature = new(float64)
	}
	switch d.Rung {
	case rungSchema:
		r.OutputConfig = object{"format": object{"type": "json_schema", "schema": schema}}
	case rungTool:
		r.Tools = []object{{"name": toolName, "description": toolPurpose, "input_schema": schema}}
		r.ToolChoice = object{"type": "tool", "name": toolName}
	case rungObject, rungPlain:
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	return body, nil
}

func (anthropic) read(body []byte) (reply, error) {
	var doc struct {
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
		Usage      struct {
			Input   int64 `json:"input_tokens"`
			Output  int64 `json:"output_tokens"`
			Written int64 `json:"cache_creation_input_tokens"`
			Cached  int64 `json:"cache_read_input_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return reply{}, fmt.Errorf("read answer of service: %w", errForm)
	}
	r := reply{
		cut:     doc.StopReason == "max_tokens" || doc.StopReason == "model_context_window_exceeded",
		refused: doc.StopReason == "refusal",
		input:   max(doc.Usage.Input+doc.Usage.Written+doc.Usage.Cached, 0), output: max(doc.Usage.Output, 0),
	}
	if doc.Content == nil && doc.StopReason == "" {
		return r, fmt.Errorf("read answer of service: there is no content in it: %w", errForm)
	}
	var said strings.Builder
	for _, part := range doc.Content {
		if part.Type == "tool_use" {
			r.text = string(part.Input)
			return r, nil
		}
		if part.Type == "text" {
			said.WriteString(part.Text)
		}
	}
	r.text = said.String()
	return r, nil
}
