package assemble

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// The closed lists of PAM §5, §8 and §11.3.
var (
	memoryTypes = set("fact", "preference", "skill", "context", "relationship", "goal", "instruction", "identity",
		"environment", "project", "custom")
	decayModels = set("time_linear", "time_exponential", "none")
	methods     = set("llm_inference", "explicit_user_input", "api_export", "browser_extraction", "manual")
)

// IsType tells whether a memory can be of that type (PAM §5).
func IsType(typ string) bool { return memoryTypes[typ] }

func set(values ...string) map[string]bool {
	m := make(map[string]bool, len(values))
	for _, v := range values {
		m[v] = true
	}
	return m
}

// refuse says why a candidate cannot become a memory, "" when it can.
func refuse(c *normalize.Candidate) string {
	switch {
	case !memoryTypes[c.Type]:
		return "unknown-type"
	case (c.Type == "custom") != (c.CustomType != ""):
		return "custom-type-mismatch"
	case !pamio.IsPlatform(c.Platform):
		return "invalid-platform"
	case math.IsNaN(c.Confidence) || c.Confidence < 0 || c.Confidence > 1:
		return "invalid-confidence"
	case !utf8.ValidString(c.Content) || !utf8.ValidString(c.CustomType):
		return "invalid-text"
	case len(c.Evidence) == 0:
		return "no-evidence"
	case pamio.NormalizeContent(c.Content) == "":
		return "empty-content"
	}
	return ""
}

// tidy removes single fields that PAM has no room for and tells each by name. The memory is worth
// more than the field.
func tidy(c *normalize.Candidate, dropped func(reason string)) {
	clearUnless := func(field *string, ok bool, reason string) {
		if *field != "" && !ok {
			*field = ""
			dropped(reason)
		}
	}
	clearUnless(&c.Decay, decayModels[c.Decay], "field-decay-model")
	clearUnless(&c.Method, methods[c.Method], "field-extraction-method")
	clearUnless(&c.Extractor, pamio.IsSystem(c.Extractor), "field-extractor")
	clearUnless(&c.Language, isLanguage(c.Language), "field-language")
	var tags []string // of our own: the candidate's may be shared
	for _, t := range c.Tags {
		if pamio.IsTag(t) {
			tags = append(tags, t)
		} else {
			dropped("field-tag")
		}
	}
	c.Tags = tags
	clearUnless(&c.Rule, utf8.ValidString(c.Rule), "field-rule")
	clearUnless(&c.EventTime, utf8.ValidString(c.EventTime), "field-event-time")
	tidyTime(&c.ValidFrom, func() { dropped("field-valid-from") })
	tidyTime(&c.ValidUntil, func() { dropped("field-valid-until") })
	c.Ends, c.Entities = tidyEndings(c.Ends), tidyEntities(c.Entities)
	clearUnless(&c.Sensitive, pamio.IsTag(c.Sensitive), "field-sensitive")
	if c.Slot != nil {
		s := foldSlot(*c.Slot)
		if c.Slot = &s; s.Attribute == "" || s.Value == "" {
			c.Slot = nil
			dropped("field-slot")
		}
	}
	var parents []string
	for _, id := range c.DerivedFrom {
		if !isID(id) {
			dropped("field-derived-from")
			continue
		}
		parents = append(parents, id)
	}
	slices.Sort(parents)
	c.DerivedFrom = slices.Compact(parents)
}

// foldSlot makes equal slots equal texts.
func foldSlot(s normalize.Slot) normalize.Slot {
	s.Attribute = strings.ToValidUTF8(strings.TrimSpace(s.Attribute), "\uFFFD")
	s.Value = normalize.FoldValue(s.Value)
	s.One = s.One || normalize.IsOneValued(s.Attribute)
	return s
}

// tidyEndings brings endings into the form in which they are compared and leaves out those that
// name nothing.
func tidyEndings(all []normalize.Ending) []normalize.Ending {
	var kept []normalize.Ending // of our own: the candidate's may be shared
	for _, e := range all {
		s := foldSlot(normalize.Slot{Attribute: e.Attribute, Value: e.Value})
		e = normalize.Ending{Attribute: s.Attribute, Value: s.Value, Name: normalize.FoldValue(e.Name)}
		if e.Name != "" || e.Attribute != "" && e.Attribute != "*" {
			kept = append(kept, e)
		}
	}
	return kept
}

// tidyEntities makes the names of entities UTF-8 and leaves out those without one.
func tidyEntities(all []normalize.Entity) []normalize.Entity {
	var kept []normalize.Entity
	for _, e := range all {
		e.Name, e.Relation = strings.ToValidUTF8(strings.TrimSpace(e.Name), "\uFFFD"), strings.ToValidUTF8(e.Relation, "\uFFFD")
		if e.Name != "" {
			kept = append(kept, e)
		}
	}
	return kept
}

// tidyEvidence brings a time into the output form and makes the strings UTF-8.
func tidyEvidence(e *normalize.Evidence, dropped func(reason string)) {
	for _, s := range [...]*string{&e.Conversation, &e.Message, &e.Quote, &e.Member, &e.Pointer, &e.AccountID, &e.Listing} {
		*s = strings.ToValidUTF8(*s, "\uFFFD")
	}
	tidyTime(&e.ObservedAt, func() { dropped("field-observed-at") })
	tidyTime(&e.ListedAt, func() { dropped("field-listed-at") })
}

// tidyTime brings a time into the output form; one that is none becomes "".
func tidyTime(s *string, dropped func()) {
	if *s == "" {
		return
	}
	t, err := pamio.ParseTime(*s)
	if err != nil {
		dropped()
		*s = ""
		return
	}
	if *s = pamio.FormatTime(t); *s == epoch {
		*s = "" // the placeholder for a time that is nowhere in the source
	}
}

const epoch = "1970-01-01T00:00:00Z"

// isLanguage tells whether s is a language tag of the form that PAM §10 takes:
// ^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$.
func isLanguage(s string) bool {
	all := func(s string, low, high byte) bool {
		for i := range len(s) {
			if s[i] < low || s[i] > high {
				return false
			}
		}
		return true
	}
	parts := strings.Split(s, "-")
	if n := len(parts[0]); n < 2 || n > 3 || !all(parts[0], 'a', 'z') {
		return false
	}
	parts = parts[1:]
	if len(parts) > 0 && len(parts[0]) == 4 && all(parts[0][:1], 'A', 'Z') && all(parts[0][1:], 'a', 'z') {
		parts = parts[1:]
	}
	if len(parts) > 0 && len(parts[0]) == 2 && all(parts[0], 'A', 'Z') {
		parts = parts[1:]
	}
	return len(parts) == 0
}
