package harvest

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/extract/restate"
	"github.com/pamline/pamline/extract/rules"
	"github.com/pamline/pamline/extract/segment"
	"github.com/pamline/pamline/normalize"
)

// tables reads what a sentence says, by the rules that read the person's own talk.
var tables = rules.New()

// facts makes memories of a text that a provider keeps about a person.
type facts struct {
	restate.Reader
	// kind gives the type of a sentence, in words that begin with "user", that no rule knows.
	kind   func(string) string
	report *extract.Report
	found  []normalize.Candidate
}

func newFacts(kind func(string) string, report *extract.Report, names []string) *facts {
	return &facts{Reader: restate.Reader{Tongue: tables, Names: names}, kind: kind, report: report}
}

// read makes candidates of a paragraph or bullet. base has all that they share; its content is not
// used. headings stand above the text.
func (f *facts) read(text string, base normalize.Candidate, headings []string) {
	base.Content = text
	if !screen(&base, f.report) {
		return
	}
	tags := slices.DeleteFunc(slices.Clone(base.Tags), func(t string) bool { return t == redactedTag })
	f.Begin()
	for _, said := range sentencesOf(base.Content) {
		c := base
		c.Content, c.Tags = said, tags
		if reason := gate.Reason(said); reason != "" {
			f.report.Reject(reason, &c)
			continue
		}
		if strings.Contains(said, gate.Mark) {
			c.Tags = append(slices.Clone(tags), redactedTag)
		}
		f.sentence(c, headings)
	}
}

// sentencesOf cuts a text into sentences. A text that holds code, or a list of its own, is one.
func sentencesOf(text string) []string {
	if strings.Contains(text, "```") || listLine.MatchString(text) {
		return []string{text}
	}
	var list []string
	for span := range segment.Sentences(text, 0, len(text)) {
		list = append(list, strings.Join(strings.Fields(text[span.Start:span.End]), " "))
	}
	return list
}

// listLine is a numbered or bulleted line inside a text.
var listLine = regexp.MustCompile(`\n\s*(?:[-*+•]|\d{1,3}[.)])\s`)

// sentence makes candidates of one sentence, the content of base.
func (f *facts) sentence(base normalize.Candidate, headings []string) {
	base.Evidence = append([]normalize.Evidence(nil), base.Evidence...)
	base.Evidence[0].Quote = base.Content
	s, about := f.Read(plainMarks(base.Content))
	if !about && len(headings) > 0 && isPhrase(s.Said) {
		heading := headings[len(headings)-1]
		f.Begin()
		if under, ok := f.Under(heading, s.Said); ok {
			s, about = under, true
		} else if !strings.Contains(s.Said, ":") {
			s.Third = heading + ": " + s.Third
		}
	}
	base.Language = s.Language
	if !about && f.IsOpen(s.Said) {
		f.report.Skip(SkipPronoun)
		return
	}
	if !about {
		f.keep(base, f.kind(s.Said), s.Third)
		return
	}
	for _, part := range f.Parts(s) {
		f.part(base, part)
	}
}

// part makes candidates of what the rules find in a sentence about the person. Words that no rule
// took are not lost: then the first candidate has the whole sentence.
func (f *facts) part(base normalize.Candidate, s restate.Sentence) {
	kind := f.kind("user " + s.Third)
	at := base.Evidence[0].ObservedAt
	said := tables.Statements(s.First, s.Language, at)
	if kind == instructionKind {
		said = candidatesOfType(said, instructionKind)
	}
	if len(said) == 0 {
		f.keep(base, kind, s.Third)
		return
	}
	if first := leadingCandidate(said); isPartial(said, s.First) {
		if first < 0 {
			f.keep(base, kind, s.Third)
		} else {
			said[first].Content = tables.Absolute(s.Third, s.Language, at, said[first].Type == "goal")
		}
	}
	for _, c := range said {
		c.Confidence, c.Platform, c.Method, c.Extractor, c.Evidence = base.Confidence, base.Platform, base.Method, base.Extractor, base.Evidence
		c.Tags = append(append([]string(nil), base.Tags...), c.Tags...)
		f.found = append(f.found, c)
	}
}

// keep adds a candidate of a sentence that no rule knows.
func (f *facts) keep(c normalize.Candidate, kind, content string) {
	c.Type, c.Content, c.Decay = kind, tables.Absolute(content, c.Language, c.Evidence[0].ObservedAt, kind == "goal"), decay[kind]
	f.found = append(f.found, c)
}

// candidatesOfType leaves the candidates of one type.
func candidatesOfType(all []normalize.Candidate, kind string) []normalize.Candidate {
	var list []normalize.Candidate
	for _, c := range all {
		if c.Type == kind {
			list = append(list, c)
		}
	}
	return list
}

// leadingCandidate is the candidate that the sentence begins with, -1 if the rules found none
// there.
func leadingCandidate(said []normalize.Candidate) int {
	best := -1
	for i := range said {
		if e := &said[i].Evidence[0]; said[i].Act == "" && (best < 0 || e.Start < said[best].Evidence[0].Start) {
			best = i
		}
	}
	if best >= 0 && said[best].Evidence[0].Start > maxLead {
		return -1
	}
	return best
}

// maxLead is how many code points may stand before the first words that a rule took: "I also".
const maxLead = 12

// isPartial tells whether words of a sentence are in the evidence of no candidate.
func isPartial(said []normalize.Candidate, text string) bool {
	runes := []rune(text)
	for _, c := range said {
		if c.Act != "" {
			return false
		}
		for i := c.Evidence[0].Start; i < c.Evidence[0].End && i < len(runes); i++ {
			runes[i] = ' '
		}
	}
	for _, w := range strings.FieldsFunc(string(runes), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		w = strings.ToLower(w)
		if !adverbs[w] && !linking[w] && (utf8.RuneCountInString(w) > 1 || w[0] >= utf8.RuneSelf) {
			return true
		}
	}
	return false
}

// linking are words that may be left over between two statements.
var linking = map[string]bool{"and": true, "but": true, "und": true, "aber": true, "et": true, "mais": true, "pero": true, "ma": true, "mas": true, "y": true,
	"ich": true, "je": true, "eu": true, "yo": true, "io": true, "я": true, "и": true, "我": true, "是": true, "私": true, "は": true, "저": true, "는": true}

// isPhrase tells whether a text is a few words without a full stop: an item of a list.
func isPhrase(s string) bool { return len(strings.Fields(s)) <= 6 && !strings.HasSuffix(s, ".") }

// plainMarks takes the marks of emphasis out of a text.
func plainMarks(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "**", ""), "__", "")
}
