package normalize

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// A document cannot hold lone surrogates, bytes that are not UTF-8 and repeated keys. Clean gives a value without them, and
// an escrow that gives them back: entries of a list, each one about the value at a JSON pointer of the clean value.
//
//	{"at":"/a/b","units":"d83d","of":"…"}  the text's U+FFFD, in order, stand for these: four hex digits are a UTF-16
//	                                       code unit, 00xx is the byte xx; of is the head of the clean text's SHA-256
//	{"at":"/a/b","key":"b","units":""}     the last key of the pointer has this name in the source
//
// The later occurrence of a repeated key keeps its name; the earlier ones are renamed. An entry is applied only while what
// it speaks of is still as Clean left it: who edits such a text has edited it.
type Escrow struct {
	Entries []byte         // comma-joined JSON objects, clean themselves
	Counts  map[string]int // lone_surrogate, invalid_utf8, duplicate_key
}

// renamed marks the keys that Clean made up.
const renamed = "\uFFFD#"

// IsRenamed tells whether a key is one that Clean made up.
func IsRenamed(key string) bool { return strings.Contains(key, renamed) }

// Clean rewrites a value for a document.
func Clean(n jsonscan.Node) (clean []byte, e Escrow) {
	c := cleaner{e: Escrow{Counts: map[string]int{}}}
	c.value(n, "")
	return c.out, c.e
}

type cleaner struct {
	out []byte
	e   Escrow
}

func (c *cleaner) value(n jsonscan.Node, at string) {
	if !n.Odd() {
		c.out = n.AppendCompact(c.out)
		return
	}
	switch n.Kind() {
	case jsonscan.String:
		text, units := c.text(n)
		c.out = pamio.AppendString(c.out, text)
		sum := sha256.Sum256([]byte(text))
		c.entry(at)
		c.e.Entries = append(append(append(c.e.Entries, `,"units":"`...), units...), `","of":"`...)
		c.e.Entries = append(append(c.e.Entries, hex.EncodeToString(sum[:6])...), `"}`...)
	case jsonscan.Array:
		c.out = append(c.out, '[')
		i := 0
		for v := range n.Items() {
			if i > 0 {
				c.out = append(c.out, ',')
			}
			c.value(v, at+"/"+strconv.Itoa(i))
			i++
		}
		c.out = append(c.out, ']')
	case jsonscan.Object:
		c.object(n, at)
	}
}

func (c *cleaner) object(n jsonscan.Node, at string) {
	identity := func(k jsonscan.Node) string { return string(appendUnits(nil, k)) }
	left := map[string]int{} // occurrences of a key that are still to come
	used := map[string]bool{}
	for k := range n.Fields() {
		left[identity(k)]++
		if !k.Odd() {
			used[k.Str()] = true
		}
	}
	c.out = append(c.out, '{')
	first := true
	for k, v := range n.Fields() {
		if !first {
			c.out = append(c.out, ',')
		}
		first = false
		id := identity(k)
		left[id]--
		name := k.Str()
		if left[id] > 0 {
			c.e.Counts["duplicate_key"]++
		}
		if k.Odd() || left[id] > 0 {
			base, units := c.text(k)
			for i := 1; ; i++ {
				name = base + renamed + strconv.Itoa(i)
				if !used[name] {
					break
				}
			}
			used[name] = true
			c.entry(at + "/" + EscapePointer(name))
			c.e.Entries = pamio.AppendString(append(c.e.Entries, `,"key":`...), base)
			c.e.Entries = append(append(append(c.e.Entries, `,"units":"`...), units...), `"}`...)
		}
		c.out = append(pamio.AppendString(c.out, name), ':')
		c.value(v, at+"/"+EscapePointer(name))
	}
	c.out = append(c.out, '}')
}

// entry starts an entry.
func (c *cleaner) entry(at string) {
	if len(c.e.Entries) > 0 {
		c.e.Entries = append(c.e.Entries, ',')
	}
	c.e.Entries = pamio.AppendString(append(c.e.Entries, `{"at":`...), at)
}

// text gives the clean form of a string, and what its U+FFFD stand for.
func (c *cleaner) text(n jsonscan.Node) (string, []byte) {
	var out strings.Builder
	var units4 []byte
	for u := range units(n.Raw()) {
		switch {
		case u.raw:
			c.e.Counts["invalid_utf8"]++
		case u.r >= 0xD800 && u.r < 0xE000:
			c.e.Counts["lone_surrogate"]++
		case u.r == 0xFFFD:
		default:
			out.WriteRune(u.r)
			continue
		}
		out.WriteRune(0xFFFD)
		units4 = fmt.Appendf(units4, "%04x", u.r)
	}
	return out.String(), units4
}

// Unclean appends the value with the entries of an escrow, the elements of a JSON list, applied: the inverse of Clean.
func Unclean(dst []byte, n jsonscan.Node, entries jsonscan.Node) []byte {
	u := uncleaner{texts: map[string]jsonscan.Node{}, keys: map[string]jsonscan.Node{}, below: map[string]bool{}}
	for e := range entries.Items() {
		at := e.Get("at").Str()
		if e.Get("key").Exists() {
			u.keys[at] = e
		} else {
			u.texts[at] = e
		}
		for i := len(at); i >= 0; i = strings.LastIndexByte(at[:i], '/') {
			u.below[at[:i]] = true
		}
	}
	return u.value(dst, n, "")
}

type uncleaner struct {
	texts, keys map[string]jsonscan.Node
	below       map[string]bool // pointers that entries lie at or below
}

func (u *uncleaner) value(dst []byte, n jsonscan.Node, at string) []byte {
	if !u.below[at] {
		return n.AppendCompact(dst)
	}
	switch n.Kind() {
	case jsonscan.String:
		if e, ok := u.texts[at]; ok {
			if out, ok := restoreUnits(dst, n.Str(), e); ok {
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
			dst = u.value(dst, v, at+"/"+strconv.Itoa(i))
			i++
		}
		return append(dst, ']')
	case jsonscan.Object:
		return u.object(dst, n, at)
	}
	return n.AppendCompact(dst)
}

// object writes renamed fields first, by their number, so that the occurrences of a repeated key come in their order
// wherever they stand now, and the last one is the one that had kept its name.
func (u *uncleaner) object(dst []byte, n jsonscan.Node, at string) []byte {
	type field struct {
		key, value, entry jsonscan.Node
		path              string
		number            int
	}
	var fields []field
	for k, v := range n.Fields() {
		f := field{key: k, value: v, path: at + "/" + EscapePointer(k.Str()), number: math.MaxInt}
		if entry, ok := u.keys[f.path]; ok {
			f.entry, f.number = entry, 0
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
		if f.entry.Exists() {
			if text, fits := appendUnclean(nil, f.entry.Get("key").Str(), f.entry.Get("units").Str()); fits {
				name = text
			}
		}
		dst = append(dst, name...)
		dst = u.value(append(dst, ':'), f.value, f.path)
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
