package segment

import (
	"iter"
	"strings"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/lexicon"
)

// Sentences yields the sentences of a range of prose as byte ranges of text, without the blanks,
// bullets and item numbers around them. A sentence ends at a full stop and the like, at a blank
// line, at a bullet, and at a line feed unless the line was only wrapped. Stops in abbreviations,
// numbers, addresses and names of files end nothing.
func Sentences(text string, start, end int) iter.Seq[extract.Span] {
	return func(yield func(extract.Span) bool) {
		start, end := max(start, 0), min(end, len(text))
		if start >= end {
			return
		}
		s := text[:end]
		begin := afterBullet(s, start)
		for at := begin; at < end; {
			if !mayStop[s[at]] {
				at++
				continue
			}
			stop, next := boundary(s, begin, at)
			if next == 0 {
				at++
				continue
			}
			if span, ok := trim(s, begin, stop); ok && !yield(span) {
				return
			}
			begin = afterBullet(s, next)
			at = begin
		}
		if span, ok := trim(s, begin, end); ok {
			yield(span)
		}
	}
}

// mayStop are the first bytes of what may end a sentence.
var mayStop = func() (t [256]bool) {
	for _, s := range []string{"\n", ".", "!", "?", "…", "。", "！", "।", "؟", "۔"} {
		t[s[0]] = true
	}
	return t
}()

// boundary tells whether a sentence that began at begin ends at a place: where it ends, and where
// the next may begin; next is 0 when it goes on.
func boundary(s string, begin, at int) (stop, next int) {
	switch c := s[at]; {
	case c == '\n':
		if wrapped(s, begin, at) {
			return 0, 0
		}
		return at, at + 1
	case c == '.' || c == '!' || c == '?':
		return afterStop(s, begin, at)
	case c == 0xe2 && strings.HasPrefix(s[at:], "…"):
		return afterStop(s, begin, at)
	case c == 0xe3 && strings.HasPrefix(s[at:], "。"), c == 0xef && (strings.HasPrefix(s[at:], "！") || strings.HasPrefix(s[at:], "？") || strings.HasPrefix(s[at:], "｡")),
		c == 0xe0 && strings.HasPrefix(s[at:], "।"), c == 0xd8 && strings.HasPrefix(s[at:], "؟"), c == 0xdb && strings.HasPrefix(s[at:], "۔"):
		end := closers(s, at+lexicon.CharLen(s, at))
		return end, end
	}
	return 0, 0
}

// trim takes blanks off both ends.
func trim(s string, start, end int) (extract.Span, bool) {
	for start < end && (byteClass[s[start]]&isBlank != 0 || s[start] == '\n') {
		start++
	}
	for end > start && (byteClass[s[end-1]]&isBlank != 0 || s[end-1] == '\n') {
		end--
	}
	return extract.Span{Start: start, End: end}, start < end
}
