package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/pamline/pamline/extract"
)

// chatty is a talk of many short turns, some tens of thousands of characters.
func chatty(id string) *convo {
	var texts []string
	for range 120 {
		texts = append(texts, "I walk to the harbor before breakfast and count the ships that came in during the night. "+strings.Repeat("It was windy again. ", 6), ">Nice.")
	}
	return talkOf(id, append(texts, "I live in Oslo.")...)
}

func TestAServerThatCutsQuestionsIsAnErrorThatSaysWhatToSet(t *testing.T) {
	for _, window := range []int64{150, 1100, 2048, 4096} {
		s := newService(t)
		s.window = window
		answers := newKept()
		_, err := must(t, options(s, OpenAI)).Ask(t.Context(), seq(chatty("c")), answers)
		var asked *extract.AskError
		if !errors.As(err, &asked) || !asked.Permanent || !errors.Is(err, errWindow) || !strings.Contains(asked.Hint, "llm.context") || !strings.Contains(asked.Hint, "num_ctx") && !strings.Contains(asked.Hint, "OLLAMA_CONTEXT_LENGTH") {
			t.Errorf("window of %d: %v", window, err)
		}
		if len(answers.values) != 0 && window < 4096 { // the short question at the end fits the largest
			t.Errorf("window of %d: %d answers to cut questions are recorded", window, len(answers.values))
		}
	}
}

// A count that is the size of a context says little when the question may be just as long: its
// halves are asked, which costs a request when it was chance.
func TestAQuestionThatMayHaveBeenCutIsDivided(t *testing.T) {
	s := newService(t)
	s.window = 6144
	x, answers := must(t, options(s, OpenAI)), newKept()
	ask(t, x, answers, chatty("c"))
	found, report := read(t, x, answers, chatty("c"))
	if !strings.Contains(contents(found), "Lives in Oslo.") || len(report.Failed) != 0 {
		t.Errorf("%d found, %+v", len(found), report)
	}
	if asked, chunks := len(s.asked()), len(x.chunks(chatty("c"))); asked <= chunks {
		t.Errorf("%d requests for %d questions: none was divided", asked, chunks)
	}
}

func TestHonestCountsAreNotTakenForACut(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("Internationalization of telecommunication administrations notwithstanding. ", 300),
		strings.Repeat("Я живу в Новосибирске и работаю учителем математики. ", 300),
		strings.Repeat("我住在杭州，在一家医院工作。", 300),
	} {
		x := must(t, Options{Model: "m"})
		// The fewest tokens that vocabularies of today make of such texts: 5.5 characters each in
		// long English words, 4 in Russian, 1.6 in Chinese.
		perToken := map[bool]float64{true: 5.5, false: 4}[text[0] < 0x80]
		if strings.HasPrefix(text, "我") {
			perToken = 1.6
		}
		counted := int64(float64(len([]rune(text)))/perToken) + int64(float64(len(system))/5)
		if likely, err := x.checkWindow(counted, text); err != nil || likely {
			t.Errorf("%.20s: %v %v", text, likely, err)
		}
		if _, err := x.checkWindow(0, text); err != nil {
			t.Errorf("no count: %v", err)
		}
		if _, err := x.checkWindow(1, text); err != nil {
			t.Errorf("all of it was read before: %v", err)
		}
	}
}

func TestQuestionsFitTheContext(t *testing.T) {
	whole := must(t, Options{Model: "m"})
	small := must(t, Options{Model: "m", Context: 8192})
	if small.Version() == whole.Version() {
		t.Error("questions of another size have the same version")
	}
	if v := must(t, Options{Model: "m", Context: 65536}).Version(); v != whole.Version() {
		t.Error("a context with room for all changes the version")
	}
	for _, c := range small.chunks(chatty("c")) {
		if n := tokens(c.text()) + overhead + int64(small.o.MaxOutput); n > 8192 {
			t.Errorf("a question and its answer of %d tokens", n)
		}
	}
	if a, b := len(small.chunks(chatty("c"))), len(whole.chunks(chatty("c"))); a <= b {
		t.Errorf("%d questions instead of %d", a, b)
	}
	if _, err := New(Options{Model: "m", Context: 2048}); err == nil || !strings.Contains(err.Error(), "llm.context") {
		t.Errorf("a context without room: %v", err)
	}
}

// bodyOf is the request of a question.
func bodyOf(t *testing.T, o Options) map[string]any {
	t.Helper()
	body, err := must(t, o).requestBody("question", dialect{Rung: rungSchema})
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestOllamaIsToldTheContext(t *testing.T) {
	doc := bodyOf(t, Options{API: Ollama, Model: "m", Effort: "low", URL: "http://127.0.0.1:11434/v1"})
	o := doc["options"].(map[string]any)
	if o["num_ctx"].(float64) < float64(overhead)+maxChunk || doc["think"] != "low" || doc["truncate"] != false || doc["stream"] != false || doc["format"] == nil {
		t.Errorf("%v", doc)
	}
	doc = bodyOf(t, Options{API: Ollama, Model: "m", Effort: "none", Context: 12000})
	if o := doc["options"].(map[string]any); o["num_ctx"] != 12000.0 || o["num_predict"] != 3000.0 || doc["think"] != false {
		t.Errorf("%v", doc)
	}
}

func TestOllamaAnswersAreRead(t *testing.T) {
	s := newService(t)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat" {
			t.Errorf("asked at %s", r.URL.Path)
		}
		writeJSON(w, 200, object{"message": object{"role": "assistant", "thinking": "hm", "content": says(said("fact", "Lives in Oslo.", 1, "I live in Oslo."))},
			"done_reason": "stop", "prompt_eval_count": 1500, "eval_count": 70})
	})
	x, answers := must(t, options(s, Ollama)), newKept()
	u := ask(t, x, answers, talkOf("c", "I live in Oslo."))
	if found, _ := read(t, x, answers, talkOf("c", "I live in Oslo.")); contents(found) != "Lives in Oslo." || u.Input != 1500 || u.Output != 70 {
		t.Errorf("%+v %+v", found, u)
	}
	for text, want := range map[string]bool{`{"message":{"content":"{"},"done_reason":"length"}`: true, `{"message":{"content":"{}"}}`: false} {
		if r, err := (ollama{}).read([]byte(text)); err != nil || r.cut != want {
			t.Errorf("%s: %+v %v", text, r, err)
		}
	}
	for _, text := range []string{`{}`, `[]`, `{"error":"x"}`} {
		if _, err := (ollama{}).read([]byte(text)); !errors.Is(err, errForm) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestExtraFieldsAreMergedIntoRequests(t *testing.T) {
	doc := bodyOf(t, Options{Model: "m", Effort: "low", ExtraBody: json.RawMessage(`{"top_k":20,"temperature":null,"response_format":{"strict":1},"seed":12345678901234567890}`)})
	if doc["top_k"] != 20.0 || doc["reasoning_effort"] != "low" || doc["model"] != "m" {
		t.Errorf("%v", doc)
	}
	if _, there := doc["temperature"]; there {
		t.Error("null did not take the field out")
	}
	if f := doc["response_format"].(map[string]any); f["type"] != "json_schema" || f["strict"] != 1.0 {
		t.Errorf("objects are not merged: %v", f)
	}
	base := must(t, Options{Model: "m"}).Version()
	for _, o := range []Options{{Model: "m", ExtraBody: json.RawMessage(`{"top_k":20}`)}, {Model: "m", Effort: "low"}, {Model: "m", API: Ollama}} {
		if must(t, o).Version() == base {
			t.Errorf("%+v has the version of other questions", o)
		}
	}
	if must(t, Options{Model: "m", ExtraBody: json.RawMessage(` {"a":1, "b":2}`)}).Version() != must(t, Options{Model: "m", ExtraBody: json.RawMessage(`{"b":2,"a":1}`)}).Version() {
		t.Error("the order of fields changes the version")
	}
	for _, bad := range []string{`[1]`, `null`, `{"model":"x"}`, `{"messages":[]}`, `{"stream":true}`, `{`, `{} {}`} {
		if _, err := New(Options{Model: "m", ExtraBody: json.RawMessage(bad)}); err == nil || !strings.Contains(err.Error(), "llm.extra_body") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, o := range []Options{{Model: "m", API: Ollama, Batch: true}, {Model: "m", API: Anthropic, Effort: "low"}, {Model: "m", Context: -1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
