package normalize

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// anyDepth is deeper than any value that was read with a limit.
const anyDepth = 1 << 20

// Unclean appends the value with the entries of an escrow, the elements of a JSON list, applied:
// the inverse of Clean.
func Unclean(dst []byte, n jsonscan.Node, entries jsonscan.Node) []byte {
	root := &mark{}
	for e := range entries.Items() {
		root.place(e)
	}
	return root.value(dst, n)
}

// mark is what the entries say of one place and of those below it; nil: nothing.
type mark struct {
	text, key, source jsonscan.Node
	below             map[string]*mark // by the steps of their pointers, as they stand there
}

func (m *mark) place(e jsonscan.Node) {
	if at := e.Get("at").Str(); at != "" {
		for step := range strings.SplitSeq(at[1:], "/") {
			next := m.below[step]
			if next == nil {
				if m.below == nil {
					m.below = map[string]*mark{}
				}
				next = &mark{}
				m.below[step] = next
			}
			m = next
		}
	}
	switch {
	case e.Get("key").Exists():
		m.key = e
	case e.Get("source").Exists():
		m.source = e
	default:
		m.text = e
	}
}

func (m *mark) value(dst []byte, n jsonscan.Node) []byte {
	if m == nil {
		return n.AppendCompact(dst)
	}
	if m.source.Exists() {
		if source, ok := sourceOf(n, m.source.Get("source").Str()); ok {
			return source.AppendCompact(dst)
		}
	}
	switch n.Kind() {
	case jsonscan.String:
		if m.text.Exists() {
			if out, ok := restoreUnits(dst, n.Str(), m.text); ok {
				return out
			}
		}
	case jsonscan.Array:
		dst = append(dst, '[')
		i := 0
		for v := range n.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = m.below[strconv.Itoa(i)].value(dst, v)
			i++
		}
		return append(dst, ']')
	case jsonscan.Object:
		return m.object(dst, n)
	}
	return n.AppendCompact(dst)
}

// sourceOf gives the value that an escrow has as a whole, while n is what Clean makes of it.
func sourceOf(n jsonscan.Node, text string) (jsonscan.Node, bool) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return n, false
	}
	source, err := jsonscan.Parse(raw, anyDepth)
	if err != nil {
		return n, false
	}
	made, _ := Clean(source.Root())
	clean, err := jsonscan.Parse(made, anyDepth)
	return source.Root(), err == nil && Equal(clean.Root(), n)
}

// object writes renamed fields first, by their number, so that the occurrences of a repeated key
// come in their order wherever they stand now, and the last one is the one that had kept its name.
func (m *mark) object(dst []byte, n jsonscan.Node) []byte {
	type field struct {
		key, value jsonscan.Node
		mark       *mark
		number     int
	}
	var fields []field
	for k, v := range n.Fields() {
		f := field{key: k, value: v, mark: m.below[EscapePointer(k.Str())], number: math.MaxInt}
		if f.mark != nil && f.mark.key.Exists() {
			f.number = 0
			name := k.Str()
			if i, err := strconv.Atoi(name[strings.LastIndexByte(name, '#')+1:]); err == nil {
				f.number = i
			}
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Compare(a.number, b.number) })
	dst = append(dst, '{')
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := f.key.Raw()
		if f.mark != nil && f.mark.key.Exists() {
			if text, fits := appendUnclean(nil, f.mark.key.Get("key").Str(), f.mark.key.Get("units").Str()); fits {
				name = text
			}
		}
		dst = append(dst, name...)
		dst = f.mark.value(append(dst, ':'), f.value)
	}
	return append(dst, '}')
}

// restoreUnits writes a text with what its U+FFFD stand for, while it is the text that Clean wrote.
func restoreUnits(dst []byte, text string, entry jsonscan.Node) ([]byte, bool) {
	sum := sha256.Sum256([]byte(text))
	if entry.Get("of").Str() != hex.EncodeToString(sum[:6]) {
		return dst, false
	}
	return appendUnclean(dst, text, entry.Get("units").Str())
}

func appendUnclean(dst []byte, text, units string) ([]byte, bool) {
	if len(units) != 4*strings.Count(text, "\uFFFD") {
		return dst, false
	}
	start := len(dst)
	dst = append(dst, '"')
	for piece := range strings.SplitAfterSeq(text, "\uFFFD") {
		clean, cut := strings.CutSuffix(piece, "\uFFFD")
		s := pamio.AppendString(nil, clean)
		dst = append(dst, s[1:len(s)-1]...)
		if !cut {
			continue
		}
		v, err := strconv.ParseUint(units[:4], 16, 16)
		if err != nil {
			return dst[:start], false
		}
		units = units[4:]
		if v < 0x100 {
			dst = append(dst, byte(v))
		} else {
			dst = fmt.Appendf(dst, `\u%04x`, v)
		}
	}
	return append(dst, '"'), true
}
