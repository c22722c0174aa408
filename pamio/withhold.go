package pamio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Withheld are the ids of memories that are marked exportable: false (PAM §21.1). They are held in
// memory.
type Withheld map[string]bool

// isWithheld tells whether a memory must not be given away.
func isWithheld(raw []byte) bool {
	// The first letter of what is looked for should be a rare one.
	if !bytes.Contains(raw, []byte("xportable")) && !bytes.Contains(raw, []byte(`\u`)) {
		return false
	}
	d, err := jsonscan.Parse(raw, maxDepth)
	if err != nil {
		return false
	}
	n := d.Root().Get("access").Get("exportable")
	return n.Kind() == jsonscan.Bool && !n.True()
}

// filter takes what depends on withheld memories out of the spooled collections: relations from and
// to them, their places in derived_memories, and superseded_by. It gives the collections anew and
// the checksum of the memories.
func (w Withheld) filter(old *spools, l Limits) (fresh *spools, sum *asyncChecksum, err error) {
	fresh, err = newSpools(l.Scratch, storeKeys)
	if err != nil {
		return nil, nil, err
	}
	sum = newAsyncChecksum()
	for _, collection := range collections {
		text, err := old.open(collection)
		if err != nil {
			return fresh, sum, err
		}
		f := jsonscan.NewFramer(io.MultiReader(strings.NewReader("["), text, strings.NewReader("]")), jsonscan.FrameOptions{})
		for {
			fr, err := f.Next(nil)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fresh, sum, fmt.Errorf("read scratch file: %w", err)
			}
			raw, keep, err := w.without(collection, fr.Raw)
			if err == nil && keep {
				err = fresh.add(collection, raw)
			}
			if err == nil && keep && collection == memoriesKey {
				var it item
				if it, err = itemOf(raw, "id", true); err == nil {
					err = sum.Add(it.key, it.canonical)
				}
			}
			if err != nil {
				return fresh, sum, err
			}
		}
	}
	return fresh, sum, nil
}

// without is an element without references to withheld memories; keep is false for a relation that
// has one.
func (w Withheld) without(collection string, raw []byte) (out []byte, keep bool, err error) {
	d, err := jsonscan.Parse(raw, maxDepth)
	if err != nil {
		return nil, false, err
	}
	root := d.Root()
	switch collection {
	case memoriesKey:
		temporal := root.Get("temporal")
		if w[temporal.Get("superseded_by").Str()] {
			return replaceValue(raw, temporal, withoutMember(temporal, "superseded_by")), true, nil
		}
	case relationsKey:
		return raw, !w[root.Get("from").Str()] && !w[root.Get("to").Str()], nil
	case indexKey:
		list := root.Get("derived_memories")
		kept, found := []byte{'['}, false
		for v := range list.Items() {
			if w[v.Str()] {
				found = true
				continue
			}
			if len(kept) > 1 {
				kept = append(kept, ',')
			}
			kept = append(kept, v.Raw()...)
		}
		if found {
			return replaceValue(raw, list, append(kept, ']')), true, nil
		}
	}
	return raw, true, nil
}

// replaceValue is raw with another text in the place of one of its values.
func replaceValue(raw []byte, n jsonscan.Node, text []byte) []byte {
	at := n.Offset()
	out := append([]byte(nil), raw[:at]...)
	return append(append(out, text...), raw[at+len(n.Raw()):]...)
}

func withoutMember(object jsonscan.Node, name string) []byte {
	out := []byte{'{'}
	for k, v := range object.Fields() {
		if k.Is(name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, k.Raw()...), ':'), v.Raw()...)
	}
	return append(out, '}')
}
