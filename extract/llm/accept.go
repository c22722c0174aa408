package llm

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// Codes of what a model said and no candidate was made of, beside the reasons of package gate
// (gate.Check).
const (
	RejectForm        = "bad-form"            // a type that there is not, or no content, subject, stability or evidence
	RejectTurn        = "foreign-turn"        // proved by a turn that is not there, or not the person's own words
	RejectQuote       = "quote-not-found"     // the person did not say that
	RejectNothing     = "no-statement"        // proved by a yes or no alone
	RejectSubject     = "third-party"         // about somebody else
	RejectOnce        = "one-off"             // of no use beyond the talk
	RejectDraft       = "draft"               // an instruction out of a text that the person wants worked on
	RejectUnsupported = "unsupported"         // a name or a number that the person did not say
	RejectExample     = "example-token"       // copied from the prompt
	RejectMany        = "too-many"            // more than so much talk can hold
	RejectLow         = "low-confidence"      // the model itself doubts it
	RejectInjection   = "injection-suspected" // an instruction, where the model saw an attempt to plant one
	RejectRoleplay    = "role-play"           // about a part that the person plays
	RejectLong        = "too-long"            // a retelling, no statement
	RejectRepeated    = "repeated"            // said already
	SkipForbidden     = "do-not-remember"     // the conversation is marked so; counted once
	SkipPrompts       = "prompts_only"        // the conversation is a list of prompts; counted once
)

// decay names how memories of a type lose weight (PAM §8). These are the types that a model may
// give.
var decay = map[string]string{
	"identity": "none", "fact": "none", "relationship": "none", "skill": "none",
	"preference": "time_exponential", "goal": "time_exponential", "project": "time_exponential", "environment": "time_exponential",
	"instruction": "time_exponential", "context": "time_exponential",
}

// passing are the types of which something temporary is worth a memory, as it has an end of its
// own.
var passing = map[string]bool{"goal": true, "project": true, "context": true}

// played are the types that are not believed while the person plays a part.
var played = map[string]bool{"identity": true, "fact": true, "relationship": true}

var sensitive = map[string]bool{
	"health": true, "religion": true, "politics": true, "sexuality": true, "ethnicity": true, "union": true, "criminal": true, "biometric": true,
}

// sensitiveSlots are attributes whose values are of a special category, whatever the model says.
var sensitiveSlots = map[string]string{"condition": "health", "allergy": "health", "religion": "religion", "politics": "politics"}

// How many memories a chunk may give: some, and more for each thousand characters of the person's
// words. Of what an answer has, some times as many are looked at, and so many quotes of each.
const (
	fewMemories     = 6
	memoriesPerKilo = 8
	lookedAt        = 4
	maxQuotes       = 8
)

// judge makes candidates of what was answered about one chunk.
type judge struct {
	x      *Extractor
	chunk  chunk
	report *extract.Report
	seen   map[string]bool // what the talk gave already
	out    []normalize.Candidate
}

// addAnswer makes candidates of one answer.
func (j *judge) addAnswer(a answer) {
	j.report.Records += len(a.memories)
	room := fewMemories + j.chunk.spoken()*memoriesPerKilo/1000
	ids := make([]string, len(a.memories)) // of those that became candidates
	look := room * lookedAt
	for i := range a.memories {
		m := &a.memories[i]
		if i >= look {
			j.report.Skip(RejectMany)
			continue
		}
		c, reason := j.newCandidate(m)
		if reason == "" && a.suspicious && c.Type == "instruction" {
			reason = RejectInjection
		}
		if reason == "" && room == 0 {
			reason = RejectMany
		}
		hash := pamio.ContentHash(c.Content)
		if reason == "" {
			id := c.Type + " " + hash + " " + c.Evidence[0].Message
			if j.seen[id] {
				reason = RejectRepeated
			}
			j.seen[id] = true
		}
		if reason != "" {
			j.report.Reject(reason, &c)
			continue
		}
		for _, from := range m.derived {
			if from >= 0 && from < i && ids[from] != "" && !slices.Contains(c.DerivedFrom, ids[from]) {
				c.DerivedFrom = append(c.DerivedFrom, ids[from])
			}
		}
		c.Inferred = c.Inferred || len(c.DerivedFrom) > 0
		ids[i] = normalize.MemoryID(c.Type, "", hash)
		j.out = append(j.out, c)
		room--
	}
}

// newCandidate checks one memory. With a reason the candidate is as far as it came, for the report.
func (j *judge) newCandidate(m *memory) (normalize.Candidate, string) {
	doc := j.chunk.doc
	c := normalize.Candidate{
		Type: m.kind, Content: statement(m.content), Confidence: confidences[m.confidence], Decay: decay[m.kind], Language: j.chunk.lang,
		Platform: doc.Provider.Name, Method: "llm_inference", Extractor: j.x.version, Rule: j.x.o.Model,
		Negative: m.polarity == "negative", Inferred: !m.explicit,
	}
	if _, known := decay[m.kind]; !known {
		c.Type = ""
		return c, RejectForm
	}
	if !m.whole || c.Content == "" {
		return c, RejectForm
	}
	found, reason := j.locateEvidence(m.evidence)
	c.Evidence = found.evidence
	if reason != "" {
		return c, reason
	}
	quotes := quotesOf(found.evidence)
	switch {
	case copiesExample(m.content) || copiesExample(m.value) || copiesExample(m.replaces):
		return c, RejectExample
	case m.subject != "user" && m.subject != "the user":
		return c, RejectSubject
	case m.stability == "one_off":
		return c, RejectOnce
	case found.doubts&(inDraft|inHanded) != 0 && m.kind == "instruction":
		return c, RejectDraft
	case utf8.RuneCountInString(c.Content) > maxContent:
		return c, RejectLong
	case confirms(quotes):
		return c, RejectNothing
	case played[m.kind] && j.isPretended(found.places):
		return c, RejectRoleplay
	}
	said := quotes + "\n" + j.chunk.saidNear(found.places)
	switch number, name := findUnsaid(c.Content, said, c.Language); {
	case number:
		return c, RejectUnsupported
	case name && !couldBeSaid(c.Content, quotes, j.chunk.written(), c.Language):
		return c, RejectUnsupported
	case name:
		found.doubts |= unsaidName
	}
	if m.stability != "durable" && !passing[m.kind] {
		found.doubts |= passes
		c.Type, c.Decay = "context", decay["context"]
	}
	if c.Confidence = found.doubts.lower(c.Confidence); c.Confidence < minConfidence {
		return c, RejectLow
	}
	if reason := gate.Check(&c); reason != "" {
		return c, reason
	}
	if gate.Reason(m.value) == "" {
		c.Slot = slotOf(m.attribute, m.value)
	}
	c.Entities = entitiesOf(m.people, c.Content, said)
	c.Sensitive = m.sensitive
	if !sensitive[c.Sensitive] {
		c.Sensitive = ""
	}
	if c.Slot != nil && sensitiveSlots[c.Slot.Attribute] != "" {
		c.Sensitive = sensitiveSlots[c.Slot.Attribute]
	}
	if lang := languageOf(quotes); lang != "" {
		c.Language = lang
	}
	applyStatus(&c, m, said)
	j.x.dateCandidate(&c, m, said)
	return c, ""
}

func quotesOf(evidence []normalize.Evidence) string {
	var b strings.Builder
	for _, e := range evidence {
		b.WriteString(e.Quote)
		b.WriteByte('\n')
	}
	return b.String()
}
