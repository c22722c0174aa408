package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"github.com/pamline/pamline/search"
)

// searchResults are what a search found.
type searchResults []search.Hit

// WriteText writes three lines for each: where, what, and how to read it.
func (r searchResults) WriteText(w io.Writer) error {
	p := printTo(w)
	for i := range r {
		h := &r[i]
		if i > 0 {
			p.line("")
		}
		date := "-"
		if len(h.Date) >= 10 {
			date = h.Date[:10]
		}
		what := []string{date}
		for _, s := range []string{h.Provider, cmp.Or(map[string]string{"memory": "memory, " + h.Type, "title": "title", "asset": "file"}[h.Kind], h.Role), oneLine(h.Title)} {
			if s != "" {
				what = append(what, s)
			}
		}
		if h.Kind == "memory" && h.Status != "active" {
			what = append(what, h.Status)
		}
		if h.Branches > 1 {
			what = append(what, fmt.Sprintf("branch %d of %d", h.Branch, h.Branches))
		}
		p.raw(p.style.Faint(visible(strings.Join(what, "  "), "")))
		p.raw("  " + markedLine(h.Snippet, p.style.Strong))
		p.raw("  " + p.style.Faint(visible("pamline show "+placeOfHit(h), "")))
	}
	return p.err
}

// placeOfHit is what pamline show takes.
func placeOfHit(h *search.Hit) string {
	switch {
	case h.Kind == "memory":
		return shortID(h.Memory)
	case h.Message == "":
		return shortID(h.Conversation)
	}
	return shortID(h.Conversation) + "/" + shellWord(shortID(h.Message))
}

// shortID is the beginning of a UUID, which is enough among thousands. Other ids stay whole.
func shortID(id string) string {
	if uuid.Validate(id) != nil {
		return id
	}
	return id[:12]
}

// oneLine puts a text on a line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// markedLine is a snippet on one line, with what was found marked.
func markedLine(s search.Snippet, mark func(string) string) string {
	runes := []rune(s.Text)
	var b strings.Builder
	at := 0
	for _, m := range s.Matches {
		b.WriteString(snippetText(runes[at:m[0]]) + mark(snippetText(runes[m[0]:m[1]])))
		at = m[1]
	}
	b.WriteString(snippetText(runes[at:]))
	return strings.TrimSpace(b.String())
}

// snippetText is a piece of a snippet that is safe for a terminal. White space becomes blanks; the
// pieces of a line keep theirs.
func snippetText(piece []rune) string {
	text := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' || r == '\u00a0' {
			return ' '
		}
		return r
	}, string(piece))
	for strings.Contains(text, "  ") {
		text = strings.ReplaceAll(text, "  ", " ")
	}
	return visible(text, "\u200c\u200d\u3000")
}
