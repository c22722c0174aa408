package assemble

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// candidate makes one about conversation n (0 for a record of a member).
func candidate(content string, n int, observedAt string) normalize.Candidate {
	e := normalize.Evidence{ObservedAt: observedAt, Quote: content, End: len(content)}
	if n > 0 {
		e.Conversation, e.Message, e.AccountID = normalize.ConversationID("chatgpt", fmt.Sprint(n)), "a", "acc"
	} else {
		e.Member, e.Pointer, e.Quote, e.End = "memories.json", "/0", "", 0
	}
	return normalize.Candidate{
		Type: "preference", Content: content, Confidence: .9, Decay: "time_exponential", Platform: "chatgpt",
		Method: "api_export", Extractor: "pamline-harvest/1.0.0", Evidence: []normalize.Evidence{e},
	}
}

// withCandidates has conversations 1 to 40 and these candidates.
func withCandidates(candidates ...normalize.Candidate) *storage {
	s := newStorage()
	var docs []*pamio.Conversation
	for n := range 40 {
		docs = append(docs, conversation(n+1, day1, "a:x"))
	}
	a := newArchive("conversations.json", day4, docs...)
	a.candidates = candidates
	s.add(a)
	return s
}

func TestACandidateBecomesAMemory(t *testing.T) {
	c := candidate("I like  Tea", 1, "2024-01-02T01:00:00+01:00")
	c.Tags = []string{"food", "drinks", "food"}
	c.Language = "en"
	got := assemble(t, withCandidates(c), Options{})
	hash := pamio.ContentHash("i like tea")
	ref := normalize.ConversationID("chatgpt", "1")
	want := `{"confidence":{"current":0.9,"decay_model":"time_exponential","initial":0.9,"last_reinforced":"` + day2 + `"},` +
		`"content":"I like  Tea","content_hash":"` + hash + `","id":"` + normalize.MemoryID("preference", "", hash) + `",` +
		`"metadata":{"evidence":[{"conversation":"` + ref + `","end":11,"message":"a","observed_at":"` + day2 +
		`","quote":"I like  Tea","start":0}],"language":"en"},` +
		`"provenance":{"conversation_ref":"` + ref + `","extraction_method":"api_export","extractor":"pamline-harvest/1.0.0",` +
		`"message_ref":"a","platform":"chatgpt","platform_user_id":"acc"},"status":"active","tags":["drinks","food","tastes"],` +
		`"temporal":{"created_at":"` + day2 + `"},"type":"preference"}`
	if got.memories != want {
		t.Errorf("got  %s\nwant %s", got.memories, want)
	}
	sum, err := pamio.Checksum([][]byte{[]byte(got.memories)})
	if err != nil || sum != got.checksum {
		t.Errorf("checksum %s, want %s (%v)", got.checksum, sum, err)
	}
}

func TestCandidatesOfOneContentAreOneMemory(t *testing.T) {
	early, late := candidate("LIKES TEA", 2, day2), candidate("likes tea", 1, day3)
	late.Platform, late.Confidence, late.Tags = "claude", .5, []string{"b"}
	early.Tags = []string{"a"}
	again := candidate("LIKES TEA", 2, day2) // the same message, in another archive
	record := candidate("likes  tea", 0, "")
	got := parseMemories(t, assemble(t, withCandidates(late, again, record, early), Options{}))
	if len(got) != 1 {
		t.Fatalf("%d memories", len(got))
	}
	m := got[0]
	if m.Content != "LIKES TEA" || m.Provenance.ConversationRef != normalize.ConversationID("chatgpt", "2") || m.Provenance.Platform != "chatgpt" {
		t.Errorf("the memory is not that of its earliest evidence: %+v", m)
	}
	if m.Temporal.CreatedAt != day2 || m.Temporal.UpdatedAt != day3 || m.Confidence.LastReinforced != day3 {
		t.Errorf("times %+v %+v", m.Temporal, m.Confidence)
	}
	if want := 1 - .1*.1; m.Confidence.Initial != .9 || m.Confidence.Current != min(.99, math.Round(want*1e4)/1e4) {
		t.Errorf("confidence %+v", m.Confidence)
	}
	if !slices.Equal(m.Tags, []string{"a", "b", "tastes"}) {
		t.Errorf("tags %v", m.Tags)
	}
	var meta struct {
		Evidence  []map[string]any
		Platforms []string
	}
	if err := json.Unmarshal(m.Metadata, &meta); err != nil {
		t.Fatal(err)
	}
	if len(meta.Evidence) != 3 || meta.Evidence[0]["observed_at"] != day2 || meta.Evidence[2]["member"] != "memories.json" {
		t.Errorf("evidence %v", meta.Evidence)
	}
	if !slices.Equal(meta.Platforms, []string{"chatgpt", "claude"}) {
		t.Errorf("platforms %v", meta.Platforms)
	}
}

func TestConfidenceGrowsByKindsOfEvidenceNotByRepetition(t *testing.T) {
	half := func(n int, at string) normalize.Candidate {
		c := candidate("x", n, at)
		c.Confidence = .5
		return c
	}
	other := half(1, day3)
	other.Evidence[0].Message = "b"
	by := func(extractor, rule string, n int) normalize.Candidate {
		c := half(n, day2)
		c.Extractor, c.Rule = extractor, rule
		return c
	}
	rule, again, newer := by("rules/1.0.0", "fact.pet", 1), by("rules/1.0.0", "fact.pet", 2), by("rules/1.1.0", "fact.pet", 3)
	for _, tt := range []struct {
		name string
		of   []normalize.Candidate
		want float64
	}{
		{"once", []normalize.Candidate{half(1, day1)}, .5},
		{"twice in one conversation", []normalize.Candidate{half(1, day1), other}, .5},
		{"in two", []normalize.Candidate{half(1, day1), half(2, day1)}, .5},
		{"in two and a record", []normalize.Candidate{half(1, day1), half(2, day1), half(0, day1)}, .75},
		{"in three, by one rule in two versions", []normalize.Candidate{rule, again, newer}, .5},
		{"by a rule and a model", []normalize.Candidate{rule, by("llm/1.0.0", "small", 1)}, .75},
		{"by a rule, a model and a record", []normalize.Candidate{rule, by("llm/1.0.0", "small", 4), half(0, day1)}, .875},
		{"by two rules in one sentence", []normalize.Candidate{rule, by("rules/1.0.0", "fact.has", 1)}, .75},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := parseMemories(t, assemble(t, withCandidates(tt.of...), Options{}))[0]
			if m.Confidence.Initial != .5 || m.Confidence.Current != tt.want {
				t.Errorf("got %+v, want %v", m.Confidence, tt.want)
			}
		})
	}
}

func TestEvidenceIsCapped(t *testing.T) {
	var all []normalize.Candidate
	for n := range 40 {
		all = append(all, candidate("x", 40-n, fmt.Sprintf("2024-01-01T00:00:%02dZ", n)))
	}
	m := parseMemories(t, assemble(t, withCandidates(all...), Options{}))[0]
	var meta struct {
		Evidence []struct {
			ObservedAt string `json:"observed_at"`
		}
		Count int `json:"evidence_count"`
	}
	if err := json.Unmarshal(m.Metadata, &meta); err != nil {
		t.Fatal(err)
	}
	if len(meta.Evidence) != maxEvidence || meta.Count != 40 {
		t.Fatalf("%d listed of %d", len(meta.Evidence), meta.Count)
	}
	for i, e := range meta.Evidence {
		if want := fmt.Sprintf("2024-01-01T00:00:%02dZ", i); e.ObservedAt != want {
			t.Errorf("evidence %d is of %s, want %s", i, e.ObservedAt, want)
		}
	}
}

func TestTimesThatAreNotKnown(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		times                     []string
		created, updated, sourced string
		dropped                   int64
	}{
		{"none", []string{""}, epoch, "", "none", 0},
		{"the placeholder", []string{epoch}, epoch, "", "none", 0},
		{"unreadable", []string{"yesterday"}, epoch, "", "none", 1},
		{"an unknown one is not the earliest", []string{"", day2}, day2, "", "", 0},
		{"fractions", []string{"2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00Z"}, day1, "2024-01-01T00:00:00.500000Z", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var all []normalize.Candidate
			for i, at := range tt.times {
				all = append(all, candidate("x", i+1, at))
			}
			got := assemble(t, withCandidates(all...), Options{})
			m := parseMemories(t, got)[0]
			if m.Temporal.CreatedAt != tt.created || m.Temporal.UpdatedAt != tt.updated {
				t.Errorf("temporal %+v", m.Temporal)
			}
			if has := strings.Contains(string(m.Metadata), `"created_at_source":"none"`); has != (tt.sourced != "") {
				t.Errorf("metadata %s", m.Metadata)
			}
			if got.stats.Dropped["field-observed-at"] != tt.dropped {
				t.Errorf("dropped %v", got.stats.Dropped)
			}
		})
	}
}

func TestCandidatesThatCannotBecomeMemoriesAreCounted(t *testing.T) {
	for _, tt := range []struct {
		reason string
		change func(c *normalize.Candidate)
		kept   int64
	}{
		{"empty-content", func(c *normalize.Candidate) { c.Content = " \t\u00a0\n" }, 0},
		{"unknown-type", func(c *normalize.Candidate) { c.Type = "wish" }, 0},
		{"custom-type-mismatch", func(c *normalize.Candidate) { c.Type = "custom" }, 0},
		{"custom-type-mismatch", func(c *normalize.Candidate) { c.CustomType = "x" }, 0},
		{"invalid-platform", func(c *normalize.Candidate) { c.Platform = "Chat GPT" }, 0},
		{"invalid-confidence", func(c *normalize.Candidate) { c.Confidence = math.NaN() }, 0},
		{"invalid-confidence", func(c *normalize.Candidate) { c.Confidence = 1.1 }, 0},
		{"invalid-text", func(c *normalize.Candidate) { c.Content = "a\xff" }, 0},
		{"no-evidence", func(c *normalize.Candidate) { c.Evidence = nil }, 0},
		{"field-decay-model", func(c *normalize.Candidate) { c.Decay = "half-life" }, 1},
		{"field-extraction-method", func(c *normalize.Candidate) { c.Method = "guess" }, 1},
		{"field-extractor", func(c *normalize.Candidate) { c.Extractor = "x" }, 1},
		{"field-language", func(c *normalize.Candidate) { c.Language = "en-us" }, 1},
		{"field-tag", func(c *normalize.Candidate) { c.Tags = []string{"ok", "Not ok"} }, 1},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			c := candidate("x", 1, day1)
			tt.change(&c)
			got := assemble(t, withCandidates(c), Options{})
			if got.stats.Dropped[tt.reason] != 1 || len(got.stats.Dropped) != 1 || got.stats.Memories != tt.kept || got.stats.Candidates != 1 {
				t.Errorf("stats %+v", got.stats)
			}
		})
	}
}

func TestLanguageTags(t *testing.T) {
	for tag, want := range map[string]bool{
		"en": true, "deu": true, "zh-Hans": true, "pt-BR": true, "zh-Hant-TW": true,
		"": false, "e": false, "engl": false, "en-us": false, "zh-hans": false, "es-419": false, "EN": false, "en-": false, "en-US-x": false,
	} {
		if isLanguage(tag) != want {
			t.Errorf("%q: %v", tag, !want)
		}
	}
}

func TestMemoriesNameOnlyConversationsOfTheIndexAndTheIndexNamesThem(t *testing.T) {
	lost := candidate("known only from elsewhere", 77, day1)
	both := []normalize.Candidate{candidate("both", 77, day1), candidate("both", 3, day2)}
	var all []normalize.Candidate
	for n := range 20 {
		all = append(all, candidate(fmt.Sprint("thing ", n), 1+n%4, day1))
	}
	got := assemble(t, withCandidates(append(append(all, lost), both...)...), Options{Budget: 1})
	if got.stats.Dangling != 2 {
		t.Errorf("%d dangling", got.stats.Dangling)
	}
	derived := map[string][]string{}
	for _, m := range parseMemories(t, got) {
		ref := m.Provenance.ConversationRef
		switch m.Content {
		case "known only from elsewhere":
			if ref != "" || m.Provenance.MessageRef != "" {
				t.Errorf("%s names %s", m.Content, ref)
			}
			continue
		case "both":
			if ref != normalize.ConversationID("chatgpt", "3") || m.Temporal.CreatedAt != day1 {
				t.Errorf("both: %+v", m)
			}
		}
		derived[ref] = append(derived[ref], m.ID)
	}
	for _, e := range parseIndex(t, got) {
		if !slices.Equal(e.DerivedMemories, derived[e.ID]) {
			t.Errorf("%s: derived %v, want %v", e.ID, e.DerivedMemories, derived[e.ID])
		}
		delete(derived, e.ID)
	}
	if len(derived) > 0 {
		t.Errorf("not in the index: %v", derived)
	}
}

func TestTwoExtractorsThatFindTheSameWordsAreOneEvidence(t *testing.T) {
	a, b := candidate("x", 1, day1), candidate("x", 1, day1)
	b.Extractor, b.Tags = "pamline-rules/1.0.0", []string{"t"}
	m := parseMemories(t, assemble(t, withCandidates(a, b), Options{}))[0]
	if strings.Count(string(m.Metadata), `"quote"`) != 1 || !slices.Equal(m.Tags, []string{"t", "tastes"}) {
		t.Errorf("%s, tags %v", m.Metadata, m.Tags)
	}
}

func TestEvidenceOfARecordNamesMemberAndPointer(t *testing.T) {
	record := func(member, account string) normalize.Candidate {
		c := candidate("I like tea", 1, day2)
		e := &c.Evidence[0]
		e.Quote, e.End, e.Member, e.Pointer, e.AccountID = "", 0, member, "/mapping/a/message/content/parts/0", account
		return c
	}
	// The same record in two archives is one piece of evidence, and a known account is better than
	// none.
	of := []normalize.Candidate{record("conversations-003.json", ""), record("conversations-001.json", ""), record("conversations-002.json", "acc")}
	want := `"metadata":{"evidence":[{"conversation":"` + normalize.ConversationID("chatgpt", "1") +
		`","member":"conversations-002.json","message":"a","observed_at":"` + day2 + `","pointer":"/mapping/a/message/content/parts/0"}]}`
	for range 3 {
		got := assemble(t, withCandidates(of...), Options{}).memories
		if !strings.Contains(got, want) || !strings.Contains(got, `"platform_user_id":"acc"`) {
			t.Errorf("got %s, want %s of acc in it", got, want)
		}
		of = append(of[1:], of[0])
	}
}

// Files of several providers have one name: what two of them keep is better supported than what one
// says twice.
func TestRecordsOfTwoProvidersAreTwoSources(t *testing.T) {
	one := candidate("Keeps hens", 0, day2)
	again := candidate("keeps hens", 0, day2)
	again.Evidence[0].Pointer = "/1"
	other := candidate("Keeps hens", 0, day3)
	other.Platform = "claude"
	for _, c := range []struct {
		candidates []normalize.Candidate
		want       float64
		platforms  bool
	}{
		{[]normalize.Candidate{one}, .9, false},
		{[]normalize.Candidate{one, again, one}, .9, false},
		{[]normalize.Candidate{other, one, again}, .99, true},
	} {
		slices.Reverse(c.candidates)
		got := assemble(t, withCandidates(c.candidates...), Options{})
		m, err := pamio.ParseMemory([]byte(got.memories))
		if err != nil {
			t.Fatalf("%v in %s", err, got.memories)
		}
		if m.Confidence.Current != c.want || m.Provenance.ConversationRef != "" || strings.Contains(string(m.Metadata), `"platforms":["chatgpt","claude"]`) != c.platforms {
			t.Errorf("%d candidates: %s", len(c.candidates), got.memories)
		}
	}
}
