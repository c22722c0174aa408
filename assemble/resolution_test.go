package assemble

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// parseFacts reads a store as the plain resolver describes one.
func parseFacts(t *testing.T, s store) (map[string]fact, map[[3]string]string) {
	t.Helper()
	embedded := map[string]string{}
	for _, raw := range parseArray[pamio.Embedding](t, s.embeddings) {
		embedded[raw.MemoryID] = raw.ID
	}
	facts := map[string]fact{}
	for _, m := range parseMemories(t, s) {
		var meta struct {
			Duplicate string         `json:"duplicate_of"`
			Reason    string         `json:"status_reason"`
			Event     string         `json:"event_time"`
			Evidence  []any          `json:"evidence"`
			Count     int            `json:"evidence_count"`
			Slot      normalize.Slot `json:"slot"`
			By        struct {
				At string `json:"observed_at"`
			} `json:"status_by"`
			Inferred  bool
			Sensitive string
		}
		if err := json.Unmarshal(m.Metadata, &meta); err != nil {
			t.Fatal(err)
		}
		if m.EmbeddingRef != embedded[m.ID] {
			t.Errorf("memory %s refers to embedding %q, which is %q", m.ID, m.EmbeddingRef, embedded[m.ID])
		}
		facts[m.ID] = fact{
			Status: m.Status, Reason: meta.Reason, SupersededBy: m.Temporal.SupersededBy, DuplicateOf: meta.Duplicate,
			Created: m.Temporal.CreatedAt, Updated: m.Temporal.UpdatedAt, Reinforced: m.Confidence.LastReinforced, From: m.Temporal.ValidFrom, Until: m.Temporal.ValidUntil,
			Current: m.Confidence.Current, Count: max(meta.Count, len(meta.Evidence)), Tags: strings.Join(m.Tags, " "), Private: m.Access != nil,
			Inferred: meta.Inferred, Sensitive: meta.Sensitive, SlotAttribute: meta.Slot.Attribute, SlotValue: meta.Slot.Value,
			EventTime: meta.Event, StatusBy: meta.By.At, Embedding: m.EmbeddingRef != "",
		}
	}
	relations := map[[3]string]string{}
	for _, r := range parseArray[pamio.Relation](t, s.relations) {
		relations[[3]string{r.From, r.To, r.Type}] = r.CreatedAt
	}
	return facts, relations
}

func parseArray[T any](t *testing.T, section string) []T {
	t.Helper()
	var out []T
	if err := json.Unmarshal([]byte("["+section+"]"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// long are families of contents in almost the same words; those of one are near-duplicates, the
// first and the last of a family through the one between them only.
var long = [][]string{
	{
		"Writes long essays about the history of wooden boats and the people who used to build them by hand",
		"Writes long essays about the history of wooden boats and the people who used to build them by hands",
		"Write long essays about the history of wooden boat and the people who used to build them by hands",
	},
	{
		"Keeps a garden of 12 beds behind the old house and grows vegetables for the whole street in it",
		"Keeps a garden of 13 beds behind the old house and grows vegetables for the whole street in it",
		"Keeps a garden of 12 beds behind the old house and grows vegetable for the whole street in it",
	},
	{
		"Does not trust recipes which come without weights and always measures flour and sugar twice",
		"Does trust recipes which come without weights and always measures flour and sugar twice",
	},
	{
		"Often travels through the mountains together with Anna and a rather small but comfortable tent",
		"Often travels through the mountains together with Anne and a rather small but comfortable tent",
	},
}

type told struct {
	attribute string
	one       bool
	values    []string
	wordings  []string
}

var tellable = []told{
	{"residence", true, []string{"berlin", "berlin germany", "germany", "paris", "rome italy"}, []string{"Lives in %s.", "Home is %s", "Address: %s!"}},
	{"name", true, []string{"anna", "anna maria", "otto"}, []string{"Is called %s.", "Name: %s"}},
	{"event.wedding", false, []string{"anna 2024", "otto 2024 05"}, []string{"Married %s.", "Wedding: %s"}},
	{"likes", false, []string{"tea", "green tea", "tea with milk", "hens"}, []string{"Likes %s.", "Fond of %s", "%s are great"}},
}

var times = []string{"", day1, day2, day3, day4, "2024-01-02T12:00:00Z", "2024-01-05T00:00:00Z"}

func pick[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

func randomStatement(rng *rand.Rand) normalize.Candidate {
	c := normalize.Candidate{
		Type: pick(rng, []string{"fact", "preference"}), Confidence: pick(rng, []float64{.3, .5, .75, .9}), Platform: pick(rng, []string{"chatgpt", "claude"}),
		Method: "explicit_user_input", Extractor: "pamline-rules/1.0.0", Rule: pick(rng, []string{"a", "b"}),
		Tags: []string{pick(rng, []string{"x", "y"})}, Language: pick(rng, []string{"en", "en", "en", ""}),
	}
	if rng.IntN(4) == 0 {
		c.Content = pick(rng, pick(rng, long))
		c.Type = "fact"
	} else {
		of := pick(rng, tellable)
		slot := &normalize.Slot{Attribute: of.attribute, Value: pick(rng, of.values), One: of.one}
		c.Content = fmt.Sprintf(pick(rng, of.wordings), slot.Value)
		if c.Negative = rng.IntN(5) == 0; c.Negative {
			c.Content = "Not true: " + strings.ToUpper(c.Content)
		}
		c.Slot = slot
		slot.Beside = rng.IntN(8) == 0
	}
	if rng.IntN(6) == 0 {
		c.ValidFrom, c.ValidUntil = pick(rng, times), pick(rng, append(times, "2030-01-01T00:00:00Z"))
	}
	if rng.IntN(6) == 0 {
		c.Entities = []normalize.Entity{{Name: pick(rng, []string{"Anna", "Otto"}), Relation: pick(rng, []string{"friend", "dog"})}}
	}
	if rng.IntN(5) == 0 {
		c.Ends = randomEndings(rng)
		c.Event = rng.IntN(2) == 0
	}
	if rng.IntN(8) == 0 {
		c.Sensitive = pick(rng, []string{"health", "religion"})
	}
	if c.Inferred = rng.IntN(6) == 0; c.Inferred {
		c.DerivedFrom = []string{normalize.MemoryID("fact", "", pamio.ContentHash("Lives in berlin."))}
		c.EventTime = "in May"
	}
	for range 1 + rng.IntN(2) {
		e := normalize.Evidence{ObservedAt: pick(rng, times), Quote: "q", Start: rng.IntN(2), End: 3}
		if rng.IntN(3) > 0 {
			e.Conversation, e.Message = normalize.ConversationID("chatgpt", fmt.Sprint(rng.IntN(6))), "m1"
		} else {
			e.Member, e.Pointer, e.AsOf = "memories.json", fmt.Sprint("/", rng.IntN(2)), rng.IntN(2) == 0
			if rng.IntN(2) == 0 {
				e.Listing, e.ListedAt = pick(rng, []string{"l1", "l2"}), pick(rng, times)
			}
		}
		c.Evidence = append(c.Evidence, e)
	}
	return c
}

func randomEndings(rng *rand.Rand) (all []normalize.Ending) {
	for range 1 + rng.IntN(2) {
		of := pick(rng, tellable)
		all = append(all, pick(rng, []normalize.Ending{
			{Attribute: of.attribute}, {Attribute: of.attribute, Value: pick(rng, of.values)}, {Name: pick(rng, of.values)}, {Name: "anna"},
			{Attribute: "entity.*", Value: "anna"}, {Attribute: "entity.dog"}, {Attribute: "!" + of.attribute, Value: pick(rng, of.values)},
			{Attribute: of.attribute, Name: pick(rng, of.values)}, {Attribute: of.attribute, Value: "green tea with lemon"},
		}))
	}
	return all
}

// randomStore has everything that the resolver knows.
func randomStore(rng *rand.Rand) *storage {
	s := newStorage()
	s.add(newArchive("conversations.json", day4, conversation(1, day1, "m1:x"), conversation(2, day2, "m1:x"), conversation(3, day2, "m1:x")))
	for range rng.IntN(25) {
		c := randomStatement(rng)
		switch rng.IntN(8) {
		case 0:
			c.Act, c.DerivedFrom = normalize.ActRetract, nil
			if c.Slot != nil {
				switch rng.IntN(4) {
				case 0:
					c.Content, c.Slot = "", &normalize.Slot{Attribute: c.Slot.Attribute}
				case 1:
					c.Slot = nil
				}
			}
		case 1:
			c = normalize.Candidate{Act: normalize.ActListing, Evidence: []normalize.Evidence{{Listing: "l1", ListedAt: pick(rng, times)}}}
		}
		if rng.IntN(40) == 0 && c.Evidence[0].Conversation != "" {
			c = normalize.Candidate{Act: normalize.ActForbid, Evidence: []normalize.Evidence{{Conversation: c.Evidence[0].Conversation}}}
		}
		s.candidates = append(s.candidates, c)
	}
	for range rng.IntN(4) {
		c := randomStatement(rng)
		for i := range c.Evidence {
			c.Evidence[i].Start = 2
		}
		s.past = append(s.past, c)
	}
	var ids, contents []string
	for _, c := range slices.Concat(s.candidates, s.past) {
		if c.Content != "" {
			ids = append(ids, normalize.MemoryID(c.Type, "", pamio.ContentHash(c.Content)))
			contents = append(contents, c.Content)
		}
	}
	if len(ids) > 0 {
		for n := range rng.IntN(5) {
			e := Edit{At: pick(rng, times[1:]), Action: pick(rng, []string{EditAdd, EditReplace, EditRetract, EditArchive, EditConfirm}), ID: fmt.Sprint("e", n)}
			if e.Action != EditAdd {
				e.Memory = pick(rng, ids)
			}
			if e.Action == EditAdd || e.Action == EditReplace {
				e.Type, e.Content = "fact", pick(rng, append([]string{"By hand.", "Something else"}, contents...))
			}
			s.edits = append(s.edits, e)
		}
	}
	if rng.IntN(2) == 0 {
		for _, content := range contents {
			// A few contents lie close together, whatever they say; the others are at right angles
			// to each other.
			sum := pamio.ContentHash(content)
			v := make([]float32, 32)
			v[sum[10]%32] = 1
			v[sum[11]%32] += .01 * float32(len(content)%5)
			s.vectors = append(s.vectors, Vector{Hash: pamio.ContentHash(content), Model: pick(rng, []string{"m", "m", "n"}), Values: v})
		}
	}
	return s
}

func TestResolvingEqualsThePlainResolver(t *testing.T) {
	rounds := 500
	if testing.Short() {
		rounds = 60
	}
	seen := map[string]int{}
	for round := range rounds {
		s := randomStore(rand.New(rand.NewPCG(41, uint64(round))))
		got := assemble(t, s, Options{Scratch: t.TempDir()})
		gotFacts, gotRelations := parseFacts(t, got)
		wantFacts, wantRelations := resolvePlainly(s)
		for id, want := range wantFacts {
			if gotFacts[id] != want {
				t.Errorf("round %d, memory %s:\ngot  %+v\nwant %+v", round, id, gotFacts[id], want)
			}
			seen[want.Status+" "+want.Reason]++
		}
		if len(gotFacts) != len(wantFacts) || !maps.Equal(gotRelations, wantRelations) {
			t.Errorf("round %d: %d memories, want %d\ngot  %v\nwant %v", round, len(gotFacts), len(wantFacts), gotRelations, wantRelations)
		}
		for r := range wantRelations {
			seen[r[2]]++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Log(seen)
	for _, k := range []string{
		"active ", "superseded newer-value", "superseded opposite", "superseded ended", "archived over", "superseded edit", "deprecated vanished", "retracted retracted", "retracted edit",
		"archived duplicate", "archived no-evidence", "archived unsure", "archived edit", supports, supersedes, contradicts, extends, derivedFrom,
	} {
		if seen[k] == 0 {
			t.Errorf("no case of %q was made", k)
		}
	}
}

// What is resolved depends on what there is, and not on order, repetition, workers or memory.
func TestResolvingKnowsNoOrder(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(43, uint64(round)))
		s := randomStore(rng)
		want := assemble(t, s, Options{Scratch: t.TempDir()})
		for n := range 4 {
			again := newStorage()
			again.packs, again.snapshots = s.packs, shuffled(rng, s.snapshots)
			again.candidates = shuffled(rng, s.candidates)
			again.past, again.edits, again.vectors = shuffled(rng, s.past), shuffled(rng, s.edits), shuffled(rng, s.vectors)
			for i := range again.candidates { // evidence of one candidate has no order, either
				again.candidates[i].Evidence = shuffled(rng, again.candidates[i].Evidence)
			}
			got := assemble(t, again, Options{Scratch: t.TempDir(), Workers: 1 + n, Budget: []int64{1, 3000, 100_000, 0}[n]})
			if got.content != want.content {
				t.Fatalf("round %d, way %d:\ngot  %+v\nwant %+v", round, n, got.content, want.content)
			}
		}
	}
}

// shuffled gives the elements in another order, some of them twice.
func shuffled[T any](rng *rand.Rand, of []T) []T {
	out := slices.Clone(of)
	for range len(of) / 2 {
		out = append(out, pick(rng, of))
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func TestAChainOfResidencesHasStartsAndEnds(t *testing.T) {
	moved := lives("Oslo", day2)
	moved.ValidFrom = "2024-01-01T12:00:00Z"
	rome, bonn := lives("Rome", day1), lives("Bonn", day3)
	got := map[string]pamio.Temporal{}
	for _, m := range parseMemories(t, assemble(t, withCandidates(rome, moved, bonn), Options{})) {
		got[m.ID] = m.Temporal
	}
	for _, want := range []struct{ id, from, until string }{
		{idOf(rome), "", moved.ValidFrom}, {idOf(moved), moved.ValidFrom, day3}, {idOf(bonn), day3, ""},
	} {
		if at := got[want.id]; at.ValidFrom != want.from || at.ValidUntil != want.until {
			t.Errorf("got %+v, want %+v", at, want)
		}
	}
}

func TestResidencesThatWereToldTogetherFollowEachOther(t *testing.T) {
	since := func(value, from string) normalize.Candidate {
		c := lives(value, day1)
		c.ValidFrom = from
		return c
	}
	porto, lisbon, berlin := since("Porto", "2015-01-01T00:00:00Z"), since("Lisbon", "2018-01-01T00:00:00Z"), since("Berlin", "2021-01-01T00:00:00Z")
	got := map[string]pamio.Memory{}
	out := assemble(t, withCandidates(lisbon, berlin, porto), Options{})
	for _, m := range parseMemories(t, out) {
		got[m.ID] = m
	}
	for _, want := range []struct {
		id, status, from, until, by string
	}{
		{idOf(porto), "superseded", porto.ValidFrom, lisbon.ValidFrom, idOf(lisbon)},
		{idOf(lisbon), "superseded", lisbon.ValidFrom, berlin.ValidFrom, idOf(berlin)},
		{idOf(berlin), "active", berlin.ValidFrom, "", ""},
	} {
		m := got[want.id]
		if at := m.Temporal; m.Status != want.status || at.ValidFrom != want.from || at.ValidUntil != want.until || at.SupersededBy != want.by {
			t.Errorf("%s: %s %+v, want %+v", m.Content, m.Status, at, want)
		}
	}
	// When one of them does not say when it began, their order is open.
	for _, m := range parseMemories(t, assemble(t, withCandidates(lisbon, berlin, since("Porto", "")), Options{})) {
		if m.Status != "active" || m.Temporal.ValidUntil != "" {
			t.Errorf("%s: %s until %q", m.Content, m.Status, m.Temporal.ValidUntil)
		}
	}
}

func TestWhatWasToldAsPastStaysTrue(t *testing.T) {
	lived := lives("Porto", day1)
	lived.Content, lived.Slot = "Lived in Porto from 2015 to 2018.", nil
	lived.ValidFrom, lived.ValidUntil = "2015-01-01T00:00:00Z", "2018-01-01T00:00:00Z"
	for _, m := range parseMemories(t, assemble(t, withCandidates(lived, lives("Rome", day3)), Options{})) {
		if m.ID == idOf(lived) && (m.Status != "active" || m.Temporal.ValidFrom != lived.ValidFrom || m.Temporal.ValidUntil != lived.ValidUntil) {
			t.Errorf("%s %+v", m.Status, m.Temporal)
		}
	}
}
