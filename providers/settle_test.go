package providers_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

const (
	deepseekChats = `[{"id":"d1","title":"t","inserted_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","mapping":{"root":{"id":"root","parent":null,"children":["1"],"message":null},"1":{"id":"1","parent":"root","children":[],"message":{"files":[],"model":"m","inserted_at":"2026-01-01T00:00:00Z","fragments":[{"type":"REQUEST","content":"hello"}]}}}}]`
	claudeChats   = `[{"uuid":"c1","name":"n","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","account":{"uuid":"a"},"chat_messages":[]}]`
	grokChats     = `{"conversations":[{"conversation":{"id":"g1","title":"t","create_time":"2026-01-01T00:00:00Z"},"responses":[{"response":{"_id":"r1","message":"m","sender":"human"}}]}],"projects":[],"tasks":[]}`
	mistralChat   = `[{"id":"m1","version":0,"chatId":"11111111-0000-4000-8000-000000000001","content":"x","contentChunks":null,"role":"user","createdAt":"2026-01-01T00:00:00.000Z"}]`
	huggingChats  = `[{"_id":"65f1ad8c90523874d2d40001","sessionId":"s","title":"t","model":"m","messages":[{"from":"user","id":"1","content":"x"}]}]`
	geminiLog     = `[{"header":"Gemini Apps","title":"Prompted hello","time":"2026-01-01T00:00:00.000Z","products":["Gemini Apps"]}]`
	mistralFile   = "chat-11111111-0000-4000-8000-000000000001"
	grokFiles     = "ttl/30d/prod-mc-asset-server/22222222-0000-4000-8000-000000000001/"
	huggingUpload = "file-65f1ad8c90523874d2d40002-"
)

// takers gives who reads or copies each member: "grok", or "grok/asset".
func takers(t *testing.T, files ...string) map[string]string {
	t.Helper()
	return takersOf(t, open(t, files...))
}

func takersOf(t *testing.T, a *archive.Archive) map[string]string {
	t.Helper()
	d, err := providers.Default().Detect(t.Context(), a, providers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range d.Claims {
		for _, m := range c.Claim.Members {
			name := c.Importer.Name()
			if m.Role == importer.RoleAsset {
				name += "/asset"
			}
			if before, twice := out[m.Member.Name]; twice {
				t.Errorf("%s is claimed by %s and %s", m.Member.Name, before, name)
			}
			out[m.Member.Name] = name
		}
	}
	for _, u := range d.Unclaimed {
		out[u.Member.Name] = ""
	}
	return out
}

func TestUploadsThatAreExportsAreFilesOfTheirConversations(t *testing.T) {
	type export struct {
		name, member, content string
		uploads               []string // names of uploads
	}
	exports := []export{
		{"grok", "ttl/30d/prod-grok-backend.json", grokChats, []string{grokFiles + "content"}},
		{"mistral", mistralFile + ".json", mistralChat, []string{mistralFile + "-files/conversations.json", mistralFile + "-files/notes"}},
		{"huggingchat", "data/conversations.json", huggingChats, []string{"data/" + huggingUpload + "1a2b3c4d.json"}},
		{"chatgpt", "conversations-000.json", chat, []string{"file_0001.dat", "user-AbC/conversations.json", "file-abcdefgh-export.json"}},
		{"gemini", "Takeout/My Activity/Gemini Apps/MyActivity.json", geminiLog, []string{"Takeout/My Activity/Gemini Apps/conversations-0123456789abcdef.json"}},
	}
	uploaded := map[string]string{"deepseek": deepseekChats, "chatgpt": chat, "claude": claudeChats, "grok": grokChats, "mistral": mistralChat, "huggingchat": huggingChats}
	for _, e := range exports {
		for of, content := range uploaded {
			for _, upload := range e.uploads {
				if of == e.name || e.name == "huggingchat" && of == "huggingchat" {
					continue // whose own form it has; the importers see to that themselves
				}
				for _, files := range [][]string{{e.member, e.content, upload, content}, {upload, content, e.member, e.content}} {
					t.Run(fmt.Sprintf("%s/%s in %s", e.name, of, upload), func(t *testing.T) {
						want := map[string]string{e.member: e.name, upload: e.name + "/asset"}
						if got := takers(t, files...); !maps.Equal(got, want) {
							t.Errorf("got %v, want %v", got, want)
						}
					})
				}
			}
		}
	}
}

func TestExportsBesideEachOtherKeepTheirOwn(t *testing.T) {
	want := map[string]string{
		"chatgpt/conversations.json": "chatgpt", "chatgpt/file-abcdefgh-cat.png": "chatgpt/asset", "chatgpt/user-x/photo.jpg": "chatgpt/asset",
		"claude/conversations.json":                 "claude",
		"hugging/conversations.json":                "huggingchat",
		"hugging/" + huggingUpload + "1a2b3c4d.png": "huggingchat/asset",
		"deepseek/conversations.json":               "deepseek",
		"personal/claude/conversations.json":        "claude",
		"audio/deepseek/conversations.json":         "deepseek",
		"grok/prod-grok-backend.json":               "grok", "grok/prod-mc-asset-server/22222222-0000-4000-8000-000000000001/content": "grok/asset",
		"le chat/" + mistralFile + ".json":          "mistral",
		"le chat/" + mistralFile + "-files/cat.png": "mistral/asset",
		"other/conversations.json":                  "",
	}
	content := map[string]string{
		"chatgpt/conversations.json": chat, "claude/conversations.json": claudeChats, "personal/claude/conversations.json": claudeChats,
		"hugging/conversations.json": huggingChats, "deepseek/conversations.json": deepseekChats, "audio/deepseek/conversations.json": deepseekChats,
		"grok/prod-grok-backend.json": grokChats, "le chat/" + mistralFile + ".json": mistralChat, "other/conversations.json": `[{"alpha":1}]`,
	}
	names := slices.Sorted(maps.Keys(want))
	for range 2 {
		var files []string
		for _, n := range names {
			text, ok := content[n]
			if !ok {
				text = "\x89PNG\r\n\x1a\n"
			}
			files = append(files, n, text)
		}
		if got := takers(t, files...); !maps.Equal(got, want) {
			for _, n := range names {
				if got[n] != want[n] {
					t.Errorf("%s: %q, want %q", n, got[n], want[n])
				}
			}
		}
		slices.Reverse(names)
	}
}

func TestUploadsInFurtherPartsBelongToTheExportOfThatPart(t *testing.T) {
	part := func(files ...string) []byte { return importertest.Pack(t, importertest.Files(files...)...) }
	parts := [][]byte{
		part("conversations-000.json", chat),
		part("file_0001.dat", deepseekChats), // the files of the first part
		part("conversations.json", huggingChats, huggingUpload+"1a2b3c4d.json", deepseekChats),
	}
	want := map[string]string{"conversations-000.json": "chatgpt", "file_0001.dat": "chatgpt/asset", "conversations.json": "huggingchat", huggingUpload + "1a2b3c4d.json": "huggingchat/asset"}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		var given []archive.Part
		for _, i := range order {
			given = append(given, archive.Part{Name: fmt.Sprintf("%d.zip", i), Source: bytes.NewReader(parts[i])})
		}
		a, err := archive.Open(t.Context(), given, archive.Limits{}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if got := takersOf(t, a); !maps.Equal(got, want) {
			t.Errorf("%v: got %v", order, got)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestLogsOfOtherProductsBesideGeminisAreNoLoss(t *testing.T) {
	youtube := `[{"header":"YouTube","title":"Watched x","time":"2026-01-01T00:00:00.000Z","products":["YouTube"]}]`
	d, err := providers.Default().Detect(t.Context(), open(t, "a/MyActivity.json", geminiLog, "b/MyActivity.json", youtube), providers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Claims) != 1 || len(d.Claims[0].Claim.Refused) != 0 || len(d.Unclaimed) != 1 || !strings.Contains(d.Unclaimed[0].Reason, "another Google product") {
		t.Errorf("got %+v", d)
	}
	if _, err := providers.Default().Detect(t.Context(), open(t, "b/MyActivity.json", youtube), providers.Options{}); err == nil || !strings.Contains(err.Error(), "YouTube, not of Gemini") {
		t.Errorf("alone it gives %v", err)
	}
}
