package jan_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/jan"
)

var format = importertest.Format{Importer: jan.New()}

func files(t testing.TB) []importertest.File {
	t.Helper()
	return importertest.Load(t, "testdata/data")
}

func byID(r *importertest.Result) map[string]*pamio.Conversation {
	out := map[string]*pamio.Conversation{}
	for _, s := range r.Conversations() {
		out[s.Doc.Provider.ConversationID] = s.Doc
	}
	return out
}

func TestThreadsOfJan(t *testing.T) {
	r := format.Read(t, files(t)...)
	format.Check(t, r)
	if c, n, q := len(r.Conversations()), len(r.Records()), len(r.Quarantined()); c != 4 || n != 1 || q != 0 {
		t.Errorf("%d conversations, %d records, %d quarantined; want 4, 1 and 0", c, n, q)
	}
	importertest.Documents(t, "testdata/documents.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
}

func TestReasoningIsAThoughtBeforeTheAnswer(t *testing.T) {
	d := byID(format.Read(t, files(t)...))["jan_newer"]
	var got []string
	for _, m := range d.Messages {
		kind := m.Role
		if m.IsThought {
			kind = "thought"
		}
		got = append(got, m.ID+" "+kind+" after "+m.ParentID)
	}
	want := []string{"n1 user after ", "n2#0 thought after n1", "n2 assistant after n2#0", "n2~2 system after n2"}
	if !slices.Equal(got, want) {
		t.Errorf("messages are %q, want %q", got, want)
	}
	if calls := d.Messages[2].ToolCalls; len(calls) != 2 || *calls[0].Output != `{"grams":[900,1.5]}` || *calls[1].Output != "rye" {
		t.Errorf("tool calls are %+v", calls)
	}
	if a := d.Messages[0].Attachments; len(a) != 3 || a[1].Ref == "" || a[2].Ref != "" {
		t.Errorf("attachments are %+v", a)
	}
}

// The rules of ids are frozen.
func TestIDsNeverChange(t *testing.T) {
	docs := byID(format.Read(t, files(t)...))
	for id, want := range map[string]string{
		"jan_older": "2796eac2-08d0-5cf0-8109-6a3a9e11130a", "jan_newer": "c06e6ada-80e4-52f5-a863-ade5a2cf1f5a", "jan_lonely": "eff64bab-d22f-5391-a217-95ca810ad3a3", "jan_silent": "1b26c4ec-4280-5eb1-9627-8cc39d599a9e",
	} {
		if docs[id] == nil || docs[id].ID != want {
			t.Errorf("%s has the id %s, want %s", id, docs[id].ID, want)
		}
	}
}

func TestAThreadIsJoinedByItsIDWhereverItsFilesStand(t *testing.T) {
	whole := byID(format.Read(t, files(t)...))
	moved := files(t)
	for i := range moved {
		moved[i].Name = strings.NewReplacer("threads/jan_older/thread.json", "b/t (1).json", "threads/jan_older/messages.jsonl", "a/m.txt").Replace(moved[i].Name)
	}
	slices.Reverse(moved)
	for id, d := range byID(format.Read(t, moved...)) {
		if id == "jan_newer" {
			continue // its reference to a file names the member, which stands elsewhere now
		}
		if !bytes.Equal(d.AppendJSON(nil), whole[id].AppendJSON(nil)) {
			t.Errorf("%s is another one when its files are called otherwise", id)
		}
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	d := byID(format.Read(t, files(t)...))["jan_newer"]
	title, text := "Another title", "I looked."
	d.Title, d.Messages[1].Content.Text = &title, &text
	out, err := jan.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"title":"Another title"`, `"value":"I looked."`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s is not in what is restored", want)
		}
	}
}

func TestOddValuesOfJan(t *testing.T) { format.Mutate(t, format.Read(t, files(t)...), 100) }

func TestABrokenLineIsQuarantinedAlone(t *testing.T) {
	first, rest, _ := strings.Cut(string(files(t)[index(t, "threads/jan_newer/messages.jsonl")].Data), "\n")
	for name, c := range map[string]struct {
		lines       string
		messages    int
		quarantined int
		code        string
	}{
		"a line that is cut off":        {first + "\n" + `{"id":"x","thread_id":"jan_newer","content":[{"ty` + "\n" + rest, 4, 1, "syntax"},
		"null":                          {first + "\nnull\n" + rest, 4, 1, "not_an_object"},
		"empty lines and carriages":     {first + "\r\n\r\n  \n" + rest, 4, 0, ""},
		"a byte order mark":             {"\xef\xbb\xbf" + first + "\n" + rest, 4, 0, ""},
		"the end is missing":            {first + "\n" + rest[:len(rest)-10], 3, 1, "truncated"},
		"two objects in a line":         {first + "\n{}{}\n" + rest, 4, 1, "syntax"},
		"a lone surrogate and bad UTF8": {first + "\n" + strings.ReplaceAll(rest, "A loaf.", "A \\ud800 \xff loaf."), 4, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all := files(t)
			all[index(t, "threads/jan_newer/messages.jsonl")].Data = []byte(c.lines)
			r := format.Read(t, all...)
			format.Check(t, r)
			docs := byID(r)
			if len(docs) != 4 || len(docs["jan_newer"].Messages) != c.messages {
				t.Fatalf("%d conversations, %d messages in the broken one; want 4 and %d", len(docs), len(docs["jan_newer"].Messages), c.messages)
			}
			q := r.Quarantined()
			if len(q) != c.quarantined {
				t.Fatalf("%d lines are quarantined, want %d", len(q), c.quarantined)
			}
			for _, b := range q {
				if b.Code != c.code || b.Index == 0 || b.Offset <= 0 || !strings.HasSuffix(b.Member, "messages.jsonl") {
					t.Errorf("not located: %+v", b)
				}
			}
		})
	}
}

func index(t testing.TB, name string) int {
	t.Helper()
	i := slices.IndexFunc(files(t), func(f importertest.File) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("%s is not there", name)
	}
	return i
}

func TestMessagesAreReadWithoutTheirThread(t *testing.T) {
	for name, data := range map[string]string{"broken": `{"id":"jan_newer","object":"thread",`, "a list": `[1]`} {
		all := files(t)
		all[index(t, "threads/jan_newer/thread.json")].Data = []byte(data)
		r := format.Read(t, all...)
		format.Check(t, r)
		if d := byID(r)["jan_newer"]; d == nil || d.Title != nil || len(d.Messages) != 4 {
			t.Errorf("%s: the messages were not read", name)
		}
	}
}

func TestAFileOverTheLimitIsQuarantined(t *testing.T) {
	r := importertest.Read(t, jan.New(), importer.Limits{MaxConversation: 2000}, files(t)...)
	format.Check(t, r)
	if len(r.Conversations()) != 2 || len(r.Quarantined()) != 2 || r.Quarantined()[0].Code != "too_big" {
		t.Errorf("%d conversations, %d quarantined; want the small ones and the two others", len(r.Conversations()), len(r.Quarantined()))
	}
}

func TestSharedThreadsOfJan(t *testing.T) {
	r := format.Read(t, importertest.Load(t, importertest.Shared(t, "fixtures", "local", "jan"))...)
	format.Check(t, r)
	if len(r.Conversations()) != 1 || len(r.Conversations()[0].Doc.Messages) != 2 || len(r.Quarantined()) != 0 {
		t.Errorf("%d conversations", len(r.Conversations()))
	}
}

func TestForeignFilesAreNotClaimed(t *testing.T) {
	for _, in := range []string{
		`{"id":"a","object":"assistant","name":"x","instructions":"y"}`, `{"id":"x","object":"chat.completion"}`,
		`{"type":"user","message":{"role":"user","content":[]},"sessionId":"s"}`, `[{"thread_id":"x","role":"user","content":[]}]`, `{}`, ``,
	} {
		if r := format.Read(t, importertest.File{Name: "threads/x/thread.json", Data: []byte(in)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", in)
		}
	}
}

func FuzzThread(f *testing.F) {
	for _, u := range format.Read(f, files(f)...).Units {
		f.Add(u.Raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "messages"}, raw) })
}

func FuzzMessagesFile(f *testing.F) {
	f.Add([]byte("{\"thread_id\":\"a\",\"role\":\"user\",\"content\":[]}\n{\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		format.Check(t, importertest.Read(t, jan.New(), importer.Limits{MaxConversation: 1 << 16, MaxDepth: 64},
			importertest.File{Name: "threads/a/thread.json", Data: []byte(`{"object":"thread","id":"a"}`)},
			importertest.File{Name: "threads/a/messages.jsonl", Data: append([]byte(`{"thread_id":"a","role":"user","content":[]}`+"\n"), data...)}))
	})
}
