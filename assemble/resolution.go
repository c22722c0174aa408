package assemble

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio/extsort"
)

// resolution decides how memories stand to each other. What it holds are sorters: id → record.
type resolution struct {
	sorter      func() *extsort.Sorter
	memories    *extsort.Sorter // facts
	members     *extsort.Sorter // representative, of memories in components of several
	retractions *retractions
	relations   *extsort.Sorter // from, to, type
	newest      when            // the newest time in the owner's data

	ranked     *extsort.Sorter // representative, rank → facts of its memories, in their order
	components *extsort.Sorter // facts of the component
	findings   *extsort.Sorter // representative, kind of finding → what was found
	verdicts   *extsort.Sorter // of each memory
}

// The kinds of finding about a component. Of each kind the first in order counts.
const (
	supersededRecord = 1 // the time of the newer one, its id → the finding
	retractedRecord  = 2 // the time → the time, the evidence
	replacedRecord   = 3 // → the representative of what took its place
	startedRecord    = 4 // → the time from which it took the place of another value
)

// run decides all.
func (r *resolution) run() error {
	for _, step := range [...]func() error{r.group, r.slots, r.retract, r.replace, r.decide} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// representatives gives every memory with its facts and its representative, by id.
func (r *resolution) representatives(visit func(f *facts, representative uuid.UUID) error) error {
	var f facts
	return joinOuter(r.memories.Sorted(), r.members.Sorted(), func(representative, packed []byte) error {
		u := unpacker{left: packed}
		u.facts(&f)
		if u.err != nil {
			return u.err
		}
		return visit(&f, uuid.UUID(representative))
	})
}

// group puts the memories of each component together and says what they say together.
func (r *resolution) group() error {
	r.ranked, r.components = r.sorter(), r.sorter()
	var key, value []byte
	err := r.representatives(func(f *facts, representative uuid.UUID) error {
		key, value = f.rank(append(key[:0], representative[:]...)), f.pack(value[:0], r.retractions.named)
		return r.ranked.Add(key, value)
	})
	if err != nil {
		return fmt.Errorf("sort components: %w", err)
	}
	var whole, f facts
	some := false
	add := func() error {
		value = whole.pack(value[:0], false)
		return r.components.Add(whole.id[:], value)
	}
	for rec, err := range r.ranked.Sorted() {
		if err != nil {
			return fmt.Errorf("sort components: %w", err)
		}
		u := unpacker{left: rec.Value}
		u.facts(&f)
		if u.err != nil {
			return u.err
		}
		if some && bytes.Equal(whole.id[:], rec.Key[:idSize]) {
			whole.join(&f)
			continue
		}
		if some {
			if err := add(); err != nil {
				return fmt.Errorf("sort components: %w", err)
			}
		}
		whole, some = f, true
	}
	if some {
		if err := add(); err != nil {
			return fmt.Errorf("sort components: %w", err)
		}
	}
	return nil
}

// each gives the components, by representative.
func (r *resolution) each(visit func(c *facts) error) error {
	var c facts
	for rec, err := range r.components.Sorted() {
		if err != nil {
			return fmt.Errorf("sort components: %w", err)
		}
		u := unpacker{left: rec.Value}
		u.facts(&c)
		if u.err != nil {
			return u.err
		}
		if err := visit(&c); err != nil {
			return err
		}
	}
	return nil
}

// end files what memories end, under the components that they belong to. What the person took away
// by hand ends nothing.
func (r *resolution) end() error {
	byComponent := r.sorter()
	err := joinOuter(r.retractions.enders.Sorted(), r.members.Sorted(), func(component, ending []byte) error {
		return byComponent.Add(component, ending)
	})
	if err != nil {
		return fmt.Errorf("sort endings: %w", err)
	}
	var c facts
	err = joinByID(r.components.Sorted(), byComponent.Sorted(), func(component, packed, whole []byte) error {
		u, w := unpacker{left: packed}, unpacker{left: whole}
		e := u.ending()
		w.facts(&c)
		if u.err != nil || w.err != nil {
			return errRecord
		}
		if c.removed() || !c.isSure() {
			return nil
		}
		return r.retractions.fileEnding(&e, uuid.UUID(component))
	})
	if err != nil {
		return fmt.Errorf("join endings: %w", err)
	}
	if err := r.retractions.enders.Close(); err != nil {
		return err
	}
	return byComponent.Close()
}

// retract lets what was taken back or ended meet the memories, whichever of a component it names.
func (r *resolution) retract() error {
	if r.retractions.ended {
		if err := r.end(); err != nil {
			return err
		}
	}
	if !r.retractions.some && !r.retractions.ended {
		return r.retractions.sorter.Close()
	}
	var f, all facts
	err := joinByID(r.components.Sorted(), r.ranked.Sorted(), func(_, member, whole []byte) error {
		m, c := unpacker{left: member}, unpacker{left: whole}
		m.facts(&f)
		c.facts(&all)
		if m.err != nil || c.err != nil {
			return errRecord
		}
		if !all.current {
			return nil
		}
		return r.retractions.meet(&f, &all)
	})
	if err != nil {
		return fmt.Errorf("join retractions: %w", err)
	}
	return r.retractions.hits(r)
}

// replace looks up what stands for the memories that took others' places by hand.
func (r *resolution) replace() error {
	wanted := r.sorter() // new memory → representative of the old one
	err := r.each(func(c *facts) error {
		if c.edit.action != EditReplace || !c.removed() {
			return nil
		}
		return wanted.Add(c.edit.by[:], c.id[:])
	})
	if err != nil {
		return fmt.Errorf("sort replacements: %w", err)
	}
	next, stop := iter.Pull2(wanted.Sorted())
	defer stop()
	at, err, more := next()
	err2 := r.representatives(func(f *facts, representative uuid.UUID) error {
		for more && err == nil && bytes.Equal(at.Key, f.id[:]) {
			key := append(bytes.Clone(at.Value), replacedRecord)
			if err := r.findings.Add(key, representative[:]); err != nil {
				return err
			}
			if err := r.relate(representative, uuid.UUID(at.Value), supersedes); err != nil {
				return err
			}
			at, err, more = next()
		}
		return err
	})
	if err2 != nil {
		return fmt.Errorf("join replacements: %w", err2)
	}
	if more {
		return fmt.Errorf("join replacements: %w", errRecord) // every edit that replaces adds what it names
	}
	return wanted.Close()
}
