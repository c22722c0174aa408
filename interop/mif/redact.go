package mif

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Span is a piece of personal data in a text: code points from Start to End of the redacted text,
// and how many code points the original had (the redactions of MIF).
type Span struct {
	Type           string `json:"type"`
	OriginalLength int    `json:"original_length"`
	Start          int    `json:"start"`
	End            int    `json:"end"`
}

// mark is what stands for a piece that was taken out.
var mark = regexp.MustCompile(`^\[[a-z_]+\]$`)

// Redact replaces personal data and secrets of a text by [type], and says where.
func Redact(text string) (string, []Span) {
	type match struct {
		from, to int
		name     string
	}
	var found []match
	for _, p := range patterns() {
		for _, at := range p.form.FindAllStringSubmatchIndex(text, -1) {
			m := match{at[0], at[1], p.name}
			if len(at) > 3 && at[2] >= 0 {
				m.from, m.to = at[2], at[3]
			}
			overlaps := slices.ContainsFunc(found, func(o match) bool { return m.from < o.to && o.from < m.to })
			if mark.MatchString(text[m.from:m.to]) || p.name == "phone" && isPartOfNumber(text, m.from, m.to) || p.name == "ip_address" && isNumbering(text[:m.from]) {
				continue
			}
			if !overlaps && (p.valid == nil || p.valid(text[m.from:m.to])) {
				found = append(found, m)
			}
		}
	}
	slices.SortFunc(found, func(a, b match) int { return a.from - b.from })
	var out strings.Builder
	var spans []Span
	last, length := 0, 0
	for _, m := range found {
		name := "[" + m.name + "]"
		length += utf8.RuneCountInString(text[last:m.from])
		spans = append(spans, Span{m.name, utf8.RuneCountInString(text[m.from:m.to]), length, length + len(name)})
		out.WriteString(text[last:m.from] + name)
		last, length = m.to, length+len(name)
	}
	out.WriteString(text[last:])
	return out.String(), spans
}

// isPartOfNumber tells whether digits stand before or behind a place with a single space between.
func isPartOfNumber(text string, from, to int) bool {
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	return from > 0 && text[from-1] == ' ' && isDigit(from-2) || to < len(text) && text[to] == ' ' && isDigit(to+1)
}

// numbering are the words behind which numbers with dots between are those of parts and versions.
var numbering = regexp.MustCompile(`(?i)(?:\b(?:section|version|chapter|release|rule|clause|paragraph|article|table|figure|build|firmware|kapitel|abschnitt|v\.?|ver\.?)|§)\s*$`)

func isNumbering(before string) bool { return numbering.MatchString(before[max(0, len(before)-20):]) }
