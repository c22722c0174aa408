package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pamline/pamline/extract/wire"
)

// openAI is the wire format of chat completions, as OpenAI and most other servers have it.
type openAI struct{}

func (openAI) complete(address string) string { return address }

func (openAI) header(key string) http.Header { return wire.Bearer(key) }

type openAIMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type openAIRequest struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	Temperature         *float64        `json:"temperature,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ResponseFormat      any             `json:"response_format,omitempty"`
	Effort              string          `json:"reasoning_effort,omitempty"`
	Tools               []any           `json:"tools,omitempty"`
	ToolChoice          any             `json:"tool_choice,omitempty"`
}

type object = map[string]any

func (openAI) body(q question, d dialect) ([]byte, error) {
	r := openAIRequest{Model: q.model, Effort: q.effort, Messages: []openAIMessage{{"system", system}, {"user", q.text}}}
	if d.NewLimit {
		r.MaxCompletionTokens = q.maxOutput
	} else {
		r.MaxTokens = q.maxOutput
	}
	if !d.NoTemperature {
		r.Temperature = new(float64)
	}
	switch d.Rung {
	case rungSchema:
		r.ResponseFormat = object{"type": "json_schema", "json_schema": object{"name": "memories", "strict": true, "schema": schema}}
	case rungObject:
		r.ResponseFormat = object{"type": "json_object"}
	case rungTool:
		r.Tools = []any{object{"type": "function", "function": object{"name": toolName, "description": toolPurpose, "parameters": schema}}}
		r.ToolChoice = object{"type": "function", "function": object{"name": toolName}}
	case rungPlain:
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	return body, nil
}

var errForm = errors.New("the body is not in the wire format")

func (openAI) read(body []byte) (reply, error) {
	var doc struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      *struct {
				Content   json.RawMessage `json:"content"`
				Refusal   string          `json:"refusal"`
				ToolCalls []struct {
					Function struct {
						Arguments json.RawMessage `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
		Usage struct {
			Input  int64 `json:"prompt_tokens"`
			Output int64 `json:"completion_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return reply{}, fmt.Errorf("read answer of service: %w", errForm)
	}
	r := reply{input: max(doc.Usage.Input, 0), output: max(doc.Usage.Output, 0)}
	if len(doc.Choices) == 0 || doc.Choices[0].Message == nil {
		return r, fmt.Errorf("read answer of service: there is no message in it: %w", errForm)
	}
	choice := doc.Choices[0]
	r.cut = choice.FinishReason == "length" || choice.FinishReason == "max_tokens"
	r.refused = choice.FinishReason == "content_filter" || choice.Message.Refusal != ""
	r.text = textOf(choice.Message.Content)
	for _, call := range choice.Message.ToolCalls {
		r.text = textOf(call.Function.Arguments)
		break // one call was asked for; more of them say the same again
	}
	return r, nil
}

// textOf reads what is a text, a list of parts with text, or an object where its text was expected.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text)
		}
		return b.String()
	}
	return string(raw)
}
