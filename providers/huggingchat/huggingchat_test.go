package huggingchat_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/chatgpt"
	"github.com/pamline/pamline/providers/huggingchat"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: huggingchat.New()}

func files(t testing.TB) []importertest.File {
	t.Helper()
	return importertest.Load(t, "testdata/data")
}

func byTitle(r *importertest.Result) map[string]*pamio.Conversation {
	out := map[string]*pamio.Conversation{}
	for _, s := range r.Conversations() {
		out[*s.Doc.Title] = s.Doc
	}
	return out
}

func TestExportOfHuggingChat(t *testing.T) {
	r := format.Read(t, files(t)...)
	format.Check(t, r)
	if c, n, s, q := len(r.Conversations()), len(r.Records()), r.Skips()["assistant_not_exported"], len(r.Quarantined()); c != 3 || n != 1 || s != 1 || q != 0 {
		t.Errorf("%d conversations, %d records, %d skipped, %d quarantined; want 3, 1, 1 and 0", c, n, s, q)
	}
	if r.Records()[0].Kind != importer.RecordAssistant || r.Records()[0].Text != "You bake." {
		t.Errorf("the assistant is %+v", r.Records()[0])
	}
	importertest.Documents(t, "testdata/documents.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
}

func TestBranchesThoughtsAndFiles(t *testing.T) {
	docs := byTitle(format.Read(t, files(t)...))
	d := docs["🍞 Rye"]
	var got []string
	for _, m := range d.Messages {
		kind := m.Role
		if m.IsThought {
			kind = "thought"
		}
		got = append(got, m.ID[34:]+" "+kind+" "+m.ParentID[min(34, len(m.ParentID)):])
	}
	want := []string{"01 system ", "02 user 01", "03 assistant 02", "04#0 thought 02", "04 assistant 04#0", "05 user 01"}
	if !slices.Equal(got, want) {
		t.Errorf("messages are %q, want %q", got, want)
	}
	if a := d.Messages[1].Attachments; len(a) != 2 || a[0].Ref == "" || a[1].Ref != "" {
		t.Errorf("attachments of the first question: %+v", a)
	}
	if c := d.Messages[4].Citations; len(c) != 1 || c[0].URL != "https://example.org/rye" {
		t.Errorf("citations are %+v", c)
	}
	for _, i := range []int{0, 2, 5} {
		if len(d.Messages[i].Attachments) != 0 {
			t.Errorf("message %d has the files of the whole conversation", i)
		}
	}
	if a := docs["Older"].Messages[0].Attachments; len(a) != 2 || a[0].Ref == "" || a[0].Type != "image" || a[1].Ref != "" {
		t.Errorf("attachments of the older form: %+v", a)
	}
}

// The rules of ids are frozen.
func TestIDsNeverChange(t *testing.T) {
	docs := byTitle(format.Read(t, files(t)...))
	for title, want := range map[string]string{"🍞 Rye": "d725eccf-42ad-5bbd-9c78-01413cb76d86", "Older": "c1bc74bb-35f1-5f77-8d25-005a7e45918e"} {
		if docs[title].ID != want {
			t.Errorf("%s has the id %s, want %s", title, docs[title].ID, want)
		}
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	d := byTitle(format.Read(t, files(t)...))["🍞 Rye"]
	title, text := "Bread", "Another question"
	d.Title, d.Messages[1].Content.Text = &title, &text
	out, err := huggingchat.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"title":"Bread"`, `"content":"Another question"`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s is not in what is restored", want)
		}
	}
}

func TestOddValuesOfHuggingChat(t *testing.T) { format.Mutate(t, format.Read(t, files(t)...), 100) }

func TestDamagedHuggingChat(t *testing.T) {
	all := files(t)
	i := slices.IndexFunc(all, func(f importertest.File) bool { return f.Name == "conversations.json" })
	format.Damage(t, all, i, importertest.JSONDamages()...)
}

func TestForeignFilesAreNotClaimed(t *testing.T) {
	if r := importertest.Read(t, chatgpt.New(), importer.Limits{}, files(t)...); len(r.Claim.Members) != 0 {
		t.Errorf("the importer of ChatGPT claims %d members of HuggingChat", len(r.Claim.Members))
	}
	for _, in := range []string{
		`[{"id":"a","title":"x","mapping":{}}]`, `[{"uuid":"a","chat_messages":[]}]`, `[{"conversations":[{"from":"human","value":"x"}]}]`,
		`[{"_id":"a","title":"x","messages":[{"role":"user","content":"x"}]}]`, `[]`, `{}`, ``,
	} {
		r := format.Read(t, importertest.File{Name: "conversations.json", Data: []byte(in)}, importertest.File{Name: "file-65f1ad8c90523874d2d40001-0a1b2c3d.png", Data: []byte("x")})
		if len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", in)
		}
	}
}

func FuzzConversation(f *testing.F) {
	for _, u := range format.Read(f, files(f)...).Units {
		f.Add(u.Raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, role := range []string{"conversations", "assistants"} {
			format.Fuzz(t, importer.Unit{Role: role}, raw)
		}
	})
}
