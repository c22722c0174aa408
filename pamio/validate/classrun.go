package validate

import (
	"regexp/syntax"
	"strings"
)

// classRun is a pattern of a fixed text and a number of characters of one ASCII class, as that of
// hashes, which are the longest texts that have a pattern.
type classRun struct {
	prefix string
	size   int
	class  [256]bool
}

// newClassRun gives nil for other patterns.
func newClassRun(pattern string) *classRun {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat || len(tree.Sub) != 4 {
		return nil
	}
	begin, text, repeat, end := tree.Sub[0], tree.Sub[1], tree.Sub[2], tree.Sub[3]
	if begin.Op != syntax.OpBeginText || text.Op != syntax.OpLiteral || text.Flags&syntax.FoldCase != 0 || end.Op != syntax.OpEndText ||
		!strings.HasSuffix(pattern, "$") || repeat.Op != syntax.OpRepeat || repeat.Min != repeat.Max || repeat.Sub[0].Op != syntax.OpCharClass {
		return nil
	}
	r := &classRun{prefix: string(text.Rune), size: repeat.Min}
	class := repeat.Sub[0].Rune // pairs: the first and the last of each range
	for i := 0; i < len(class); i += 2 {
		if class[i+1] >= 128 {
			return nil
		}
		for c := class[i]; c <= class[i+1]; c++ {
			r.class[c] = true
		}
	}
	return r
}

func (r *classRun) match(text []byte) bool {
	n := len(r.prefix)
	if len(text) != n+r.size || string(text[:n]) != r.prefix {
		return false
	}
	for _, c := range text[n:] {
		if !r.class[c] {
			return false
		}
	}
	return true
}
