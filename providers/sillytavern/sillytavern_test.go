package sillytavern_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/sillytavern"
)

var format = importertest.Format{Importer: sillytavern.New()}

const bakery = "default-user/chats/Baker/Baker - 2024-6-1@13h05m20s.jsonl"

func files(t testing.TB) []importertest.File {
	t.Helper()
	return importertest.Load(t, "testdata/data")
}

// byFile gives the documents by the last part of their file's name.
func byFile(r *importertest.Result) map[string]*pamio.Conversation {
	out := map[string]*pamio.Conversation{}
	for _, u := range r.Units {
		for _, i := range u.Items {
			if i.Conversation != nil {
				out[u.Member.Name[strings.LastIndex(u.Member.Name, "/")+1:]] = i.Conversation.Doc
			}
		}
	}
	return out
}

func TestChatsOfSillyTavern(t *testing.T) {
	r := format.Read(t, files(t)...)
	format.Check(t, r)
	if c, n, q := len(r.Conversations()), len(r.Records()), len(r.Quarantined()); c != 5 || n != 1 || q != 0 {
		t.Errorf("%d conversations, %d records, %d quarantined; want 5, 1 and 0", c, n, q)
	}
	importertest.Documents(t, "testdata/documents.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
}

func TestSwipesAreSiblings(t *testing.T) {
	d := byFile(format.Read(t, files(t)...))["Baker - 2024-6-1@13h05m20s.jsonl"]
	texts := map[string]string{"": ""}
	for _, m := range d.Messages {
		texts[m.ID] = strings.SplitN(*m.Content.Text, ".", 2)[0]
	}
	var got []string
	for _, m := range d.Messages {
		kind := m.Role
		if m.IsThought {
			kind = "thought"
		}
		got = append(got, kind+" "+texts[m.ID]+" < "+texts[m.ParentID])
	}
	want := []string{
		"assistant Welcome < ", "user How long does rye dough rise? < Welcome",
		"thought It is cool < How long does rye dough rise?", "assistant Four hours < It is cool", // the selected one
		"thought Warm, I think < How long does rye dough rise?", "assistant Two hours < Warm, I think", "assistant A day < How long does rye dough rise?",
		"user  < Four hours", "user Again in the same minute < ", "system Help text < Again in the same minute",
	}
	if !slices.Equal(got, want) {
		t.Errorf("messages are\n%s", strings.Join(got, "\n"))
	}
	if m := d.Messages[3]; m.Model != "rye-14b" || m.CreatedAt != "2024-06-01T13:08:00Z" || d.Messages[5].Model != "tiny-7b" {
		t.Errorf("model %q at %q", m.Model, m.CreatedAt)
	}
	if a := d.Messages[1].Attachments; len(a) != 2 || a[0].Ref == "" || a[1].Ref == "" || a[0].Name != "my recipe.txt" {
		t.Errorf("attachments are %+v", a)
	}
}

func TestTimesWithoutAZoneAreFlagged(t *testing.T) {
	for _, s := range format.Read(t, files(t)...).Conversations() {
		local := strings.Contains(string(s.Doc.RawMetadata), `"time_zone":"unknown"`)
		want := s.Doc.Provider.ExportFormatVersion == "dates-text" || s.Doc.Provider.ExportFormatVersion == "dates-named" || len(s.Doc.Messages) == 0
		if local != want || (s.Anomalies[localapp.AnomalyLocalTime] == 1) != want {
			t.Errorf("%s: flagged: %v, want %v", s.Doc.Provider.ExportFormatVersion, local, want)
		}
	}
}

// The rules of ids are frozen.
func TestIDsNeverChange(t *testing.T) {
	docs := byFile(format.Read(t, files(t)...))
	for file, want := range map[string]string{
		"Baker - 2024-6-1@13h05m20s.jsonl": "e7d51caa-d5ef-5171-8bdd-014f801a79fc", "newer.jsonl": "f845c237-1ce5-5e3b-975e-9aca6c845ef7", "1700000000000.jsonl": "67796f11-0986-5653-8d13-9176aa77df23", "named.jsonl": "c3828b21-e31e-5ae5-b78c-294e1b26a616",
	} {
		if docs[file].ID != want {
			t.Errorf("%s has the id %s, want %s", file, docs[file].ID, want)
		}
	}
	if got := docs["named.jsonl"].Messages[0].ID; got != "615580452d91" {
		t.Errorf("message has the id %s", got)
	}
}

func TestABranchIsTheSameConversationWithAnotherEnd(t *testing.T) {
	all := files(t)
	i := slices.IndexFunc(all, func(f importertest.File) bool { return f.Name == bakery })
	lines := strings.Split(string(all[i].Data), "\n")
	branch := strings.Join(append(slices.Clone(lines[:3]), `{"name":"Baker","is_user":false,"send_date":"June 2, 2024 9:00am","mes":"Another answer","extra":{}}`), "\n")
	docs := byFile(format.Read(t, append(all, importertest.File{Name: "default-user/chats/Baker/branch.jsonl", Data: []byte(branch)})...))
	a, b := docs["Baker - 2024-6-1@13h05m20s.jsonl"], docs["branch.jsonl"]
	if a.ID != b.ID || a.Messages[1].ID != b.Messages[1].ID || a.Messages[3].ID == b.Messages[2].ID {
		t.Error("the branch does not share what it has in common with its chat, and nothing else")
	}
}

func TestAMessageKeepsItsIDWhenItIsSwipedOrEdited(t *testing.T) {
	ids := func(line string) (out []string) {
		r := format.Read(t, importertest.File{Name: "chats/a/b.jsonl", Data: []byte(
			`{"name":"A","is_user":false,"send_date":"June 1, 2024 1:05pm","mes":"Hi"}` + "\n" + line)})
		for _, m := range r.Conversations()[0].Doc.Messages {
			out = append(out, m.ID)
		}
		return append(out, r.Conversations()[0].Doc.ID)
	}
	before := ids(`{"name":"A","is_user":false,"send_date":"June 1, 2024 1:06pm","mes":"one"}`)
	after := ids(`{"name":"A","is_user":false,"send_date":"June 2, 2024 9:00am","mes":"two","swipe_id":1,"swipes":["one, edited","two"],"swipe_info":[{"send_date":"June 1, 2024 1:06pm"},{"send_date":"June 2, 2024 9:00am"}]}`)
	if len(after) != 4 || before[0] != after[0] || before[1] != after[2] || before[2] != after[3] || after[1] != before[1]+".s1" {
		t.Errorf("ids were %q, are %q", before, after)
	}
}

func TestEditsShowInWhatIsRestored(t *testing.T) {
	d := byFile(format.Read(t, files(t)...))["Baker - 2024-6-1@13h05m20s.jsonl"]
	title, text := "Bakerwoman", "Five hours."
	d.Title, d.Messages[3].Content.Text = &title, &text
	d.Messages[1].CreatedAt = "2024-06-01T13:07:00Z"
	out, err := sillytavern.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"character_name":"Bakerwoman"`, `"mes":"Five hours."`, `"send_date":"June 1, 2024 1:07pm"`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s is not in what is restored", want)
		}
	}
}

func TestOddValuesOfSillyTavern(t *testing.T) { format.Mutate(t, format.Read(t, files(t)...), 100) }

func TestABrokenLineIsQuarantinedAlone(t *testing.T) {
	for name, c := range map[string]struct {
		change                func(lines []string) []string
		messages, quarantined int
	}{
		"a line that is cut off":         {func(l []string) []string { return slices.Insert(l, 2, l[2][:20]) }, 10, 1},
		"a broken header":                {func(l []string) []string { l[0] = l[0][:30]; return l }, 10, 1},
		"a number":                       {func(l []string) []string { return slices.Insert(l, 3, "17") }, 10, 1},
		"empty lines":                    {func(l []string) []string { return slices.Insert(l, 3, "", "\r", "  ") }, 10, 0},
		"the last line is cut off":       {func(l []string) []string { l[len(l)-1] = l[len(l)-1][:40]; return l }, 9, 1},
		"a lone surrogate and bad UTF-8": {func(l []string) []string { l[2] = strings.Replace(l[2], "How", `\ud83d`+"\xff", 1); return l }, 10, 0},
		"a line twice":                   {func(l []string) []string { return slices.Insert(l, 3, l[2]) }, 11, 0},
	} {
		t.Run(name, func(t *testing.T) {
			all := files(t)
			i := slices.IndexFunc(all, func(f importertest.File) bool { return f.Name == bakery })
			all[i].Data = []byte(strings.Join(c.change(strings.Split(string(all[i].Data), "\n")), "\n"))
			r := format.Read(t, all...)
			format.Check(t, r)
			docs := byFile(r)
			if len(docs) != 5 || len(docs["Baker - 2024-6-1@13h05m20s.jsonl"].Messages) != c.messages {
				t.Fatalf("%d conversations, %d messages; want 5 and %d", len(docs), len(docs["Baker - 2024-6-1@13h05m20s.jsonl"].Messages), c.messages)
			}
			if q := r.Quarantined(); len(q) != c.quarantined || len(q) > 0 && (q[0].Offset < 0 || q[0].Size == 0 || q[0].Member != bakery) {
				t.Errorf("quarantined: %+v", q)
			}
		})
	}
}

func TestBrokenLinesWithoutEndAreSummedUp(t *testing.T) {
	all := files(t)
	i := slices.IndexFunc(all, func(f importertest.File) bool { return f.Name == bakery })
	all[i].Data = append(append(all[i].Data, '\n'), bytes.Repeat([]byte("{\n"), 5000)...)
	r := format.Read(t, all...)
	if q := r.Quarantined(); len(q) != 101 || !strings.Contains(q[100].Reason, "4900 more lines") {
		t.Errorf("%d units are quarantined", len(q))
	}
	if len(r.Conversations()) != 5 {
		t.Errorf("%d conversations, want 5", len(r.Conversations()))
	}
}

func TestForeignFilesAreNotClaimed(t *testing.T) {
	for _, in := range []string{
		`{"type":"user","message":{"role":"user"},"sessionId":"s"}` + "\n{}", `{"thread_id":"a","role":"user","content":[]}`,
		`{"name":"x","is_user":1}`, `{"user_name":"x","character_name":"y"}`, `{}`, ``, `[{"name":"a","is_user":true,"mes":"b"}]`,
	} {
		if r := format.Read(t, importertest.File{Name: "chats/x.jsonl", Data: []byte(in)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", in)
		}
	}
}

func FuzzChat(f *testing.F) {
	for _, u := range format.Read(f, files(f)...).Units {
		f.Add(u.Raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "chat"}, raw) })
}
