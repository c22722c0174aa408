package restate

import (
	"strings"
	"unicode/utf8"
)

// maxLabel is the length of a label in code points.
const maxLabel = 24

// labeled reads "Location: Graz".
func (r *Reader) labeled(s *Sentence, said string) bool {
	label, value, ok := strings.Cut(said, ":")
	value = strings.TrimSpace(strings.TrimRight(value, " ."))
	if !ok || value == "" || utf8.RuneCountInString(label) > maxLabel {
		return false
	}
	return r.label(s, label, value)
}

// label makes a sentence of a label that the table knows and its value.
func (r *Reader) label(s *Sentence, label, value string) bool {
	template, ok := r.t.Labels[strings.ToLower(strings.Trim(label, " *_-"))]
	if !ok {
		return false
	}
	s.First, s.Label = strings.ReplaceAll(template, "{x}", value), strings.TrimSpace(label)
	var own Sentence
	if r.own(&own, s.First) {
		s.Third = own.Third
	} else {
		s.Third = s.First
	}
	return true
}

// Under reads a bare phrase that stands below a heading: "German" below "Languages", or below "The
// user speaks". It is false for a heading that no table knows.
func (r *Reader) Under(heading, phrase string) (Sentence, bool) {
	if s, ok := r.Read(heading + " " + phrase); ok && s.Label == "" {
		s.Said = phrase
		return s, true
	}
	s := Sentence{Said: phrase}
	for _, t := range tables() {
		if r.t = t; r.label(&s, heading, strings.TrimRight(phrase, " .")) {
			s.Language, s.Third = t.Language, Finish(s.Third)
			return s, true
		}
	}
	return s, false
}
