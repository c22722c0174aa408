package gate

import "slices"

// few is how many words a statement has, and nearly every quote.
const few = 48

// each finds the phrases of a text and calls found with the words around and the range of those
// that match, until it returns false.
func (b *book) each(text string, found func(p *phrase, words []token, from, to int) bool) {
	var space [few]token // no allocation for a short text: all that is kept is read several times
	var buf [64]byte
	words := space[:0]
	for at := 0; ; {
		w, ok := b.next(text, at, buf[:0])
		if !ok {
			break
		}
		if len(words) == few {
			b.eachOfLong(text, found)
			return
		}
		words = append(words, w)
		at = w.end
	}
	var shown []token
	for i := range words {
		for _, n := range b.first[words[i].id] {
			p := &b.phrases[n]
			if p.start && !words[i].first {
				continue
			}
			to := match(p.steps, words, i, true)
			if to == 0 {
				continue
			}
			if shown == nil {
				shown = slices.Clone(words)
			}
			if !found(p, shown, i, to) {
				return
			}
		}
	}
}

// next reads the word at or behind a byte of a text.
func (b *book) next(text string, at int, buf []byte) (token, bool) {
	start, end, folded, ok := nextWord(text, at, buf)
	if !ok {
		return token{}, false
	}
	w := token{start: start, end: end, id: int(b.words.Find(folded))}
	w.clause, w.sentence = breaks(text[at:start])
	if at == 0 {
		w.clause, w.sentence, w.first = true, true, true
	}
	return w, true
}

const block = 4096

// eachOfLong is each for a text of any length: it holds a block of words at a time, so that all
// take the same memory.
func (b *book) eachOfLong(text string, found func(p *phrase, words []token, from, to int) bool) {
	words := make([]token, 0, min(len(text)/4+8, block+2*b.longest))
	buf := make([]byte, 0, 64)
	at, tried := 0, 0
	for more := true; more; {
		for len(words) < block+b.longest {
			w, ok := b.next(text, at, buf)
			if !ok {
				more = false
				break
			}
			words = append(words, w)
			at = w.end
		}
		last := len(words)
		if more {
			last -= b.longest
		}
		for i := tried; i < last; i++ {
			for _, n := range b.first[words[i].id] {
				p := &b.phrases[n]
				if p.start && !words[i].first {
					continue
				}
				if to := match(p.steps, words, i, !more); to > 0 && !found(p, words, i, to) {
					return
				}
			}
		}
		// What stands before the next word to try stays as its neighbourhood.
		keep := max(last-b.longest, 0)
		words = append(words[:0], words[keep:]...)
		tried = last - keep
	}
}

// match tells where the steps end that begin at word i, 0 when they do not match. A gap does not
// pass the end of a sentence.
func match(steps []step, words []token, i int, whole bool) int {
	if len(steps) == 0 {
		return i
	}
	s := &steps[0]
	if s.end && (i < len(words) && words[i].clause || i == len(words) && whole) {
		return match(steps[1:], words, i, whole)
	}
	for g := 0; g <= s.gap && i+g < len(words); g++ {
		if g > 0 && words[i+g].sentence {
			break
		}
		if s.any.has(words[i+g].id) {
			if to := match(steps[1:], words, i+g+1, whole); to > 0 {
				return to
			}
		}
	}
	if s.optional {
		return match(steps[1:], words, i, whole)
	}
	return 0
}
