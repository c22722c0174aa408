package near

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pamline/pamline/normalize"
)

// Text is what of a statement is compared.
type Text struct {
	folded string
	pieces []uint64 // its runs of three letters, sorted, each once; nil until they are asked for
	// What must be equal for two statements to mean the same, however alike they look.
	numbers, denials, names string
}

// subjects stand at the start of statements of models and providers, whose person goes without
// saying.
var subjects = []string{"the user ", "user "}

// Read takes a statement apart. Case, accents and signs do not count ([normalize.FoldValue]), nor
// does it that the person is named as the user.
func Read(content string) Text {
	for _, s := range subjects {
		if len(content) > len(s) && strings.EqualFold(content[:len(s)], s) {
			content = content[len(s):]
			break
		}
	}
	folded := fold(content)
	return Text{folded: folded, numbers: numbers(folded), denials: denials(folded), names: names(content)}
}

// cut gives the pieces.
func (t *Text) cut() []uint64 {
	if t.pieces == nil {
		t.pieces = pieces(t.folded)
	}
	return t.pieces
}

// fold is [normalize.FoldValue], of which ASCII needs little.
func fold(s string) string {
	out := make([]byte, 0, len(s))
	gap := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			return normalize.FoldValue(s)
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '#':
		case c == '\'':
			continue
		default:
			gap = true
			continue
		}
		if gap && len(out) > 0 {
			out = append(out, ' ')
		}
		gap = false
		out = append(out, c)
	}
	return string(out)
}

// Alike tells whether two statements mean the same as far as numbers, negations and names go: "has
// 2 cats" and "has 3 cats" do not, whatever else they have in common. It does not look at the
// wording.
func (t *Text) Alike(o *Text) bool {
	return t.numbers == o.numbers && t.denials == o.denials && t.names == o.names
}

// Jaccard is the share of the pieces of both that both have.
func (t *Text) Jaccard(o *Text) float64 {
	x, y := t.cut(), o.cut()
	both, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		switch a, b := x[i], y[j]; {
		case a == b:
			both++
			i++
			j++
		case a < b:
			i++
		default:
			j++
		}
	}
	all := len(x) + len(y) - both
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}

// pieces are the runs of three code points, with a space before the text and behind it. One fits
// into 63 bits.
func pieces(folded string) []uint64 {
	if folded == "" {
		return nil
	}
	const window = 1<<63 - 1
	out := make([]uint64, 0, len(folded)+2)
	at := uint64(' ')
	n := 1
	add := func(r rune) {
		at = (at<<21 | uint64(r)) & window
		if n++; n >= 3 {
			out = append(out, at)
		}
	}
	for _, r := range folded {
		add(r)
	}
	add(' ')
	slices.Sort(out)
	return slices.Compact(out)
}

// numbers are the runs of digits, in order.
func numbers(folded string) string {
	return strings.Join(strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsDigit(r) }), " ")
}

// names are the words that are capitalised where no sentence begins, folded and sorted, each once.
func names(content string) string {
	var found []string
	start := true // of a sentence
	word := -1
	end := func(i int) {
		if word < 0 {
			return
		}
		w := content[word:i]
		if first, _ := utf8.DecodeRuneInString(w); !start && unicode.IsUpper(first) {
			found = append(found, fold(w))
		}
		start, word = false, -1
	}
	for i, r := range content {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) {
			if word < 0 {
				word = i
			}
			continue
		}
		end(i)
		if r == '.' || r == '!' || r == '?' {
			start = true
		}
	}
	end(len(content))
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " ")
}
