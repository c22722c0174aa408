package assemble

import (
	"bytes"
	"fmt"

	"github.com/google/uuid"

	"github.com/pamline/pamline/assemble/graph"
	"github.com/pamline/pamline/pamio/extsort"
)

// slots compares the components that tell the same attribute of the person: values that contain
// each other, values of which one follows the other, and values that one denies.
func (r *resolution) slots() error {
	names, links, opposites, chain := r.sorter(), r.sorter(), r.sorter(), r.sorter()
	var key, value []byte
	err := r.each(func(c *facts) error {
		if !c.current || c.removed() || c.slot.Attribute == "" || !c.isSure() {
			return nil
		}
		if err := fileValue(names, c); err != nil {
			return err
		}
		key = valueKey(key[:0], &c.slot, c.negative)
		value = c.pack(value[:0], false)
		if err := opposites.Add(key, value); err != nil {
			return err
		}
		if !c.ordered() {
			return nil
		}
		return chain.Add(c.id[:], value)
	})
	if err != nil {
		return fmt.Errorf("sort slots: %w", err)
	}
	r.findings = r.sorter()
	if err := r.opposed(opposites); err != nil {
		return fmt.Errorf("compare opposites: %w", err)
	}
	if err := r.extended(names, links); err != nil {
		return fmt.Errorf("compare values: %w", err)
	}
	places, err := graph.Components(links, r.sorter)
	if err != nil {
		return err
	}
	if err := r.chained(chain, places); err != nil {
		return fmt.Errorf("chain values: %w", err)
	}
	return nil
}

// ordered tells whether the memory stands in the chain of its attribute: there is one value at a
// time, and it is one.
func (f *facts) ordered() bool { return f.slot.One && !f.slot.Beside && !f.negative }

// supersede notes that a newer component takes the place of an older one.
func (r *resolution) supersede(newer, older *facts, reason string) error {
	key := append(append(make([]byte, 0, 64), older.id[:]...), supersededRecord)
	key = append(newer.latest.ascending(key), newer.id[:]...)
	since := newer.since(older)
	value := packString(packString(packString(nil, string(since)), string(newer.latest)), reason)
	value = append(value, flag(newer.follows(older)))
	if err := r.findings.Add(key, append(value, newer.id[:]...)); err != nil {
		return err
	}
	if newer.from == "" && since.known() > older.first.known() && !since.isAsOf() {
		if err := r.findings.Add(append(newer.id[:], startedRecord), packString(nil, string(since))); err != nil {
			return err
		}
	}
	return r.relate(newer.id, older.id, supersedes)
}

// since is when a newer value took the place of an older one: when it says that it began, unless
// the older one was said after that; else when it was first said. Of values that were told
// together, each with its beginning, the one begins where the other ends.
func (f *facts) since(older *facts) when {
	if f.from.known() > older.first.known() || f.follows(older) {
		return f.from
	}
	return f.first
}

// follows tells whether two values were told together, each with its beginning, this one's later.
func (f *facts) follows(older *facts) bool {
	return f.latest != "" && f.latest == older.latest && older.from != "" && f.from > older.from
}

// contradict relates two components of which neither is newer.
func (r *resolution) contradict(a, b uuid.UUID) error {
	if bytes.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	return r.relate(a, b, contradicts)
}

// Why one component took the place of another.
const (
	newerValue    = "newer-value"
	oppositeValue = "opposite"
	endedReason   = "ended"
	editReason    = "edit"
)

// opposed compares what is told with what denies it: there is one component of each at most.
func (r *resolution) opposed(opposites *extsort.Sorter) error {
	var about []byte
	var said, c facts
	for rec, err := range opposites.Sorted() {
		if err != nil {
			return err
		}
		u := unpacker{left: rec.Value}
		u.facts(&c)
		if u.err != nil {
			return u.err
		}
		what := rec.Key[:len(rec.Key)-1] // the last byte is the polarity
		if !bytes.Equal(what, about) {
			about, said = append(about[:0], what...), c
			continue
		}
		switch {
		case c.negative == said.negative:
			continue
		case c.latest > said.latest:
			err = r.supersede(&c, &said, oppositeValue)
		case c.latest < said.latest:
			err = r.supersede(&said, &c, oppositeValue)
		default:
			err = r.contradict(c.id, said.id)
		}
		if err != nil {
			return err
		}
	}
	return opposites.Close()
}
