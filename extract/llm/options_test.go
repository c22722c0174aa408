package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
)

func TestVersionFollowsTheModelAndTheQuestion(t *testing.T) {
	version := func(o Options) string { return must(t, o).Version() }
	base := version(Options{Model: "Some/Model:7b_Q4"})
	if !pamio.IsSystem(base) || !strings.HasPrefix(base, "pamline-llm-some-model-7b-q4-") || !strings.HasSuffix(base, "/"+contract) {
		t.Errorf("version %q", base)
	}
	if version(Options{Model: "Some/Model:7b_Q4", Parallel: 9, Attempts: 9, MaxTokens: 5, Batch: true, URL: "http://127.0.0.1:1"}) != base {
		t.Error("a setting that changes no answer changes the version")
	}
	for _, o := range []Options{{Model: "some/model:8b"}, {Model: "Some/Model:7b_Q4", MaxOutput: 9000}, {Model: "Some/Model:7b_Q4", API: Anthropic}} {
		if version(o) == base {
			t.Errorf("%+v has the same version", o)
		}
	}
	for _, odd := range []string{"模型", "///", strings.Repeat("very-long-name-", 20)} {
		if v := version(Options{Model: odd}); !pamio.IsSystem(v) || len(v) > 80 {
			t.Errorf("%q: %q", odd, v)
		}
	}
}

func TestWrongOptionsAreNamedAndShowNoSecret(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "model"},
		{Options{Model: "m", API: "other"}, `"other"`},
		{Options{Model: "m", MaxUSD: 1}, "price"},
		{Options{Model: "m", MaxTokens: -1}, "below zero"},
		{Options{Model: "m", URL: "ftp://tok-123456@host"}, "address"},
		{Options{Model: "m", URL: "http://user:tok-123456@host"}, "password"},
		{Options{Model: "m", Key: func() string { return "tok-123456\nx" }}, "header"},
	} {
		_, err := New(c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "tok-123456") {
			t.Errorf("%+v: %v", c.want, err)
		}
	}
	if _, err := must(t, Options{Model: "m"}).Ask(t.Context(), seq(), newKept()); err == nil {
		t.Error("asked without a clock")
	}
}

func TestPromptNamesEverythingOfTheSchema(t *testing.T) {
	var doc struct {
		Properties struct {
			Memories struct {
				Items struct {
					Required   []string                   `json:"required"`
					Properties map[string]json.RawMessage `json:"properties"`
				} `json:"items"`
			} `json:"memories"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schema, &doc); err != nil {
		t.Fatal(err)
	}
	items := doc.Properties.Memories.Items
	if len(items.Required) != len(items.Properties) || len(items.Required) == 0 {
		t.Errorf("%d required of %d: strict modes want all", len(items.Required), len(items.Properties))
	}
	for _, name := range items.Required {
		if !strings.Contains(system, name) {
			t.Errorf("the prompt does not say what %s is", name)
		}
	}
	var kind struct {
		Enum []string `json:"enum"`
	}
	if err := json.Unmarshal(items.Properties["type"], &kind); err != nil {
		t.Fatal(err)
	}
	for _, k := range kind.Enum {
		if decay[k] == "" {
			t.Errorf("type %s has no decay", k)
		}
	}
	if len(kind.Enum) != len(decay) {
		t.Errorf("%d types in the schema, %d in the table", len(kind.Enum), len(decay))
	}
	if !strings.Contains(strings.ToLower(system), "json") {
		t.Error("json_object mode wants the word in the prompt")
	}
	// The example must be recognized when a model copies it, and must be readable as an answer.
	example := system[strings.LastIndex(system, `{"memories"`):]
	a, err := parseAnswer(example)
	if err != nil || len(a.memories) != 1 || !copiesExample(a.memories[0].content) {
		t.Errorf("example: %+v, %v", a, err)
	}
}
