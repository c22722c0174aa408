package restate

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// facets splits a sentence in the first person that tells several things in one: what two verbs of
// one subject tell ("I work as a nurse and am studying law"), what a participle adds ("a designer
// based in Lisbon"), and an age before a noun. Each becomes a sentence of its own.
func (r *Reader) facets(first string) []string {
	t := r.t
	if len(t.Turns) == 0 {
		return []string{first}
	}
	if before, after, ok := r.second(first); ok {
		return append(r.facets(before), r.facets(after)...)
	}
	if before, after, ok := r.turn(first); ok {
		return append(r.facets(before), r.facets(after)...)
	}
	if m := agedNoun.FindStringSubmatchIndex(first); m != nil && t.Aged != "" {
		age := strings.ReplaceAll(t.Aged, "{n}", first[m[2]:m[3]])
		return append([]string{age}, r.facets(first[:m[0]]+first[m[1]:])...)
	}
	if before, place, ok := r.parentIn(first); ok {
		return []string{before, place}
	}
	return []string{first}
}

// agedNoun is an age before a noun: "a 34-year-old nurse".
var agedNoun = regexp.MustCompile(`\b(\d{1,3})[- ]years?[- ]old (?:\b)`)

// minFacet is of how many words a part of a sentence is at least that says something by itself:
// "I read and write poems" is one.
const minFacet = 3

// second cuts a sentence before the second verb of its subject.
func (r *Reader) second(first string) (before, after string, ok bool) {
	t := r.t
	words := strings.Fields(first)
	if !strings.HasPrefix(first, t.First+" ") {
		return "", "", false
	}
	for i := minFacet; i+2 < len(words); i++ {
		if !slices.Contains(t.Joins, words[i]) || strings.ContainsAny(words[i-1], ",;(") {
			continue
		}
		next := i + 1
		for next < len(words) && slices.Contains(t.Adverbs, words[next]) {
			next++
		}
		if next+1 >= len(words) || !r.isVerb(words[next]) {
			continue
		}
		return strings.Join(words[:i], " ") + ".", t.First + " " + strings.Join(words[i+1:], " "), true
	}
	return "", "", false
}

// isVerb tells whether a word is a verb in the first person, as far as it is no noun too.
func (r *Reader) isVerb(word string) bool {
	if strings.ToLower(word) != word {
		return false
	}
	if _, ok := r.t.back[word]; ok {
		return true
	}
	return slices.ContainsFunc(r.t.Past, func(end string) bool { return len(word) > len(end)+2 && strings.HasSuffix(word, end) })
}

// turn cuts a sentence before words that add another thing, which becomes a sentence with a
// beginning of its own.
func (r *Reader) turn(first string) (before, after string, ok bool) {
	at, begin, size := -1, "", 0
	for words, as := range r.t.Turns {
		i := strings.Index(first, " "+words+" ")
		if i < 0 || len(strings.Fields(first[:i])) < minFacet || at >= 0 && (i > at || i == at && len(words) < size) {
			continue
		}
		at, begin, size = i, as, len(words)
	}
	if at < 0 {
		return "", "", false
	}
	rest := first[at+size+2:]
	if begin == r.t.First { // a relative clause: its verb is one of the third person
		rest = r.toFirst(rest, true)
	}
	return strings.TrimRight(first[:at], ", ") + ".", begin + " " + rest, true
}

// parentIn cuts the place off a parent: "I am a dad of one in Stockholm".
func (r *Reader) parentIn(first string) (before, place string, ok bool) {
	t := r.t
	for _, p := range t.Parents {
		i := strings.Index(first, " "+p+" ")
		if i < 0 {
			continue
		}
		for _, in := range t.In {
			j := strings.LastIndex(first, " "+in+" ")
			if j < i {
				continue
			}
			place := strings.TrimRight(first[j+len(in)+2:], ". ")
			if c, _ := utf8.DecodeRuneInString(place); !unicode.IsUpper(c) {
				continue
			}
			return first[:j] + ".", t.First + " " + t.Lives[0] + " " + in + " " + place + ".", true
		}
	}
	return "", "", false
}

// aside reads what stands between commas behind the subject as said of it: ", a nurse from Graz,
// rows" is "is a nurse from Graz, and rows".
func (r *Reader) aside(rest string) string {
	said, ok := strings.CutPrefix(strings.TrimSpace(rest), ", ")
	if !ok {
		return rest
	}
	of, rest, _ := strings.Cut(said, ", ")
	third, _ := r.thirdOf(r.t.Am)
	return " " + third + " " + of + ", " + r.t.Joins[0] + " " + rest
}

// isAside tells whether a text goes on with words between commas.
func (r *Reader) isAside(rest string) bool {
	said, ok := strings.CutPrefix(rest, ", ")
	return ok && strings.Contains(said, ", ")
}
