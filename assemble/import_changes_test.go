package assemble

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
)

// changesOf assembles what lies in s and gives the changes of one import.
func changesOf(t *testing.T, s *storage, id string, o Options) ImportChanges {
	t.Helper()
	o.Imports = append(o.Imports, id)
	c := assemble(t, s, o).imports[id]
	if c == nil {
		t.Fatalf("no changes of import %s", id)
	}
	return *c
}

func TestAnImportIsToldWhatItMeansForTheConversationsOfTheStore(t *testing.T) {
	s := newStorage()
	s.add(newArchive("first.json", day2, conversation(1, day1, "a:x"), conversation(2, day2, "a:x"), conversation(3, day2, "a:x")).from("first"))
	first := assemble(t, s, Options{Imports: []string{"first"}})
	if c := first.imports["first"]; c.New != 3 || c.Grown+c.Unchanged+c.Absent != 0 {
		t.Errorf("the first import: %+v", c)
	}
	s.take(t, first)

	// Conversation 1 is there with the same bytes, 2 has grown, 3 is missing, 4 is new.
	s.add(newArchive("second.json", day4, conversation(1, day1, "a:x"), conversation(2, day3, "a:x", "b:y"), conversation(4, day4, "a:x")).from("second"))
	c := changesOf(t, s, "second", Options{Budget: 1})
	if c.New != 1 || c.Grown != 1 || c.Unchanged != 1 || c.Absent != 1 {
		t.Errorf("the second import: %+v", c)
	}
	got := map[string]string{}
	for _, one := range c.Listed {
		got[one.Title] = one.Change
	}
	want := map[string]string{"Title 2": ConversationGrown, "Title 3": ConversationAbsent, "Title 4": ConversationNew}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("listed %v, want %v", got, want)
	}
}

// A single conversation is no export of all: nothing is missing from it.
func TestNothingIsAbsentFromASingleConversation(t *testing.T) {
	s := newStorage()
	s.add(newArchive("all.json", day2, conversation(1, day1, "a:x"), conversation(2, day2, "a:x")).from("all"))
	s.take(t, assemble(t, s, Options{}))
	s.add(newArchive("one.json", day3, conversation(3, day3, "a:x")).from("one"))
	if c := changesOf(t, s, "one", Options{}); c.New != 1 || c.Absent != 0 || len(c.Listed) != 1 {
		t.Errorf("%+v", c)
	}
}

// A further part of an export, or the export of another account, has nothing in common with what
// the store has.
func TestNothingIsAbsentFromAnotherPartOfAnExport(t *testing.T) {
	s := newStorage()
	s.add(newArchive("part-1.json", day2, conversation(1, day1, "a:x"), conversation(2, day2, "a:x")).from("one"))
	s.take(t, assemble(t, s, Options{}))
	s.add(newArchive("part-2.json", day3, conversation(3, day1, "a:x"), conversation(4, day3, "a:x")).from("two"))
	if c := changesOf(t, s, "two", Options{}); c.New != 2 || c.Absent != 0 || c.AbsentPeriod || len(c.Listed) != 2 {
		t.Errorf("%+v", c)
	}
}

// What is older than all of an export may be missing because the export covers some weeks only.
func TestExportOfAPeriodMayLackWhatIsOlder(t *testing.T) {
	s := newStorage()
	s.add(newArchive("all.json", day3, conversation(1, day1, "a:x"), conversation(2, day2, "a:x"), conversation(3, day3, "a:x")).from("all"))
	s.take(t, assemble(t, s, Options{}))
	s.add(newArchive("late.json", day4, conversation(3, day3, "a:x"), conversation(4, day4, "a:x")).from("late"),
		newArchive("gap.json", day4, conversation(1, day1, "a:x"), conversation(4, day4, "a:x")).from("gap"))
	if c := changesOf(t, s, "late", Options{}); c.Absent != 2 || !c.AbsentPeriod {
		t.Errorf("only newer ones: %+v", c)
	}
	if c := changesOf(t, s, "gap", Options{}); c.Absent != 2 || c.AbsentPeriod {
		t.Errorf("older and newer ones: %+v", c)
	}
}

func TestConversationsOfOtherProvidersAreNotAbsent(t *testing.T) {
	s := newStorage()
	s.add(newArchive("chatgpt.json", day2, conversation(1, day1, "a:x"), conversation(2, day2, "a:x")).from("chatgpt"))
	s.take(t, assemble(t, s, Options{}))
	other := conversation(7, day3, "a:x")
	other.ID, other.Provider.Name = normalize.ConversationID("claude", "7"), "claude"
	s.add(newArchive("claude.json", day3, other).from("claude"))
	if c := changesOf(t, s, "claude", Options{}); c.New != 1 || c.Absent != 0 || c.Unchanged != 0 {
		t.Errorf("%+v", c)
	}
}

// The sessions of two programs have the platform "local" in common, and no file is an export of
// all.
func TestSessionsOfLocalProgramsAreNotAbsent(t *testing.T) {
	s := newStorage()
	for i, program := range []string{"claudecode", "codex"} {
		session := conversation(i, day2, "a:x")
		session.ID, session.Provider.Name = normalize.ConversationID("local", program), "local"
		s.add(newArchive(program+".jsonl", day2, session).from(program))
		if i == 0 {
			s.take(t, assemble(t, s, Options{}))
		}
	}
	if c := changesOf(t, s, "codex", Options{}); c.New != 1 || c.Absent != 0 {
		t.Errorf("%+v", c)
	}
}

func TestImportsTakenTogetherAreToldApart(t *testing.T) {
	s := newStorage()
	s.add(newArchive("a.json", day2, conversation(1, day1, "a:x"), conversation(2, day2, "a:x")).from("a"),
		newArchive("b.json", day3, conversation(2, day2, "a:x"), conversation(3, day3, "a:x")).from("b"))
	r := assemble(t, s, Options{Imports: []string{"b", "a", "b"}})
	for id, c := range r.imports {
		if c.New != 2 || c.Absent != 1 || c.Grown+c.Unchanged != 0 {
			t.Errorf("import %s: %+v", id, c)
		}
	}
	if len(r.imports) != 2 {
		t.Errorf("changes of %d imports", len(r.imports))
	}
}

func TestTheListOfConversationsIsBounded(t *testing.T) {
	s := newStorage()
	e := newArchive("many.json", day2).from("many")
	for n := range MaxListedConversations + 20 {
		c := conversation(n, day1, "a:x")
		title := strings.Repeat("é", maxListedTitle)
		c.Title = &title
		e.docs = append(e.docs, c)
	}
	s.add(e)
	c := changesOf(t, s, "many", Options{})
	if c.New != MaxListedConversations+20 || len(c.Listed) != MaxListedConversations {
		t.Errorf("%d new, %d listed", c.New, len(c.Listed))
	}
	if title := c.Listed[0].Title; len(title) > maxListedTitle+len("…") || !utf8.ValidString(title) {
		t.Errorf("a listed title has %d bytes: %q", len(title), title)
	}
}
