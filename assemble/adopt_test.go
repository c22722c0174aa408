package assemble

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// adoptMemory is a memory of another PAM store, with more members.
func adoptMemory(id, status, content, at, more string) normalize.Candidate {
	return adoptElement(normalize.AdoptMemory, `{"id":"`+id+`","type":"fact","status":"`+status+`","content":"`+content+`","content_hash":"`+
		pamio.ContentHash(content)+`","tags":["own"],"temporal":{"created_at":"`+at+`"},"provenance":{"platform":"grok"}`+more+`}`, at)
}

func adoptElement(kind, text, at string) normalize.Candidate {
	raw, err := pamio.Canonicalize([]byte(text))
	if err != nil {
		panic(err)
	}
	return normalize.Candidate{
		Act: normalize.ActAdopt, Type: kind, Element: raw,
		Evidence: []normalize.Evidence{{Member: "memory-store.json", Pointer: "/memories/0", ObservedAt: at, Listing: "export-1", ListedAt: day3}},
	}
}

// inSlot are members of a memory that tell where somebody lives.
func inSlot(value string) string {
	return `,"metadata":{"slot":{"attribute":"residence","value":"` + value + `"}}`
}

// statuses are those of the memories of a store, by id.
func statuses(t *testing.T, s store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range parseMemories(t, s) {
		out[m.ID] = m.Status
	}
	return out
}

func TestAdoptedMemoriesStayWhatTheyAre(t *testing.T) {
	s := withCandidates(
		adoptMemory("mem/1", "active", "Lives in Rome.", day1, `,"summary":"Rome","metadata":{"slot":{"attribute":"residence","value":"rome"}}`),
		adoptMemory("mem/2", "active", "Lives in Oslo.", day2, inSlot("oslo")),
		adoptMemory("mem/3", "archived", "Lives in rome", day2, `,"access":{"exportable":false,"shared_with":[],"visibility":"shared"}`),
		adoptElement(normalize.AdoptRelation, `{"id":"r","from":"mem/1","to":"mem/2","type":"related_to","created_at":"`+day1+`"}`, day1),
		adoptElement(normalize.AdoptRelation, `{"id":"s","from":"mem/1","to":"none","type":"related_to","created_at":"`+day1+`"}`, day1),
		adoptElement(normalize.AdoptEmbedding, `{"id":"e","memory_id":"mem/2","model":"m","dimensions":1,"created_at":"`+day1+`","vector":[1]}`, day1),
	)
	got := assemble(t, s, Options{})
	if want := "map[mem/1:active mem/2:active mem/3:archived]"; fmt.Sprint(statuses(t, got)) != want {
		t.Errorf("got %v, want %s", statuses(t, got), want)
	}
	first := string(s.candidates[slices.IndexFunc(s.candidates, func(c normalize.Candidate) bool { return strings.Contains(string(c.Element), "mem/1") })].Element)
	if !strings.HasPrefix(got.memories, first) {
		t.Errorf("the memory changed: %s, want %s", got.memories, first)
	}
	if !strings.Contains(got.memories, `"embedding_ref":"e"`) || !strings.Contains(got.embeddings, `"vector":[1]`) {
		t.Errorf("the vector is lost: %s", got.embeddings)
	}
	if strings.Count(got.relations, `"id"`) != 1 || got.stats.Dropped["relation-without-memory"] != 1 || got.stats.Memories != 3 || got.stats.Active != 2 {
		t.Errorf("relations %s, stats %+v", got.relations, got.stats)
	}
}

// Words that have one hash by the rules of PAM §6 are two memories if they are of two types, or
// were two before.
func TestEqualHashesDoNotMakeOneOfTwoAdoptedMemories(t *testing.T) {
	polish := adoptMemory("mem/2", "retracted", "polish", day2, "")
	polish.Element = []byte(strings.Replace(string(polish.Element), `"type":"fact"`, `"type":"skill"`, 1))
	got := assemble(t, withCandidates(adoptMemory("mem/1", "active", "Polish", day1, ""), polish, adoptMemory("mem/3", "archived", "POLISH", day1, "")), Options{})
	if want := "map[mem/1:active mem/2:retracted mem/3:archived]"; fmt.Sprint(statuses(t, got)) != want {
		t.Errorf("got %v, want %s", statuses(t, got), want)
	}
	for _, words := range []string{`"content":"Polish"`, `"content":"polish"`, `"content":"POLISH"`} {
		if !strings.Contains(got.memories, words) {
			t.Errorf("%s is not in %s", words, got.memories)
		}
	}
}

// Programs that give a memory a new id with each export tell it twice. The older one stays, the
// other is kept beside it.
func TestTheSameWordsInAnotherExportAreADuplicate(t *testing.T) {
	from := func(export string, c normalize.Candidate) normalize.Candidate {
		c.Evidence = slices.Clone(c.Evidence)
		c.Evidence[0].Listing = export
		return c
	}
	older := from("b", adoptMemory("mem/9", "active", "Keeps bees.", day1, ""))
	for name, c := range map[string]struct {
		more normalize.Candidate
		want string
	}{
		"in another export":             {from("a", adoptMemory("mem/1", "active", "Keeps  bees.", day2, "")), "archived"},
		"in the same export":            {from("b", adoptMemory("mem/1", "active", "Keeps bees.", day2, "")), "active"},
		"in other letters":              {from("a", adoptMemory("mem/1", "active", "keeps BEES", day2, "")), "active"},
		"as something taken back later": {from("a", adoptMemory("mem/1", "retracted", "Keeps bees.", day2, "")), "retracted"},
	} {
		t.Run(name, func(t *testing.T) {
			got := assemble(t, withCandidates(c.more, older, adoptElement(normalize.AdoptRelation, `{"id":"r","from":"mem/1","to":"mem/9","type":"related_to","created_at":"`+day1+`"}`, day1)), Options{})
			if all := statuses(t, got); all["mem/1"] != c.want || all["mem/9"] != "active" {
				t.Fatalf("%v, want %s: %s", all, c.want, got.memories)
			}
			duplicate := c.want == "archived"
			if strings.Contains(got.memories, `"duplicate_of":"mem/9"`) != duplicate || strings.Contains(got.relations, `"supports"`) != duplicate || got.stats.Duplicates == 1 != duplicate || !strings.Contains(got.relations, `"related_to"`) {
				t.Errorf("%s %s %+v", got.memories, got.relations, got.stats)
			}
		})
	}
}

// A store that has the relation already, of the duplicate that another export still takes for
// active, gets it once.
func TestTheRelationOfADuplicateIsMadeOnce(t *testing.T) {
	older, newer := adoptMemory("mem/9", "active", "Keeps bees.", day1, ""), adoptMemory("mem/1", "active", "Keeps bees.", day2, "")
	newer.Evidence[0].Listing = "export-2"
	r := newRelation(supports, "mem/1", "mem/9", day1)
	raw, err := r.AppendCanonical(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := assemble(t, withCandidates(older, newer, adoptElement(normalize.AdoptRelation, string(raw), day1)), Options{})
	if strings.Count(got.relations, `"supports"`) != 1 || !strings.Contains(got.relations, day1) || statuses(t, got)["mem/1"] != "archived" {
		t.Errorf("%s %s", got.relations, got.memories)
	}
}

func TestOnlySomethingNewerChangesAnAdoptedMemory(t *testing.T) {
	rome := adoptMemory("mem/1", "active", "Lives in Rome.", day2, inSlot("rome"))
	gone := adoptMemory("mem/1", "retracted", "Lives in Rome.", day2, inSlot("rome"))
	oslo := lives("Oslo", day3)
	edited := func(action, at string) Edit { return Edit{At: at, Action: action, Memory: "mem/1", ID: "e"} }
	for name, c := range map[string]struct {
		candidates []normalize.Candidate
		edits      []Edit
		want       string
	}{
		"nothing":                         {list(rome), nil, "active"},
		"an older value":                  {list(rome, lives("Oslo", day1)), nil, "active"},
		"a newer value":                   {list(rome, oslo), nil, "superseded"},
		"the same said later":             {list(gone, lives("Rome", day3)), nil, "active"},
		"the same said before":            {list(gone, lives("Rome", day1)), nil, "retracted"},
		"an edit":                         {list(rome), []Edit{edited(EditRetract, day3)}, "retracted"},
		"a confirmation":                  {list(gone), []Edit{edited(EditConfirm, day3)}, "active"},
		"what was taken back":             {list(rome, takeBack(lives("Rome", day3))), nil, "retracted"},
		"a later version of it":           {list(rome, adoptMemory("mem/1", "retracted", "Lives in Rome.", day3, "")), nil, "retracted"},
		"an earlier version of it":        {list(adoptMemory("mem/1", "retracted", "Lives in Rome.", day1, ""), rome), nil, "active"},
		"another wording in an archive":   {list(rome, without(lives("ROME", day3))), nil, "active"},
		"a value of the same export":      {list(rome, adoptMemory("mem/9", "active", "Lives in Kyiv.", day3, inSlot("kyiv"))), nil, "active"},
		"a newer duplicate of the export": {list(rome, adoptMemory("mem/0", "active", "Lives in Rome", day3, inSlot("rome"))), nil, "active"},
	} {
		t.Run(name, func(t *testing.T) {
			s := withCandidates(c.candidates...)
			s.edits = c.edits
			got := assemble(t, s, Options{})
			if status := statuses(t, got)["mem/1"]; status != c.want {
				t.Errorf("%s, want %s: %s", status, c.want, got.memories)
			}
			if strings.Contains(got.memories, adoptedRule) || strings.Contains(got.memories, `"adopted"`) {
				t.Errorf("a mark is left: %s", got.memories)
			}
			for _, m := range parseMemories(t, got) {
				if m.Temporal.SupersededBy != "" && statuses(t, got)[m.Temporal.SupersededBy] == "" {
					t.Errorf("%s is superseded by %s, which is not there", m.ID, m.Temporal.SupersededBy)
				}
			}
		})
	}
}

func TestWhatAnArchiveSaysOfAnAdoptedMemoryIsAdded(t *testing.T) {
	s := withCandidates(adoptMemory("mem/1", "active", "Lives in Rome.", day1, `,"summary":"Rome","metadata":{"own":true}`), lives("Rome", day3))
	all := parseMemories(t, assemble(t, s, Options{}))
	if len(all) != 1 || all[0].ID != "mem/1" || all[0].Summary != "Rome" || all[0].Temporal.UpdatedAt != day3 || all[0].Provenance.Platform != "grok" {
		t.Fatalf("%+v", all)
	}
	for _, want := range []string{`"own":true`, `"evidence":[`} {
		if !strings.Contains(string(all[0].Metadata), want) {
			t.Errorf("%s is missing: %s", want, all[0].Metadata)
		}
	}
}

func TestAdoptionDependsOnTheSetOfInputsAlone(t *testing.T) {
	var all []normalize.Candidate
	for i := range 12 {
		at := []string{day1, day2, day3}[i%3]
		all = append(all, adoptMemory(fmt.Sprint("mem/", i%5), []string{"active", "retracted"}[i%2], fmt.Sprint("Lives in town ", i%4), at, inSlot(fmt.Sprint("town ", i%4))))
	}
	all = append(all, lives("Rome", day2), likes("tea", day1))
	want := assemble(t, withCandidates(all...), Options{}).content
	for range 4 {
		all = append(all[5:], all[:5]...)
		if got := assemble(t, withCandidates(append(slices.Clone(all), all[0])...), Options{}).content; got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}

func TestConversationsWithoutDocumentsStayInTheIndex(t *testing.T) {
	s := withCandidates(
		adoptMemory("mem/1", "active", "Keeps bees", day1, ""),
		adoptElement(normalize.AdoptMemory, `{"id":"mem/2","type":"fact","status":"active","content":"Rows","content_hash":"`+pamio.ContentHash("Rows")+
			`","tags":[],"temporal":{"created_at":"`+day1+`"},"provenance":{"platform":"grok","conversation_ref":"c-1","message_ref":"m"}}`, day1),
		adoptElement(normalize.AdoptMemory, `{"id":"mem/3","type":"fact","status":"active","content":"Sails","content_hash":"`+pamio.ContentHash("Sails")+
			`","tags":[],"temporal":{"created_at":"`+day1+`"},"provenance":{"platform":"grok","conversation_ref":"gone"}}`, day1),
		adoptElement(normalize.AdoptConversation, `{"id":"c-1","platform":"grok","temporal":{"created_at":"`+day1+`"},"storage":{"type":"file","ref":"conversations/x.json"},"derived_memories":["mem/1"]}`, day1),
	)
	got := assemble(t, s, Options{})
	if want := `{"derived_memories":["mem/2"],"id":"c-1","platform":"grok","temporal":{"created_at":"` + day1 + `"}}`; !strings.HasSuffix(got.index, want) {
		t.Errorf("index %s", got.index)
	}
	if !strings.Contains(got.memories, `"unknown_members":{"/provenance/conversation_ref":"gone"}`) {
		t.Errorf("memories %s", got.memories)
	}
}
