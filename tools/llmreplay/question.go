package main

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// window is one numbered turn of a question.
type window struct {
	number   int
	own      bool // of the person
	letters  string
	dialogue int // position of the turn in the session, -1 while unknown
}

// turnTag begins a turn of a question. Further words in the tag are allowed.
var turnTag = regexp.MustCompile(`(?m)^<turn-[0-9a-f]+ (\d+) (user|assistant) [^>\n]*>\n`)

// draftMark surrounds a text that the person wants worked on.
var draftMark = regexp.MustCompile(`</?draft-[0-9a-f]+>`)

// parseQuestion reads the numbered turns out of the extractor's message.
func parseQuestion(text string) []window {
	tags := turnTag.FindAllStringSubmatchIndex(text, -1)
	all := make([]window, 0, len(tags))
	for i, t := range tags {
		end := len(text)
		if i+1 < len(tags) {
			end = tags[i+1][0]
		} else if at := strings.LastIndex(text, "</data-"); at >= t[1] {
			end = at
		}
		n, err := strconv.Atoi(text[t[2]:t[3]])
		if err != nil {
			continue // a number beyond all turns
		}
		body, _, _ := strings.Cut(text[t[1]:end], "[…]") // the rest is from another place of the same turn
		all = append(all, window{number: n, own: text[t[4]:t[5]] == "user", letters: squeeze(draftMark.ReplaceAllString(body, "")), dialogue: -1})
	}
	return all
}

// squeeze leaves the letters and digits of a text, in lower case: the extractor changes signs
// before it sends.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// index finds the session that a question is about.
type index struct {
	sessions []session
	squeezed [][]string       // of each turn
	begins   map[string][]int // the beginning of a turn → sessions
}

// headLength is how many characters of a turn it is known by.
const headLength = 48

func head(letters string) string {
	n := 0
	for i := range letters {
		if n == headLength {
			return letters[:i]
		}
		n++
	}
	return letters
}

func newIndex(sessions []session) *index {
	x := &index{sessions: sessions, begins: map[string][]int{}}
	for i := range sessions {
		var turns []string
		seen := map[string]bool{}
		for _, t := range sessions[i].dialogue {
			letters := squeeze(t.Text)
			turns = append(turns, letters)
			if h := head(letters); h != "" && !seen[h] {
				seen[h] = true
				x.begins[h] = append(x.begins[h], i)
			}
		}
		x.squeezed = append(x.squeezed, turns)
	}
	return x
}

// find gives the session of a question, -1 for none, and notes the turn of each window.
func (x *index) find(windows []window) int {
	votes := map[int]int{}
	best := -1
	for _, w := range windows {
		for _, s := range x.begins[head(w.letters)] {
			votes[s]++
			if best < 0 || votes[s] > votes[best] || votes[s] == votes[best] && s < best {
				best = s
			}
		}
	}
	if best < 0 { // every window begins inside a turn
		for s := range x.sessions {
			if n := x.place(s, windows); n == len(windows) && n > 0 {
				return s
			}
		}
		return -1
	}
	x.place(best, windows)
	return best
}

// place notes the turn of each window of a question about a session, in the order of both, and
// gives how many were found.
func (x *index) place(s int, windows []window) int {
	at, found := 0, 0
	for i := range windows {
		w := &windows[i]
		w.dialogue = -1
		for k := at; k < len(x.squeezed[s]); k++ {
			if (x.sessions[s].dialogue[k].Role == "user") == w.own && w.letters != "" && strings.Contains(x.squeezed[s][k], head(w.letters)) {
				w.dialogue, at = k, k
				found++
				break
			}
		}
	}
	return found
}
