package providers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers"
)

// What looks like an export and is none, or belongs to another product of a vendor, is refused by
// its name, so that a person knows what to drop instead. With all importers asked, nobody claims
// it.
func TestLookalikesAreRefusedByName(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"YouTube activity", `[{"header":"YouTube","title":"Watched a film","time":"2026-01-02T03:04:05Z","products":["YouTube"]}]`, "YouTube, not of Gemini"},
		{"Search activity that speaks of Gemini", `[{"header":"Search","title":"Searched for Gemini Apps","time":"2026-01-02T03:04:05Z","products":["Search"]}]`, "not of Gemini"},
		{"Chrome activity, HTML", `<html><body><div class="outer-cell mdl-cell"><div class="mdl-grid"><div class="header-cell"><p class="mdl-typography--title">Chrome<br></p></div><div class="content-cell mdl-typography--body-1">Visited Gemini<br>Jan 2, 2026, 3:04:05 AM UTC</div></div></div></body></html>`, "Chrome, not of Gemini"},
		{"AI Mode", `[{"header":"AI Mode","title":"Searched for x","time":"2026-01-02T03:04:05Z","products":["AI Mode"],"safeHtmlItem":[{"html":"<p>y</p>"}]}]`, "AI Mode"},
		{"Qwen listing", `{"success":true,"data":[{"id":"a","title":"t","updated_at":1,"created_at":1,"chat_type":"t2t"}]}`, "Qwen without their messages"},
		{"an object of an encrypted store", "pamline sealed\x00\x01\x83\x10\xff", "encrypted object of a pamline store"},
		{"Grok billing", `{"balance_map":{}}`, "Grok"},
		{"captured by an extension", `{"platform":"openrouter","turns":[{"role":"user","text":"x"}]}`, "extension"},
		{"Onyx", `{"chat_session_id":"x","description":"y","messages":[{"message":"z"}]}`, "Onyx"},
		{"Character.AI dump", `{"histories":{"histories":[{"msgs":[{"src":{"is_human":true},"text":"x"}]}]}}`, "Character.AI"},
		{"a list of another tool in Grok's wrapper", `{"conversations":[{"id":"x","messages":[{"role":"user","content":"y"}]}]}`, "unknown keys"},
		{"Telegram", `{"about":"x","chats":{"about":"y","list":[{"name":"z","messages":[]}]}}`, "Telegram"},
		{"Discord", `{"guild":{"id":"1"},"channel":{"id":"2"},"messages":[{"id":"3","content":"x"}]}`, "Discord"},
		{"Claude Desktop settings", `{"mcpServers":{"x":{"command":"y"}}}`, "Claude"},
		{"prompt history of a coding agent", `{"display":"x","pastedContents":{},"timestamp":1,"project":"/p"}`, "without any session"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := providers.Default().Detect(t.Context(), open(t, "file.json", c.content), providers.Options{})
			var none *providers.UnrecognizedError
			if !errors.As(err, &none) {
				t.Fatalf("it was not refused: %v", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the refusal does not say %q: %v", c.want, err)
			}
		})
	}
}
