package assemble

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// tell makes a candidate that fills a slot, in conversation n.
func tell(content, attribute, value string, one bool, n int, at string) normalize.Candidate {
	c := candidate(content, n, at)
	c.Type, c.Language = "fact", "en"
	c.Slot = &normalize.Slot{Attribute: attribute, Value: value, One: one}
	return c
}

func lives(where string, at string) normalize.Candidate {
	return tell("Lives in "+where+".", "residence", where, true, 1, at)
}

func likes(what string, at string) normalize.Candidate {
	return tell("Likes "+what+".", "likes", what, false, 2, at)
}

func dislikes(what string, at string) normalize.Candidate {
	c := tell("Does not like "+what+".", "likes", what, false, 3, at)
	c.Negative = true
	return c
}

func takeBack(c normalize.Candidate) normalize.Candidate {
	c.Act = normalize.ActRetract
	return c
}

func inList(c normalize.Candidate, listedAt string) normalize.Candidate {
	c.Evidence = []normalize.Evidence{{Member: "memories.json", Pointer: "/0", ObservedAt: day1, Listing: "chatgpt/acc/memory", ListedAt: listedAt}}
	return c
}

func without(c normalize.Candidate) normalize.Candidate {
	c.Slot = nil
	return c
}

func idOf(c normalize.Candidate) string {
	return normalize.MemoryID(c.Type, c.CustomType, pamio.ContentHash(c.Content))
}

// edit changes the memory of a candidate.
func edit(action string, c normalize.Candidate, at string) Edit {
	return Edit{At: at, Action: action, Memory: idOf(c), ID: "e-" + at}
}

func replaceBy(c normalize.Candidate, content, at string) Edit {
	e := edit(EditReplace, c, at)
	e.Type, e.Content = "fact", content
	return e
}

const (
	boats  = "Writes long essays about the history of wooden boats and the people who used to build them by hand."
	boats2 = "Writes long essays about the history of wooden boats and the people who used to build them by hands."
	boats3 = "Write long essays about the history of wooden boat and the people who used to build them by hands."
)

func TestWhatBecomesOfAMemory(t *testing.T) {
	berlin, paris, rome := lives("Berlin", day1), lives("Paris", day2), lives("Rome", day3)
	essays := func(content string, at string) normalize.Candidate {
		c := without(lives("", at))
		c.Content = content
		return c
	}
	essay, french, record := essays(boats, day1), essays(boats2, day2), essays(boats2, day2)
	french.Language, record.Language = "fr", ""
	third := lives("Oslo", day2)
	third.Content, third.Evidence[0].Conversation = "Lives in Oslo.", normalize.ConversationID("chatgpt", "9")
	for _, tt := range []struct {
		name  string
		of    []normalize.Candidate
		past  []normalize.Candidate
		edits []Edit
		// want is "content: status" or "content: status by|like other", and "content type other"
		// for relations.
		want []string
	}{
		{name: "alone", of: list(berlin), want: []string{"Lives in Berlin.: active"}},
		{name: "a later value supersedes", of: list(berlin, rome), want: []string{
			"Lives in Berlin.: superseded by Lives in Rome.", "Lives in Rome.: active", "Lives in Rome. supersedes Lives in Berlin."}},
		{name: "one that comes late finds its place in the chain", of: list(berlin, rome, paris), want: []string{
			"Lives in Berlin.: superseded by Lives in Paris.", "Lives in Paris.: superseded by Lives in Rome.", "Lives in Rome.: active",
			"Lives in Paris. supersedes Lives in Berlin.", "Lives in Rome. supersedes Lives in Paris."}},
		{name: "said again later it is active again", of: list(berlin, paris, lives("Berlin", day3)), want: []string{
			"Lives in Berlin.: active", "Lives in Paris.: superseded by Lives in Berlin.", "Lives in Berlin. supersedes Lives in Paris."}},
		{name: "at one time neither wins", of: list(paris, third), want: []string{
			"Lives in Oslo.: active", "Lives in Paris.: active", "Lives in Oslo. contradicts Lives in Paris."}},
		{name: "a time that is not known is the oldest", of: list(lives("Oslo", ""), berlin), want: []string{
			"Lives in Berlin.: active", "Lives in Oslo.: superseded by Lives in Berlin.", "Lives in Berlin. supersedes Lives in Oslo."}},
		{name: "saying more is no other value", of: list(berlin, lives("Berlin Germany", day3), paris), want: []string{
			"Lives in Berlin Germany.: active", "Lives in Berlin.: active", "Lives in Paris.: superseded by Lives in Berlin Germany.",
			"Lives in Berlin Germany. extends Lives in Berlin.", "Lives in Berlin Germany. supersedes Lives in Paris."}},
		{name: "many values stand beside each other", of: list(likes("tea", day1), likes("green tea", day2), likes("hens", day3)), want: []string{
			"Likes green tea.: active", "Likes hens.: active", "Likes tea.: active", "Likes green tea. extends Likes tea."}},
		{name: "the opposite supersedes", of: list(likes("tea", day1), dislikes("tea", day2)), want: []string{
			"Does not like tea.: active", "Likes tea.: superseded by Does not like tea.", "Does not like tea. supersedes Likes tea."}},
		{name: "the opposite at the same time", of: list(likes("tea", day1), dislikes("tea", day1)), want: []string{
			"Does not like tea.: active", "Likes tea.: active", "Likes tea. contradicts Does not like tea."}},
		{name: "a retraction", of: list(likes("tea", day1), takeBack(likes("tea", day2))), want: []string{"Likes tea.: retracted"}},
		{name: "a retraction by content", of: list(without(likes("tea", day1)), takeBack(without(likes("tea", day2)))), want: []string{"Likes tea.: retracted"}},
		{name: "a retraction of another value", of: list(likes("tea", day1), takeBack(likes("milk", day2))), want: []string{"Likes tea.: active"}},
		{name: "a retraction of all values", of: list(likes("tea", day1), dislikes("milk", day1), takeBack(likes("", day2))), want: []string{
			"Does not like milk.: retracted", "Likes tea.: retracted"}},
		{name: "a retraction before it was said", of: list(likes("tea", day2), takeBack(likes("tea", day1))), want: []string{"Likes tea.: active"}},
		{name: "said again after the retraction", of: list(likes("tea", day1), takeBack(likes("tea", day2)), likes("tea", day3)), want: []string{"Likes tea.: active"}},
		{name: "a retraction without a time", of: list(likes("tea", day1), takeBack(likes("tea", ""))), want: []string{"Likes tea.: active"}},
		{name: "in the newest list", of: list(inList(berlin, day1), inList(berlin, day3), inList(likes("tea", ""), day3)), want: []string{
			"Likes tea.: active", "Lives in Berlin.: active"}},
		{name: "gone from the list", of: list(inList(berlin, day1), inList(likes("tea", ""), day3)), want: []string{
			"Likes tea.: active", "Lives in Berlin.: deprecated"}},
		{name: "gone from a list that is empty now", of: list(inList(berlin, day1), normalize.Candidate{
			Act: normalize.ActListing, Evidence: []normalize.Evidence{{Listing: "chatgpt/acc/memory", ListedAt: day2}}}), want: []string{"Lives in Berlin.: deprecated"}},
		{name: "said in a conversation that is not to be remembered", of: list(berlin, likes("tea", day1), normalize.Candidate{
			Act: normalize.ActForbid, Evidence: []normalize.Evidence{{Conversation: berlin.Evidence[0].Conversation}}}), want: []string{"Likes tea.: active"}},
		{name: "added to the list, which has it no more", of: list(inList(berlin, ""), inList(likes("tea", ""), day3)), want: []string{
			"Likes tea.: active", "Lives in Berlin.: deprecated"}},
		{name: "added to a list that was never seen", of: list(inList(berlin, ""), inList(likes("tea", ""), "")), want: []string{
			"Likes tea.: active", "Lives in Berlin.: active"}},
		{name: "gone from the list, but said elsewhere", of: list(inList(berlin, day1), berlin, inList(likes("tea", ""), day3)), want: []string{
			"Likes tea.: active", "Lives in Berlin.: active"}},
		{name: "the same in other words", of: list(berlin, tell("Home is Berlin", "residence", "berlin", true, 2, day2)), want: []string{
			"Home is Berlin: archived like Lives in Berlin.", "Lives in Berlin.: active", "Home is Berlin supports Lives in Berlin."}},
		{name: "nearly the same words, one after the other", of: list(essays(boats2, day1), essays(boats, day2), essays(boats3, day3)), want: []string{
			boats2 + ": active", boats + ": archived like " + boats2, boats3 + ": archived like " + boats2,
			boats + " supports " + boats2, boats3 + " supports " + boats2}},
		{name: "nearly the same words of another language", of: list(essay, french), want: []string{boats + ": active", boats2 + ": active"}},
		{name: "nearly the same words of a language that is not known", of: list(essay, record), want: []string{
			boats + ": active", boats2 + ": archived like " + boats, boats2 + " supports " + boats}},
		{name: "only in a result that was replaced", past: list(berlin), of: list(paris), want: []string{"Lives in Berlin.: archived", "Lives in Paris.: active"}},
		{name: "in a result that was replaced, too", past: list(berlin), of: list(berlin), want: []string{"Lives in Berlin.: active"}},
		{name: "retracted by hand", of: list(berlin), edits: []Edit{edit(EditRetract, berlin, day2)}, want: []string{"Lives in Berlin.: retracted"}},
		{name: "said again after that", of: list(berlin, lives("Berlin", day3)), edits: []Edit{edit(EditRetract, berlin, day2)}, want: []string{"Lives in Berlin.: active"}},
		{name: "archived by hand", of: list(berlin, lives("Berlin", day3)), edits: []Edit{edit(EditArchive, berlin, day2)}, want: []string{"Lives in Berlin.: archived"}},
		{name: "archived and confirmed", of: list(berlin), edits: []Edit{edit(EditArchive, berlin, day2), edit(EditConfirm, berlin, day3)}, want: []string{"Lives in Berlin.: active"}},
		{name: "confirmed and archived", of: list(berlin), edits: []Edit{edit(EditArchive, berlin, day3), edit(EditConfirm, berlin, day2)}, want: []string{"Lives in Berlin.: archived"}},
		{name: "confirmed against the chain", of: list(berlin, paris), edits: []Edit{edit(EditConfirm, berlin, day2)}, want: []string{
			"Lives in Berlin.: active", "Lives in Paris.: superseded by Lives in Berlin.", "Lives in Berlin. supersedes Lives in Paris."}},
		{name: "confirmed, and something newer", of: list(berlin, rome), edits: []Edit{edit(EditConfirm, berlin, day2)}, want: []string{
			"Lives in Berlin.: superseded by Lives in Rome.", "Lives in Rome.: active", "Lives in Rome. supersedes Lives in Berlin."}},
		{name: "what was taken away by hand supersedes nothing", of: list(berlin, paris), edits: []Edit{edit(EditRetract, paris, day3)}, want: []string{
			"Lives in Berlin.: active", "Lives in Paris.: retracted"}},
		{name: "confirmed after its result was replaced", past: list(berlin), edits: []Edit{edit(EditConfirm, berlin, day3)}, want: []string{"Lives in Berlin.: active"}},
		{name: "added by hand", edits: []Edit{{At: day2, Action: EditAdd, Type: "fact", Content: "Sings.", ID: "e"}}, want: []string{"Sings.: active"}},
		{name: "replaced by hand", of: list(berlin), edits: []Edit{replaceBy(berlin, "Lives near Bonn.", day2)}, want: []string{
			"Lives in Berlin.: superseded by Lives near Bonn.", "Lives near Bonn.: active", "Lives near Bonn. supersedes Lives in Berlin."}},
		{name: "a slip of the pen put right by hand", of: list(essay), edits: []Edit{replaceBy(essay, boats2, day2)}, want: []string{
			boats2 + ": active", boats + ": archived like " + boats2, boats + " supports " + boats2}},
		{name: "a change of the replaced one only", of: list(berlin), edits: []Edit{replaceBy(berlin, "Lives near Bonn.", day2), edit(EditConfirm, berlin, day3)}, want: []string{
			"Lives in Berlin.: active", "Lives near Bonn.: active"}},
		{name: "an edit of what is not there", of: list(berlin), edits: []Edit{edit(EditRetract, paris, day2)}, want: []string{"Lives in Berlin.: active"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := withCandidates(tt.of...)
			s.past, s.edits = tt.past, tt.edits
			got := described(t, assemble(t, s, Options{}))
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func list(of ...normalize.Candidate) []normalize.Candidate { return of }

// described names memories by their content.
func described(t *testing.T, s store) []string {
	t.Helper()
	facts, relations := parseFacts(t, s)
	contents := map[string]string{}
	for _, m := range parseMemories(t, s) {
		contents[m.ID] = m.Content
	}
	var out []string
	for id, f := range facts {
		line := contents[id] + ": " + f.Status
		if f.SupersededBy != "" {
			line += " by " + contents[f.SupersededBy]
		}
		if f.DuplicateOf != "" {
			line += " like " + contents[f.DuplicateOf]
		}
		out = append(out, line)
	}
	for r := range maps.Keys(relations) {
		out = append(out, fmt.Sprintf("%s %s %s", contents[r[0]], r[2], contents[r[1]]))
	}
	slices.Sort(out)
	return out
}

func TestFiveFactsInThreeWordingsAreFiveActiveMemories(t *testing.T) {
	var all []normalize.Candidate
	for n, fact := range []struct{ attribute, value string }{{"residence", "berlin"}, {"name", "otto"}, {"likes", "tea"}, {"job", "baker"}, {"pet", "dog"}} {
		for w, wording := range []string{"This is so: %s %s.", "It is true that %s is %s", "%s → %s"} {
			all = append(all, tell(fmt.Sprintf(wording, fact.attribute, fact.value), fact.attribute, fact.value, n < 2, w+1, day1))
		}
	}
	got := assemble(t, withCandidates(all...), Options{})
	if got.stats.Active != 5 || got.stats.Duplicates != 10 || got.stats.Archived != 10 || got.stats.Memories != 15 || got.stats.Relations[supports] != 10 {
		t.Errorf("stats %+v", got.stats)
	}
	for _, m := range parseMemories(t, got) {
		if m.Confidence.Current != .9 { // three wordings are no three kinds of evidence
			t.Errorf("%s is %s with a confidence of %v", m.Content, m.Status, m.Confidence.Current)
		}
	}
}

func TestIdsOfRelationsAndEmbeddingsAreFrozen(t *testing.T) {
	const a, b = "0b241101-e2bb-4255-8caf-4136c566a962", "3b241101-e2bb-4255-8caf-4136c566a962"
	if got := relationID(supersedes, a, b); got != "027ca2d3-8e1d-595c-bc12-9774a5ebd6d6" {
		t.Errorf("relation %s", got)
	}
	if got := embeddingID(a, "model"); got != "ec6493dd-6ae1-582d-92f0-dab088a2be47" {
		t.Errorf("embedding %s", got)
	}
}

func TestADuplicateOfARetractedMemoryStaysArchived(t *testing.T) {
	first, second := lives("Rome", day1), likes("tea", day1)
	other := lives("Rome", day2)
	other.Content = "Has a home in Rome."
	s := withCandidates(first, other, second)
	s.edits = []Edit{edit(EditRetract, first, day3)}
	got := statuses(t, assemble(t, s, Options{}))
	if got[idOf(first)] != retracted || got[idOf(other)] != archived || got[idOf(second)] != active {
		t.Errorf("%v", got)
	}
}
