package llm

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestAnswersOfServicesAreRead(t *testing.T) {
	for _, c := range []struct {
		api, body    string
		text         string
		cut, refused bool
		bad          bool
	}{
		{OpenAI, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`, "x", false, false, false},
		{OpenAI, `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`, "ab", false, false, false},
		{OpenAI, `{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"arguments":"{\"a\":1}"}}]}}]}`, `{"a":1}`, false, false, false},
		{OpenAI, `{"choices":[{"message":{"tool_calls":[{"function":{"arguments":{"a":1}}}]}}]}`, `{"a":1}`, false, false, false},
		{OpenAI, `{"choices":[{"message":{"content":"x"},"finish_reason":"length"}]}`, "x", true, false, false},
		{OpenAI, `{"choices":[{"message":{"content":"","refusal":"no"}}]}`, "", false, true, false},
		{OpenAI, `{"choices":[{}]}`, "", false, false, true},
		{OpenAI, `[]`, "", false, false, true},
		{Anthropic, `{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"x"}],"stop_reason":"end_turn"}`, "x", false, false, false},
		{Anthropic, `{"content":[{"type":"tool_use","input":{"a":1}}],"stop_reason":"tool_use"}`, `{"a":1}`, false, false, false},
		{Anthropic, `{"content":[],"stop_reason":"refusal"}`, "", false, true, false},
		{Anthropic, `{"content":[{"type":"text","text":"x"}],"stop_reason":"max_tokens"}`, "x", true, false, false},
		{Anthropic, `{}`, "", false, false, true},
	} {
		r, err := formats[c.api].read([]byte(c.body))
		if r.text != c.text || r.cut != c.cut || r.refused != c.refused || (err != nil) != c.bad {
			t.Errorf("%s: %+v, %v", c.body, r, err)
		}
	}
}

func FuzzWireFormats(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"x","tool_calls":[{"function":{"arguments":"{}"}}]},"finish_reason":"length"}],"usage":{"prompt_tokens":-1}}`))
	f.Add([]byte(`{"content":[{"type":"tool_use","input":{}}],"stop_reason":"refusal","usage":{"input_tokens":1}}`))
	f.Add([]byte(`{"custom_id":"a-0","response":{"status_code":200,"body":{"choices":[]}}}`))
	f.Add([]byte(`{"custom_id":"a-0","result":{"type":"errored","error":{"error":{"type":"overloaded_error"}}}}`))
	f.Add([]byte(`{"state":"ok","text":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for api, format := range formats {
			if r, _ := format.read(body); r.input < 0 || r.output < 0 {
				t.Fatalf("%s: %+v", api, r)
			}
		}
		for _, read := range []func([]byte) (string, batchResult, bool){readOpenAIResult, readAnthropicResult} {
			if id, r, ok := read(body); ok != (id != "") || r.status == 200 && r.err == nil && r.reply.input < 0 {
				t.Fatalf("%q %+v %v", id, r, ok)
			}
		}
		if r, ok := parseRecorded(body); ok {
			value, err := r.marshal()
			if err != nil {
				t.Fatal(err)
			}
			again, ok := parseRecorded(value)
			if first, _ := json.Marshal(r); !ok || !bytes.Equal(first, value) || again != r {
				t.Fatalf("%+v came back as %+v", r, again)
			}
		}
	})
}
