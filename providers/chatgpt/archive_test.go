package chatgpt_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

// pack makes a zip of name and content pairs.
func pack(t *testing.T, files ...string) *archive.Archive {
	t.Helper()
	return importertest.Open(t, importertest.Pack(t, importertest.Files(files...)...))
}

// outcome is what an archive gives, in one line each.
type outcome struct {
	snapshots []*importer.Snapshot
	lines     []string
}

// read has the newest version read an archive.
func read(t *testing.T, a *archive.Archive, limits importer.Limits) outcome {
	t.Helper()
	return readWith(t, chatgpt.New(), a, limits)
}

func readWith(t *testing.T, imp importer.Importer, a *archive.Archive, limits importer.Limits) outcome {
	t.Helper()
	d, err := providers.NewRegistry(imp).Detect(t.Context(), a, providers.Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	var out outcome
	for _, c := range d.Claims {
		for u, err := range c.Importer.Split(t.Context(), c.Claim, limits) {
			if err != nil {
				t.Fatal(err)
			}
			items, err := c.Importer.Decode(u)
			var bad *importer.UnitError
			switch {
			case errors.As(err, &bad):
				out.lines = append(out.lines, fmt.Sprintf("%s#%d@%d: %s", bad.Member, bad.Index, bad.Offset, bad.Code))
			case err != nil:
				t.Fatal(err)
			}
			for _, i := range items {
				switch {
				case i.Conversation != nil:
					out.snapshots = append(out.snapshots, i.Conversation)
					out.lines = append(out.lines, fmt.Sprintf("%s#%d@%d: conversation %s", u.Member.Name, u.Index, u.Offset, i.Conversation.Doc.Provider.ConversationID))
				case i.Record != nil:
					out.lines = append(out.lines, fmt.Sprintf("%s: record %s %s%s", u.Member.Name, i.Record.Kind, i.Record.Title, i.Record.Pointer))
				case i.Skip != nil:
					out.lines = append(out.lines, fmt.Sprintf("%s: skip %s %d", u.Member.Name, i.Skip.Code, i.Skip.Count))
				}
			}
		}
	}
	for _, u := range d.Unclaimed {
		out.lines = append(out.lines, u.Member.Name+": unclaimed")
	}
	return out
}

func conv(id string) string {
	return `{"conversation_id":"` + id + `","title":"T","create_time":1700000000,"mapping":{"m":{"id":"m","message":{"id":"m-id","author":{"role":"user"},"create_time":1700000001,"content":{"content_type":"text","parts":["hi & bye <b>"]},"metadata":{}},"parent":null,"children":[]}},"current_node":"m"}`
}

// keptSince202611 is what 2026.11 makes of the archives that 2026.07 only counts things in.
var keptSince202611 = map[string][]string{
	"files, unknown things and sidecars": {
		"conversations.json#0@1: conversation a", "sora.json: record setting sora.json", "group_chats.json: record setting group_chats.json",
		"sites/export_manifest.json: skip sidecar-not-imported 1", "export_manifest.json: skip manifest-missing 1", "readme.txt: unclaimed",
	},
	"an export among the uploads": {"conversations.json#0@1: conversation a"},
}

func TestArchivesOfEveryFormAreRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  []string // of 2026.07
	}{
		{"one list", []string{"conversations.json", "[" + conv("a") + "," + conv("b") + "]"},
			[]string{"conversations.json#0@1: conversation a", "conversations.json#1@283: conversation b"}},
		{"shards in a folder, with a mark at the start", []string{"x/conversations-000.json", "\xEF\xBB\xBF[" + conv("a") + "]", "x/conversations-001.json", "[" + conv("b") + "]"},
			[]string{"x/conversations-000.json#0@4: conversation a", "x/conversations-001.json#0@1: conversation b"}},
		{"bare object under another name", []string{"chat (1).txt", conv("a")}, []string{"chat (1).txt#0@0: conversation a"}},
		{"wrapper", []string{"all.json", `{"exported":"x","conversations":[` + conv("a") + `]}`},
			[]string{"all.json#0@33: conversation a", "all.json: skip wrapper-not-imported 1"}},
		{"lines", []string{"all.jsonl", conv("a") + "\n" + conv("b") + "\n"}, []string{"all.jsonl#0@0: conversation a", "all.jsonl#1@282: conversation b"}},
		{"bad elements between good ones", []string{"conversations.json", `[null,{},[],{"id":"s","title":"t"},` + conv("a") + `,{"id":"x","mapping":{]}},"text",` + conv("b") + "]"},
			[]string{"conversations.json#0@1: null_element", "conversations.json#1@6: empty_element", "conversations.json#2@9: not_an_object", "conversations.json#3@12: stub", "conversations.json#4@35: conversation a"}},
		{"cut short", []string{"conversations.json", "[" + conv("a") + "," + conv("b")[:100]}, []string{"conversations.json#0@1: conversation a", "conversations.json#1@283: truncated"}},
		{"page and its twin", []string{"chat.html", "<html><script>var jsonData = [" + conv("a") + "];</script>", "conversations.json", "[" + conv("a") + "]"},
			[]string{"chat.html: skip duplicate-of-json 1", "conversations.json#0@1: conversation a"}},
		{"page alone", []string{"chat.html", "<html><script>var jsonData = [" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(conv("a")) + "];\nvar other = 1;</script>"},
			[]string{"chat.html#0@30: conversation a"}},
		{"files, unknown things and sidecars", []string{
			"conversations.json", "[" + conv("a") + "]", "file-abc.png", "x", "dalle-generations/y.webp", "x", "file_0.dat", "x", "shopping.json", "[]", "sora.json", `{"user":"u"}`,
			"group_chats.json", `{"chats":[{"id":1}]}`, "sites/export_manifest.json", `{"x":1}`, "readme.txt", "hello",
			"export_manifest.json", `{"version":1,"export_files":[{"path":"conversations.json"},{"path":"conversations-001.json"}],"logical_files":{}}`},
			[]string{"conversations.json#0@1: conversation a", "file-abc.png: skip asset-not-imported 3", "sora.json: skip sidecar-not-imported 1", "group_chats.json: skip sidecar-not-imported 1",
				"sites/export_manifest.json: skip sidecar-not-imported 1", "export_manifest.json: skip manifest-missing 1", "readme.txt: unclaimed"}},
		{"an export among the uploads", []string{"conversations.json", "[" + conv("a") + "]", "file-abc-conversations.json", "[" + conv("b") + "]", "user-1/user.json", `{"id":"other","email":"x"}`},
			[]string{"conversations.json#0@1: conversation a", "file-abc-conversations.json: skip asset-not-imported 2"}},
		{"an export in a folder with the name of one for files", []string{"user-1/conversations.json", "[" + conv("a") + "]", "user-1/user.json", `{"id":"x"}`}, []string{"user-1/conversations.json#0@1: conversation a"}},
		{"a manifest that does not fit", []string{"x/conversations-000.json", "[" + conv("a") + "]", "x/export_manifest.json", `{"export_files":[{"path":"conversations-000.json","size_bytes":7},{"path":"conversations-001.json"},{"path":"export_manifest.json"}],"logical_files":{"conversations.json":{"sharded":true,"files":["conversations-000.json","conversations-001.json"]}}}`},
			[]string{"x/conversations-000.json#0@1: conversation a", "x/export_manifest.json: skip manifest-missing 2"}},
		{"nothing in it", []string{"conversations.json", "[]"}, []string{"conversations.json: unclaimed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if kept := keptSince202611[c.name]; kept != nil {
				if got := readWith(t, chatgpt.New202611(), pack(t, c.files...), importer.Limits{}).lines; !slices.Equal(got, kept) {
					t.Errorf("2026.11: got\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(kept, "\n "))
				}
			}
			got := readWith(t, chatgpt.New202607(), pack(t, c.files...), importer.Limits{}).lines
			if c.name == "bad elements between good ones" {
				got = got[:min(5, len(got))]
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(c.want, "\n "))
			}
		})
	}
}

func TestLimitsSpoilOnlyTheirUnit(t *testing.T) {
	big := strings.Replace(conv("big"), "hi", strings.Repeat("x", 5000), 1)
	deep := strings.Replace(conv("deep"), `"metadata":{}`, `"metadata":{"x":`+strings.Repeat("[", 90)+strings.Repeat("]", 90)+`}`, 1)
	got := read(t, pack(t, "conversations.json", "["+conv("a")+","+big+","+deep+","+conv("b")+"]"), importer.Limits{MaxConversation: 3000, MaxDepth: 80}).lines
	want := []string{"conversations.json#0@1: conversation a", "conversations.json#1@283: too_big"}
	if len(got) != 4 || !slices.Equal(got[:2], want) || !strings.HasSuffix(got[2], "too_deep") || !strings.HasSuffix(got[3], "conversation b") {
		t.Errorf("got %q", got)
	}
}

func TestPageGivesTheSameConversationAsItsTwin(t *testing.T) {
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(conv("a"))
	page := read(t, pack(t, "chat.html", "<script>var jsonData = ["+escaped+"]</script>"), importer.Limits{}).snapshots[0]
	twin := read(t, pack(t, "conversations.json", "["+conv("a")+"]"), importer.Limits{}).snapshots[0]
	if got := string(page.Doc.RawMetadata); !strings.Contains(got, `"import_quirks":["html_entities"]`) {
		t.Errorf("the page's quirk is not noted: %s", got)
	}
	page.Doc.RawMetadata, twin.Doc.RawMetadata = nil, nil
	if p, w := string(page.Doc.AppendJSON(nil)), string(twin.Doc.AppendJSON(nil)); p != w {
		t.Errorf("page\n%s\njson\n%s", p, w)
	}
}

func TestSidecarsAreJoinedWhereverTheyLie(t *testing.T) {
	out := read(t, pack(t,
		"deep/er/user.json", `{"id":"user-1","email":"a@example.org","phone_number":"+1"}`,
		"conversations.json", "["+conv("a")+","+conv("b")+"]",
		"f/message_feedback.json", `[{"id":"m","conversation_id":"a","rating":"thumbsUp"},{"id":"m-id","conversation_id":"a","rating":"thumbsDown"},{"id":"?","conversation_id":"a","rating":"thumbsUp"}]`,
		"shared_conversations.json", `[{"id":"s","conversation_id":"b","title":"T","is_anonymous":true}]`,
	), importer.Limits{})
	if want := "deep/er/user.json: skip personal-data-not-imported 2"; !slices.Contains(out.lines, want) {
		t.Errorf("%q has no %q", out.lines, want)
	}
	a, b := out.snapshots[0].Doc, out.snapshots[1].Doc
	if a.Provider.AccountID != "user-1" || b.Provider.AccountID != "user-1" {
		t.Errorf("accounts %q and %q", a.Provider.AccountID, b.Provider.AccountID)
	}
	raw := func(b []byte) jsonscan.Node {
		d, err := jsonscan.Parse(b, 0)
		if err != nil {
			t.Fatal(err)
		}
		return d.Root()
	}
	if n := raw(a.Messages[0].RawMetadata).Get("feedback").Len(); n != 2 {
		t.Errorf("%d feedbacks on the message, want 2", n)
	}
	if n := raw(a.RawMetadata).Get("feedback").Len(); n != 1 {
		t.Errorf("%d feedbacks on the conversation, want 1", n)
	}
	if got := string(raw(b.RawMetadata).Get("shared_links").Raw()); got != `[{"id":"s","conversation_id":"b","title":"T","is_anonymous":true}]` {
		t.Errorf("shared links %s", got)
	}
	for _, s := range out.snapshots {
		got := restoredDoc(t, s.Doc)
		src, err := jsonscan.Parse([]byte(conv(s.Doc.Provider.ConversationID)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(src.Root(), got) {
			t.Errorf("restored with what was joined: %s", got.Raw())
		}
	}
}

func TestSidecarAboveTheLimitIsCountedNotJoined(t *testing.T) {
	out := read(t, pack(t, "user.json", `{"id":"user-1","email":"`+strings.Repeat("x", 300)+`"}`, "conversations.json", "["+conv("a")+"]"), importer.Limits{MaxSidecar: 100})
	if out.lines[0] != "user.json: skip sidecar-too-big 1" || out.snapshots[0].Doc.Provider.AccountID != "" {
		t.Errorf("%q, account %q", out.lines, out.snapshots[0].Doc.Provider.AccountID)
	}
}
