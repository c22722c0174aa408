package web

import (
	"html/template"
	"strings"
)

// span is a part of a text, in code points.
type span struct{ start, end int }

// markSpans is a text with some parts marked, escaped.
func markSpans(text string, spans []span) template.HTML {
	var b strings.Builder
	runes := []rune(text)
	at := 0
	for _, s := range spans {
		if s.start < at || s.end <= s.start || s.end > len(runes) {
			continue
		}
		b.WriteString(template.HTMLEscapeString(string(runes[at:s.start])))
		b.WriteString("<mark>" + template.HTMLEscapeString(string(runes[s.start:s.end])) + "</mark>")
		at = s.end
	}
	b.WriteString(template.HTMLEscapeString(string(runes[at:])))
	return template.HTML(b.String()) //nolint:gosec // every part is escaped
}

// around is the part of a text around a span, with the span in it; texts are cut at words.
func around(text string, s span, most int) (part string, inner span) {
	runes := []rune(text)
	if s.end > len(runes) || s.start >= s.end {
		return string(runes[:min(len(runes), most)]), span{}
	}
	from, to := max(0, s.start-most/2), min(len(runes), s.end+most/2)
	part, shift := string(runes[from:to]), from
	if from > 0 {
		part, shift = "…"+part, from-1
	}
	if to < len(runes) {
		part += "…"
	}
	return part, span{s.start - shift, s.end - shift}
}
