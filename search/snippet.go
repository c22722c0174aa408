package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// snippetBytes is how much of a text a snippet shows, about.
const snippetBytes = 160

// Snippet is a piece of a text with the places of what was found in it.
type Snippet struct {
	Text string `json:"snippet"`
	// Matches are the places in Text, each a start and an end in code points.
	Matches [][2]int `json:"matches"`
}

// snippet cuts out the best stretch of a text.
func (f *found) snippet(text string) Snippet {
	window, _, _ := f.window()
	start, end := max(0, window.start-snippetBytes/3), min(len(text), max(window.end, window.start-snippetBytes/3+snippetBytes))
	if end-start > 2*snippetBytes { // the terms stand far apart: the first ones are shown
		end = start + snippetBytes
	}
	start, end = wordBorder(text, start, -1), wordBorder(text, end, +1)
	var all []span
	for _, p := range f.places {
		all = append(all, p...)
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	s := Snippet{Text: text[start:end], Matches: [][2]int{}}
	before := ""
	if strings.TrimSpace(text[:start]) != "" {
		before = "…"
	}
	for _, p := range all {
		if p.start < start || p.end > end {
			continue
		}
		from := utf8.RuneCountInString(before) + utf8.RuneCountInString(text[start:p.start])
		to := from + utf8.RuneCountInString(text[p.start:p.end])
		if n := len(s.Matches); n > 0 && from <= s.Matches[n-1][1] {
			s.Matches[n-1][1] = max(to, s.Matches[n-1][1])
			continue
		}
		s.Matches = append(s.Matches, [2]int{from, to})
	}
	s.Text = before + s.Text
	if strings.TrimSpace(text[end:]) != "" {
		s.Text += "…"
	}
	return s
}

// wordBorder moves a place to the nearest space in a direction, a few characters far, and in any
// case to the start of a character.
func wordBorder(text string, at, step int) int {
	const far = 24
	for i, n := at, 0; i > 0 && i < len(text) && n < far; i, n = i+step, n+1 {
		if text[i] == ' ' || text[i] == '\n' {
			if step < 0 {
				return i + 1
			}
			return i
		}
	}
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at += step
	}
	return at
}
