package web

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/config"
)

// keeper is a model that finds "I keep hens" in what it is asked, once its key is accepted.
type keeper struct{ accepts atomic.Bool }

// turnTag is the number of a turn of the person in a request.
var turnTag = regexp.MustCompile(`<turn-[0-9a-f]+ (\d+) user evidence>\n[^<]*I keep hens`)

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var q struct{ Messages []struct{ Content string } }
	if err != nil || json.Unmarshal(body, &q) != nil || len(q.Messages) == 0 {
		http.Error(w, "not a request", http.StatusBadRequest)
		return
	}
	if !k.accepts.Load() {
		http.Error(w, `{"error":{"message":"no such key"}}`, http.StatusUnauthorized)
		return
	}
	memories := []object{}
	if turn := turnTag.FindStringSubmatch(q.Messages[len(q.Messages)-1].Content); turn != nil {
		number, _ := strconv.Atoi(turn[1]) // digits
		memories = append(memories, object{
			"type": "fact", "content": "Keeps hens.", "subject": "user", "evidence": []object{{"turn": number, "quote": "I keep hens"}},
			"polarity": "positive", "stability": "durable", "explicit": true, "event_time": nil, "confidence": "high", "attribute": nil, "value": nil, "sensitive": nil, "derived_from": []any{},
		})
	}
	text, _ := json.Marshal(object{"memories": memories, "injection_suspected": false})
	_ = json.NewEncoder(w).Encode(object{
		"choices": []object{{"index": 0, "finish_reason": "stop", "message": object{"role": "assistant", "content": string(text)}}},
		"usage":   object{"prompt_tokens": 100, "completion_tokens": 10},
	})
}

// A model refuses its key, so the memories of an import are missing: the page says why, and after
// the cause is mended "Try again" brings them. Nothing is a double but the model.
func TestAPersonSeesAFailureAndTriesAgain(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]bool{"with script": true, "without script": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &keeper{}
			server := httptest.NewServer(model)
			defer server.Close()
			p, address := serveReal(t, func(c *config.Config) {
				c.Extract.Extractors, c.LLM.URL, c.LLM.Model, c.LLM.Attempts = "harvest,llm", server.URL+"/v1", "m", 1
			})
			tab := openTab(t, p, address, script)
			must := stepper(t)
			importFile(t, tab, address, writeExport(t, "first.zip", "I keep hens in the yard.", "What is the capital of Finland?"))
			failed := `document.querySelector("#failures") && document.querySelector(".failure button") && ` + says("The service does not take the key")
			must(tab.Until(failed))
			must(tab.Go(address+Base+"memories"), tab.Until(says("No memory fits")+" || "+says("There is nothing here yet")))
			tryAgain := func(then string) {
				t.Helper()
				must(tab.Go(address+Base+"imports"), tab.Until(`document.querySelector(".list a")`), tab.Click(".list a"), tab.Until(`location.search === "" && `+isImported+" && "+failed))
				must(tab.Click(".failure button"), tab.Until(`location.search === "?notice=retry" && `+isImported+" && "+then))
			}
			tryAgain(failed) // the cause is still there
			model.accepts.Store(true)
			tryAgain(`!document.querySelector("#failures") && ` + says("1 new memory"))
			must(tab.Go(address+Base+"memories"), tab.Until(says("Keeps hens.")+" && "+says("I keep hens")))
		})
	}
}
