package providers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// A first conversation that begins with a text of 64 KiB and more cost the whole export: nothing of
// its form was in what is looked at to recognize it.
func TestALongTextAtTheStartHidesNoExport(t *testing.T) {
	long, err := json.Marshal(strings.Repeat(`a "long" \ title `, 15_000))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ element, before, after string }{
		"chatgpt": {`{"title":TITLE,"create_time":1.7e9,"update_time":1.7e9,"mapping":{"a":{"id":"a","message":{"id":"a","author":{"role":"user"},"create_time":1.7e9,
			"content":{"content_type":"text","parts":["hello"]},"metadata":{}},"parent":null,"children":[]}},"current_node":"a","id":"ID"}`, "[", "]"},
		"claude": {`{"name":TITLE,"uuid":"ID","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","account":{"uuid":"u"},
			"chat_messages":[{"uuid":"m","text":"hello","content":[{"type":"text","text":"hello"}],"sender":"human","created_at":"2026-01-01T00:00:00Z"}]}`, "[", "]"},
		"grok": {`{"conversation":{"title":TITLE,"id":"ID","create_time":"2026-01-01T00:00:00Z","modify_time":"2026-01-01T00:00:00Z"},
			"responses":[{"response":{"_id":"r","conversation_id":"ID","message":"hello","sender":"human","create_time":{"$date":{"$numberLong":"1772359200000"}}}}]}`, `{"conversations":[`, `],"projects":[],"tasks":[]}`},
		"openwebui": {`{"title":TITLE,"id":"ID","user_id":"u","chat":{"title":"t","history":{"messages":{"a":{"id":"a","parentId":null,"childrenIds":[],"role":"user","content":"hello","timestamp":1}},"currentId":"a"}}}`, "[", "]"},
	} {
		t.Run(name, func(t *testing.T) {
			one := func(id, title string) string {
				return strings.NewReplacer("ID", "00000000-0000-4000-8000-00000000000"+id, "TITLE", title).Replace(c.element)
			}
			file := c.before + one("1", string(long)) + "," + one("2", `"short"`) + c.after
			d, err := providers.Default().Detect(t.Context(), open(t, "conversations.json", file), providers.Options{})
			if err != nil || len(d.Claims) != 1 || d.Claims[0].Importer.Name() != name {
				t.Fatalf("it is not recognized: %v", err)
			}
			r := importertest.Read(t, d.Claims[0].Importer, importer.Limits{}, importertest.Files("conversations.json", file)...)
			if got := len(r.Conversations()); got != 2 || len(r.Quarantined()) != 0 {
				t.Fatalf("%d conversations, quarantined %v", got, r.Quarantined())
			}
			// What is too long to be read is told with its place, and its neighbour is read all the
			// same.
			r = importertest.Read(t, d.Claims[0].Importer, importer.Limits{MaxConversation: 128 << 10}, importertest.Files("conversations.json", file)...)
			if bad := r.Quarantined(); len(r.Conversations()) != 1 || len(bad) != 1 || bad[0].Code != "too_big" || bad[0].Offset != int64(len(c.before)) {
				t.Errorf("%d conversations, quarantined %+v", len(r.Conversations()), bad)
			}
		})
	}
}
