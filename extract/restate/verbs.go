package restate

import (
	"slices"
	"strings"
)

// toFirst turns the words behind a subject into the first person: the verb, those that are joined
// to it, and what belongs to the person.
func (r *Reader) toFirst(rest string, verb bool) string {
	t := r.t
	if !t.Spaced {
		return rest
	}
	words := strings.Fields(rest)
	for i, w := range words {
		bare, tail := bareWord(w)
		low := strings.ToLower(bare)
		switch {
		case verb && slices.Contains(t.Adverbs, low):
			continue
		case verb:
			if first, ok := r.firstOf(low, true); ok {
				words[i] = first + tail
			}
			verb = false
		case i > 0 && r.joined(words[:i]):
			if first, ok := r.firstOf(low, false); ok {
				words[i] = first + tail
			}
		}
		if mine, ok := t.Possessives[low]; ok && i+1 < len(words) {
			words[i] = mine + tail
		}
	}
	return strings.Join(words, " ")
}

// joined tells whether a verb of the same subject may follow: behind "and", adverbs left out.
func (r *Reader) joined(before []string) bool {
	for i := len(before) - 1; i >= 0; i-- {
		w := strings.ToLower(before[i])
		if slices.Contains(r.t.Adverbs, w) {
			continue
		}
		return slices.Contains(r.t.Joins, w)
	}
	return false
}

// firstOf gives the first person of a verb. sure tells that the word is one: then its ending may
// tell the form.
func (r *Reader) firstOf(word string, sure bool) (string, bool) {
	if first, ok := r.t.Verbs[word]; ok {
		return first, true
	}
	if first, ok := r.Tongue.FirstPerson(r.t.Language, word); ok {
		return first, true
	}
	if !sure {
		return "", false
	}
	for _, e := range r.t.Endings {
		if cut, ok := strings.CutSuffix(word, e.Third); ok && len(cut) > 1 {
			return cut + e.First, true
		}
	}
	return "", false
}

// thirdOf gives the third person of a verb in the first.
func (r *Reader) thirdOf(word string) (string, bool) {
	if third, ok := r.t.back[word]; ok {
		return third, true
	}
	return r.Tongue.ThirdPerson(r.t.Language, word)
}

// neutral puts the one word that memories use for what belongs to the person in the place of "his"
// and "her".
func (r *Reader) neutral(rest string) string {
	if !r.t.Spaced {
		return rest
	}
	words := strings.Fields(rest)
	for i, w := range words {
		bare, tail := bareWord(w)
		if to, ok := r.t.Neutral[strings.ToLower(bare)]; ok && i+1 < len(words) {
			words[i] = to + tail
		}
	}
	return strings.Join(words, " ")
}

// bareWord cuts punctuation from the end of a word.
func bareWord(w string) (bare, tail string) {
	bare = strings.TrimRight(w, ".,;:!?)")
	return bare, w[len(bare):]
}
