package assemble

import (
	"math"
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

// tidy removes single fields that PAM has no room for and tells each by name. The memory is worth more than the field.
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
}

// tidyEvidence brings a time into the output form and makes the strings UTF-8.
func tidyEvidence(e *normalize.Evidence, dropped func(reason string)) {
	for _, s := range [...]*string{&e.Conversation, &e.Message, &e.Quote, &e.Member, &e.Pointer, &e.AccountID} {
		*s = strings.ToValidUTF8(*s, "\uFFFD")
	}
	if e.ObservedAt == "" {
		return
	}
	t, err := pamio.ParseTime(e.ObservedAt)
	if err != nil {
		dropped("field-observed-at")
		e.ObservedAt = ""
		return
	}
	if e.ObservedAt = pamio.FormatTime(t); e.ObservedAt == epoch {
		e.ObservedAt = "" // the placeholder for a time that is nowhere in the source
	}
}

const epoch = "1970-01-01T00:00:00Z"

// isLanguage tells whether s is a language tag of the form that PAM §10 takes: ^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$.
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
