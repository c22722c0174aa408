package normalize

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// A document cannot hold lone surrogates, bytes that are not UTF-8 and repeated keys. Clean gives a
// value without them, and an escrow that gives them back: entries of a list, each one about the
// value at a JSON pointer of the clean value.
//
//	{"at":"/a/b","units":"d83d","of":"…"}  the text's U+FFFD, in order, stand for these: four hex digits are a UTF-16
//	                                       code unit, 00xx is the byte xx; of is the head of the clean text's SHA-256
//	{"at":"/a/b","key":"b","units":""}     the last key of the pointer has this name in the source
//	{"at":"","source":"…"}                 the whole value as it was, in Base64, instead of entries that together would be
//	                                       much larger than it: pointers may be as long as the value itself
//
// The later occurrence of a repeated key keeps its name; the earlier ones are renamed. An entry is
// applied only while what it speaks of is still as Clean left it: who edits such a text has edited
// it.
type Escrow struct {
	Entries []byte         // comma-joined JSON objects, clean themselves
	Counts  map[string]int // lone_surrogate, invalid_utf8, duplicate_key
}

// renamed marks the keys that Clean made up.
const renamed = "\uFFFD#"

// IsRenamed tells whether a key is one that Clean made up.
func IsRenamed(key string) bool { return strings.Contains(key, renamed) }

// Clean rewrites a value for a document. The escrow has at most about twice the size of the value
// and 64 KiB.
func Clean(n jsonscan.Node) (clean []byte, e Escrow) {
	c := cleaner{e: Escrow{Counts: map[string]int{}}, room: 2*len(n.Raw()) + 64<<10}
	c.value(n, "")
	if c.full {
		source := base64.StdEncoding.EncodeToString(n.Raw())
		c.e.Entries = append(append([]byte(`{"at":"","source":"`), source...), `"}`...)
	}
	return c.out, c.e
}

type cleaner struct {
	out []byte
	e   Escrow
	// room is how large the entries may grow; full: they would have, and the value as a whole takes
	// their place.
	room int
	full bool
}

// value writes a value; at is its pointer, which is not kept up when there are no entries any more.
func (c *cleaner) value(n jsonscan.Node, at string) {
	if !n.Odd() {
		c.out = n.AppendCompact(c.out)
		return
	}
	switch n.Kind() {
	case jsonscan.String:
		text, units := c.text(n)
		c.out = pamio.AppendString(c.out, text)
		if c.entry(at, len(units)) {
			sum := sha256.Sum256([]byte(text))
			c.e.Entries = append(append(append(c.e.Entries, `,"units":"`...), units...), `","of":"`...)
			c.e.Entries = append(append(c.e.Entries, hex.EncodeToString(sum[:6])...), `"}`...)
		}
	case jsonscan.Array:
		c.out = append(c.out, '[')
		i := 0
		for v := range n.Items() {
			if i > 0 {
				c.out = append(c.out, ',')
			}
			c.below(v, at, strconv.Itoa(i))
			i++
		}
		c.out = append(c.out, ']')
	case jsonscan.Object:
		c.object(n, at)
	}
}

// below writes a value one step below a pointer. Only an odd one needs its own.
func (c *cleaner) below(v jsonscan.Node, at, step string) {
	if c.full || !v.Odd() {
		c.value(v, "")
		return
	}
	c.value(v, at+"/"+step)
}

func (c *cleaner) object(n jsonscan.Node, at string) {
	identity := func(k jsonscan.Node) string { return string(appendUnits(nil, k)) }
	left := map[string]int{} // occurrences of a key that are still to come
	used := map[string]bool{}
	tried := map[string]int{} // up to which number the names made from a key are used
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
			for name = ""; name == "" || used[name]; {
				tried[base]++
				name = base + renamed + strconv.Itoa(tried[base])
			}
			used[name] = true
			if !c.full && c.entry(at+"/"+EscapePointer(name), len(base)+len(units)) {
				c.e.Entries = pamio.AppendString(append(c.e.Entries, `,"key":`...), base)
				c.e.Entries = append(append(append(c.e.Entries, `,"units":"`...), units...), `"}`...)
			}
		}
		c.out = append(pamio.AppendString(c.out, name), ':')
		c.below(v, at, EscapePointer(name))
	}
	c.out = append(c.out, '}')
}

// entry starts an entry, unless there is no room for it and so much more.
func (c *cleaner) entry(at string, more int) bool {
	if c.full || len(c.e.Entries)+len(at)+more > c.room {
		c.full, c.e.Entries = true, nil
		return false
	}
	if len(c.e.Entries) > 0 {
		c.e.Entries = append(c.e.Entries, ',')
	}
	c.e.Entries = pamio.AppendString(append(c.e.Entries, `{"at":`...), at)
	return true
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
