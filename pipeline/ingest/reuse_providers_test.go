package ingest_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pamline/pamline/pipeline/stagetest"
)

// chatgptTalk is a conversation of a ChatGPT export; more is appended to what the person says.
func chatgptTalk(n int, more string) string {
	return fmt.Sprintf(`{"conversation_id":"c-%d","title":"Talk %d","create_time":%d,"update_time":%d,"current_node":"b","mapping":{
"a":{"id":"a","message":{"id":"a","author":{"role":"user"},"create_time":%d,"content":{"content_type":"text","parts":["I live in Ghent%d.%s"]},"metadata":{}},"parent":null,"children":["b"]},
"b":{"id":"b","message":{"id":"b","author":{"role":"assistant"},"recipient":"bio","create_time":%d,"content":{"content_type":"text","parts":["User keeps %d hens."]},"metadata":{}},"parent":"a","children":[]}}}`,
		n, n, 1700000000+n, 1700000100+n, 1700000001+n, n, more, 1700000002+n, n)
}

// chatgptPicture is a conversation that names a file of the export.
func chatgptPicture(n int) string {
	return fmt.Sprintf(`{"conversation_id":"p-%d","title":"Picture","create_time":1700000000,"current_node":"a","mapping":{"a":{"id":"a","message":{"id":"a","author":{"role":"user"},
"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-pic%d","width":1,"height":1,"size_bytes":33},"Look"]},"metadata":{}},"parent":null,"children":[]}}}`, n, n)
}

// claudeTalk is a conversation of a Claude export without the account.
func claudeTalk(n int, more string) string {
	return fmt.Sprintf(`{"uuid":"%08d-0000-4000-8000-000000000000","name":"Talk %d","created_at":"2025-01-01T00:00:0%dZ","updated_at":"2025-01-02T00:00:00Z","chat_messages":[
{"uuid":"%08d-0000-4000-8000-000000000001","sender":"human","text":"I live in Ghent%d.%s","content":[{"type":"text","text":"I live in Ghent%d.%s"}],"created_at":"2025-01-01T00:00:00Z"}]}`,
		n, n, n%10, n, n, more, n, more)
}

func list(elements ...string) string { return "[" + strings.Join(elements, ",\n") + "]" }

func talksOf(talk func(int, string) string, from, to int) (all []string) {
	for n := from; n <= to; n++ {
		all = append(all, talk(n, ""))
	}
	return all
}

// Conversations move between files, get feedback, are shared, and their files come and go: what is
// taken over is what decoding comes to.
func TestElementsOfProvidersAreTakenOverUnlessTheRestOfTheArchiveMatters(t *testing.T) {
	png := "file-pic1-a.png"
	talks := append(talksOf(chatgptTalk, 1, 12), chatgptPicture(1), chatgptPicture(2))
	chatgpt := map[string]string{
		"conversations-000.json": list(talks[:7]...), "conversations-001.json": list(talks[7:]...),
		"user.json": `{"id":"user-1","email":"x@example.org"}`, png: stagetest.PNG + "one",
	}
	moved := map[string]string{
		"conversations-000.json": list(append([]string{chatgptTalk(13, "")}, talks[:4]...)...), "conversations-001.json": list(talks[4:]...),
		"message_feedback.json":     `[{"id":"a","conversation_id":"c-2","rating":"thumbsUp"}]`,
		"shared_conversations.json": `[{"id":"s","conversation_id":"c-3","title":"Talk","is_anonymous":true}]`,
		"user.json":                 `{"id":"user-1","email":"y@example.org"}`, "file-pic2-b.png": stagetest.PNG + "two",
	}
	other := maps.Clone(chatgpt)
	other["user.json"] = `{"id":"user-2"}`
	claude := map[string]string{"conversations.json": list(talksOf(claudeTalk, 1, 9)...), "users.json": `[{"uuid":"u-1","full_name":"A","email_address":"x@example.org"}]`}
	grown := map[string]string{"conversations.json": list(append([]string{claudeTalk(10, "")}, append(talksOf(claudeTalk, 1, 8), claudeTalk(9, " I love jazz."))...)...), "users.json": `[{"uuid":"u-1","full_name":"B","email_address":"x@example.org"}]`}
	stranger := maps.Clone(claude)
	stranger["users.json"] = `[{"uuid":"u-2","full_name":"A","email_address":"x@example.org"}]`
	cases := map[string]struct {
		first, second map[string]string
		taken         int64
	}{
		"chatgpt, moved":           {chatgpt, moved, 12 - 2}, // one has feedback now, one is shared
		"chatgpt, back":            {moved, chatgpt, 12 - 2},
		"chatgpt, another account": {chatgpt, other, 0},
		"claude, grown":            {claude, grown, 8},
		"claude, another account":  {claude, stranger, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rig := func() *stagetest.Rig {
				r := stagetest.New(t)
				r.Ingest.Limits.ShardItems, r.Ingest.Finder = 4, r.Extraction.Finder
				return r
			}
			r, fresh := rig(), rig()
			importDrop(t, r, stagetest.Zip(t, c.first))
			core, logged := observer.New(zap.InfoLevel)
			r.Ingest.Log = zap.New(core)
			second := stagetest.Zip(t, c.second)
			m := read(t, r, r.PutDrop(t, second))
			want := importObjects(fresh, read(t, fresh, fresh.PutDrop(t, second)))
			got := importObjects(r, m)
			maps.DeleteFunc(got, func(key, _ string) bool { // files of the first archive
				return strings.Contains(key, "/assets/") && want[key] == ""
			})
			if !maps.Equal(got, want) {
				t.Error("the objects differ from those of an import that knows nothing")
			}
			taken := int64(0)
			for _, e := range logged.FilterField(zap.String("import", m.Import)).All() {
				taken, _ = e.ContextMap()["elements"].(int64)
			}
			if taken != c.taken {
				t.Errorf("%d elements were taken over, want %d", taken, c.taken)
			}
			if n := len(want); n < 10 {
				t.Fatalf("the import has %d objects only", n)
			}
		})
	}
}
