package assemble

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

const (
	day1 = "2024-01-01T00:00:00Z"
	day2 = "2024-01-02T00:00:00Z"
	day3 = "2024-01-03T00:00:00Z"
	day4 = "2024-01-04T00:00:00Z"
)

func parseIndex(t testing.TB, s store) []pamio.IndexEntry {
	t.Helper()
	var out []pamio.IndexEntry
	if err := json.Unmarshal([]byte("["+s.index+"]"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func parseMemories(t testing.TB, s store) []pamio.Memory {
	t.Helper()
	var out []pamio.Memory
	if err := json.Unmarshal([]byte("["+s.memories+"]"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNothingGivesAnEmptyStore(t *testing.T) {
	got := assemble(t, newStorage(), Options{})
	if got.memories+got.relations+got.index+got.foldIndex != "" {
		t.Errorf("got %+v", got)
	}
	want, err := pamio.Checksum(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.checksum != want {
		t.Errorf("checksum %s, want that of no memories, %s", got.checksum, want)
	}
}

func TestASingleSnapshotIsCopiedWithItsImportMetadata(t *testing.T) {
	s := newStorage()
	c := conversation(1, day2, "a:hello", "b:there")
	s.add(newArchive("conversations.json", day2, c))
	got := assemble(t, s, Options{})
	if len(s.files) != 1 {
		t.Fatalf("%d files", len(s.files))
	}
	for name, body := range s.files {
		if want := "conversations/" + c.ID + "." + hexSum(body)[:16] + ".json"; name != want {
			t.Errorf("the file is named %s, want %s", name, want)
		}
		doc, err := pamio.ParseConversation(body)
		if err != nil {
			t.Fatal(err)
		}
		if err := doc.Check(); err != nil {
			t.Error(err)
		}
		if doc.Import == nil || doc.Import.SourceFile != "conversations.json" || doc.Import.ImportedAt != day2 {
			t.Errorf("import metadata %+v", doc.Import)
		}
		doc.Import = nil
		if string(doc.AppendJSON(nil)) != string(c.AppendJSON(nil)) {
			t.Error("the document was changed")
		}
		want := `{"derived_memories":[],"id":"` + c.ID + `","message_count":2,"platform":"chatgpt","storage":{"format":"json","ref":"` +
			name + `","type":"file"},"tags":[],"temporal":{"created_at":"` + day1 + `","updated_at":"` + day2 + `"},"title":"Title 1"}`
		if got.index != want {
			t.Errorf("index %s\nwant  %s", got.index, want)
		}
	}
}

func TestTheIndexListsConversationsAsTheArchiveDoes(t *testing.T) {
	s := newStorage()
	var docs []*pamio.Conversation
	for i := range 30 {
		docs = append(docs, conversation((i*7)%30, day2, "a:x"))
	}
	// The second part of the same archive, added first.
	s.add(newArchive("conversations-001.json", day3, docs[20:]...), newArchive("conversations-000.json", day3, docs[:20]...))
	var want, got []string
	for _, d := range docs {
		want = append(want, d.ID)
	}
	for _, e := range parseIndex(t, assemble(t, s, Options{})) {
		got = append(got, e.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestAGrownArchiveRewritesOnlyWhatChanged(t *testing.T) {
	s := newStorage()
	s.add(newArchive("conversations.json", day2,
		conversation(1, day1, "a:x"), conversation(2, day2, "a:x"), conversation(3, day2, "a:x")))
	first := assemble(t, s, Options{})
	before := maps.Clone(s.files)
	s.take(t, first)
	s.add(newArchive("conversations.json", day4,
		conversation(4, day4, "a:x"), conversation(1, day1, "a:x"), conversation(2, day3, "a:x", "b:y"), conversation(3, day2, "a:x")))
	s.reads = 0
	second := assemble(t, s, Options{})
	if s.reads != 3 { // both of 2, and 4
		t.Errorf("%d documents were read", s.reads)
	}
	if len(s.files) != len(before)+2 {
		t.Errorf("%d files, %d before", len(s.files), len(before))
	}
	st := second.stats
	if st.New != 1 || st.Changed != 1 || st.Unchanged != 2 || st.Folded != 1 || st.Removed != 0 || st.Snapshots != 7 || st.Distinct != 5 {
		t.Errorf("stats %+v", st)
	}
	for _, e := range parseIndex(t, second) {
		doc, err := pamio.ParseConversation(s.files[e.Storage.Ref])
		if err != nil {
			t.Fatal(err)
		}
		want := day2
		if e.ID == normalize.ConversationID("chatgpt", "4") {
			want = day4
		}
		if doc.Import.ImportedAt != want {
			t.Errorf("conversation %s names the import of %s, want the earliest contributor, %s", *doc.Title, doc.Import.ImportedAt, want)
		}
	}
	// What the head held changes nothing in the result.
	s.previous = nil
	if again := assemble(t, s, Options{}); again.content != second.content {
		t.Error("the store depends on the head")
	}
	s.take(t, second)
	if again := assemble(t, s, Options{}); again.content != second.content || again.stats.Unchanged != 4 {
		t.Errorf("an assembly of the same is not the same: %+v", again.stats)
	}
}

func TestRemovedConversationsAreCounted(t *testing.T) {
	s := newStorage()
	s.add(newArchive("a.json", day1, conversation(1, day1, "a:x"), conversation(2, day1, "a:x"), conversation(3, day1, "a:x")))
	s.take(t, assemble(t, s, Options{}))
	s.snapshots = s.snapshots[1:2]
	got := assemble(t, s, Options{})
	if got.stats.Removed != 2 || got.stats.Unchanged != 1 || strings.Count(got.foldIndex, "\n") != 1 {
		t.Errorf("stats %+v", got.stats)
	}
}

func TestFoldedFilesAreCheckedAndDescribedByTheIndex(t *testing.T) {
	s := newStorage()
	older, newer := conversation(1, day2, "a:x", "tool:t", "b:y"), conversation(1, day3, "a:x", "b:z")
	title := "New title"
	newer.Title = &title
	newer.Tags = []string{"work"}
	s.add(newArchive("new.json", day3, newer), newArchive("old.json", day2, older))
	got := assemble(t, s, Options{})
	e := parseIndex(t, got)[0]
	doc, err := pamio.ParseConversation(s.files[e.Storage.Ref])
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Check(); err != nil {
		t.Error(err)
	}
	if len(doc.Messages) != 3 || doc.Messages[2].ParentID != "tool" || *doc.Messages[2].Content.Text != "z" {
		t.Errorf("messages %+v", doc.Messages)
	}
	if doc.Import.SourceFile != "old.json" {
		t.Errorf("import metadata of %s", doc.Import.SourceFile)
	}
	if *e.Title != title || *e.MessageCount != 3 || e.Temporal != doc.Temporal || !slices.Equal(e.Tags, doc.Tags) {
		t.Errorf("index %+v", e)
	}
	if got.stats.Conflicts == 0 || got.stats.Folded != 1 {
		t.Errorf("stats %+v", got.stats)
	}
}

func TestSameAsComparesAllSections(t *testing.T) {
	s := newStorage()
	s.add(newArchive("a.json", day1, conversation(1, day1, "a:x")))
	r, err := Assemble(context.Background(), s, s, Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	d := r.Digests()
	if !r.SameAs(d) {
		t.Error("not the same as itself")
	}
	for i, field := range []*string{&d.Memories, &d.Relations, &d.Index} {
		old := *field
		*field = "other"
		if r.SameAs(d) {
			t.Errorf("digest %d is not compared", i)
		}
		*field = old
	}
	if d.Memories != r.Checksum || r.Integrity().TotalMemories != 0 {
		t.Errorf("checksum %s, digest of the memories %s", r.Checksum, d.Memories)
	}
}
