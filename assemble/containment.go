package assemble

import (
	"bytes"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/pamline/pamline/assemble/graph"
	"github.com/pamline/pamline/pamio/extsort"
)

// Values that contain others are found by asking for the parts of each. All parts are asked for in
// values of up to wholeWords words; in longer ones, up to longWords, the runs of up to wholeWords
// words. A value is asked for under at most 58 names.
const (
	wholeWords = 4
	longWords  = 16
)

// The kinds of record under a name.
const (
	valueRecord = 0
	askRecord   = 1
)

// scope is in what values are compared: all of an attribute that has one at a time, else those of
// one type and polarity.
func scope(dst []byte, c *facts) []byte {
	if c.ordered() {
		return tupleString(append(dst, 1), c.slot.Attribute)
	}
	dst = tupleString(append(dst, 0, flag(c.negative)), c.slot.Attribute)
	return tupleString(tupleString(dst, c.typ), c.custom)
}

// fileValue files a value under its words, and asks for its parts.
func fileValue(names *extsort.Sorter, c *facts) error {
	words := strings.Fields(c.slot.Value)
	front := scope(nil, c)
	key := append(tupleString(bytes.Clone(front), wordSet(words)), valueRecord)
	if err := names.Add(append(key, c.id[:]...), nil); err != nil {
		return err
	}
	for _, part := range parts(words) {
		key = append(tupleString(append(key[:0], front...), part), askRecord)
		if err := names.Add(append(key, c.id[:]...), nil); err != nil {
			return err
		}
	}
	return nil
}

// wordSet is a set of words as a text: sorted, each once.
func wordSet(words []string) string {
	set := slices.Clone(words)
	slices.Sort(set)
	return strings.Join(slices.Compact(set), " ")
}

// parts are the sets of fewer words that a value contains.
func parts(words []string) []string {
	var out []string
	whole := wordSet(words)
	add := func(part []string) {
		if s := wordSet(part); s != "" && len(strings.Fields(s)) < len(strings.Fields(whole)) {
			out = append(out, s)
		}
	}
	switch n := len(words); {
	case n > longWords:
		return nil
	case n > wholeWords:
		for size := 1; size <= wholeWords; size++ {
			for i := 0; i+size <= n; i++ {
				add(words[i : i+size])
			}
		}
	default:
		for subset := 1; subset < 1<<n-1; subset++ {
			var part []string
			for i, w := range words {
				if subset>>i&1 == 1 {
					part = append(part, w)
				}
			}
			add(part)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// extended relates each value to the longest one that it contains, of several of that length the
// first in order. Those of an attribute with one value at a time become links. names is closed.
func (r *resolution) extended(names, links *extsort.Sorter) error {
	answers := r.sorter() // who asks, from the most words, the words → which component has them
	var name, has, key []byte
	for rec, err := range names.Sorted() {
		if err != nil {
			return err
		}
		end := len(rec.Key) - idSize - 1
		kind, id := rec.Key[end], rec.Key[end+1:]
		if !bytes.Equal(name, rec.Key[:end]) {
			name, has = append(name[:0], rec.Key[:end]...), has[:0]
		}
		if kind == valueRecord {
			if len(has) == 0 {
				has = append(has, id...)
			}
			continue
		}
		if len(has) == 0 {
			continue
		}
		words := byte(bytes.Count(name[bytes.LastIndex(name[:len(name)-2], []byte{0, 1})+1:], []byte{' '}))
		key = append(append(append(key[:0], id...), ^words), name...)
		if err := answers.Add(key, has); err != nil {
			return err
		}
	}
	var asker []byte
	for rec, err := range answers.Sorted() {
		if err != nil {
			return err
		}
		if bytes.Equal(asker, rec.Key[:idSize]) {
			continue
		}
		asker = append(asker[:0], rec.Key[:idSize]...)
		if err := r.relate(uuid.UUID(asker), uuid.UUID(rec.Value), extends); err != nil {
			return err
		}
		if rec.Key[idSize+1] == 1 { // the scope of one value at a time
			if err := graph.AddEdge(links, asker, rec.Value); err != nil {
				return err
			}
		}
	}
	if err := names.Close(); err != nil {
		return err
	}
	return answers.Close()
}
