package restate

import (
	"slices"
	"strings"
)

// own reads a sentence in the first person, as people write about themselves in custom
// instructions.
func (r *Reader) own(s *Sentence, said string) bool {
	t := r.t
	best := ""
	for begin := range t.Own {
		if len(begin) > len(best) {
			if _, ok := r.cut(said, begin); ok {
				best = begin
			}
		}
	}
	if best == "" {
		return false
	}
	rest, _ := r.cut(said, best)
	if rest = strings.TrimSpace(rest); rest == "" {
		return false
	}
	s.First = said
	if to := t.Own[best]; to != "" || !t.Spaced {
		s.Third = join(t, to, r.mineToTheirs(rest))
		return true
	}
	words := strings.Fields(rest)
	for i, w := range words {
		bare, tail := bareWord(w)
		low := strings.ToLower(bare)
		if slices.Contains(t.Adverbs, low) {
			continue
		}
		third, ok := r.thirdOf(low)
		if !ok {
			third, ok = r.endingOf(low)
		}
		if ok {
			words[i] = third + tail
		}
		r.joinedThird(words, i+1)
		break
	}
	s.Third = r.mineToTheirs(strings.Join(words, " "))
	return true
}

// joinedThird turns the verbs of the same subject that follow on the first: "I row and cook".
func (r *Reader) joinedThird(words []string, from int) {
	for i := from; i < len(words); i++ {
		if !r.joined(words[:i]) {
			continue
		}
		bare, tail := bareWord(words[i])
		if third, ok := r.thirdOf(strings.ToLower(bare)); ok {
			words[i] = third + tail
		}
	}
}

// endingOf gives a verb that no list has the ending of the third person. A past form keeps its own.
func (r *Reader) endingOf(word string) (string, bool) {
	if strings.HasSuffix(word, "ed") {
		return "", false
	}
	for _, e := range r.t.Endings {
		if cut, ok := strings.CutSuffix(word, e.First); ok && (e.First != "y" || len(cut) > 0 && !strings.ContainsAny(cut[len(cut)-1:], "aeiou")) {
			return cut + e.Third, true
		}
	}
	return "", false
}

// mineToTheirs puts the third person in the place of "my".
func (r *Reader) mineToTheirs(rest string) string {
	if !r.t.Spaced {
		return rest
	}
	words := strings.Fields(rest)
	for i, w := range words {
		bare, tail := bareWord(w)
		if strings.EqualFold(bare, r.t.Mine) {
			words[i] = strings.ToLower(r.t.Theirs) + tail
		}
	}
	return strings.Join(words, " ")
}
