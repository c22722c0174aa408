package rules

import (
	"cmp"
	"errors"
	"fmt"
)

// family adds a family with its patterns to the table.
func (c *compiler) family(f *family) error {
	t := c.t
	if err := f.check(); err != nil {
		return err
	}
	number := len(t.families)
	kept := *f // without what only the compiler and the tests read
	kept.Unless, kept.Without, kept.Patterns, kept.Examples, kept.Counter = nil, nil, nil, nil, nil
	cf := compiledFamily{family: &kept}
	for i, s := range append([]Says{f.Says}, f.Also...) {
		if i > 0 {
			s.Type, s.Decay = cmp.Or(s.Type, f.Type), cmp.Or(s.Decay, f.Decay)
		}
		st, err := newStatement(&s)
		if err != nil {
			return err
		}
		cf.says = append(cf.says, st)
	}
	for _, w := range f.Without {
		ids := c.phrase(w)
		if len(ids) != 1 {
			return fmt.Errorf("without %q: it is not one word", w)
		}
		if cf.without == nil {
			cf.without = map[wordID]bool{}
		}
		cf.without[ids[0]] = true
	}
	if len(f.Unless) > 0 {
		u := newTrie(1)
		for _, text := range f.Unless {
			if err := c.pattern(&u, text, 0, true); err != nil {
				return fmt.Errorf("unless %q: %w", text, err)
			}
		}
		u.close()
		cf.unless = &u
	}
	t.families = append(t.families, cf)
	for _, text := range f.Patterns {
		t.patterns = append(t.patterns, compiledPattern{family: number})
		c.texts = append(c.texts, text)
		to := &t.trie
		if f.Mention {
			to = &t.mentions
		}
		if err := c.pattern(to, text, len(t.patterns)-1, f.Mention); err != nil {
			return fmt.Errorf("pattern %q: %w", text, err)
		}
		if err := cf.bound(text); err != nil {
			return fmt.Errorf("pattern %q: %w", text, err)
		}
	}
	for i, name := range t.captures {
		t.families[number].used[i] = cf.uses(name)
	}
	return nil
}

// pattern adds a pattern to a trie.
func (c *compiler) pattern(to *trie, text string, number int, free bool) error {
	items, err := parsePattern(text)
	if err != nil {
		return err
	}
	b := builder{compiler: c, trie: to, family: c.t.familyOf(number)}
	last := items[len(items)-1].kind
	if last == itemAnyRest {
		items = items[:len(items)-1]
		free = true
	}
	if end := &items[len(items)-1]; end.kind == itemOpen && end.max != 1 && !(c.scope != "" && free && end.max > 0) {
		free = false // it goes on to the end of the clause
	}
	ways, err := b.sequence(items, []int32{0})
	if err != nil {
		return err
	}
	for _, n := range ways {
		if n == 0 {
			return errors.New("it may be empty")
		}
		first := &to.nodes[n].ends
		if free {
			first = &to.nodes[n].free
		}
		if *first != 0 && (to == &c.t.trie || to == &c.t.mentions) {
			other := c.t.patterns[to.ends[*first].edge]
			if other.family != c.t.patterns[number].family {
				return fmt.Errorf("the same words are a pattern of family %s: %q", c.t.families[other.family].Name, c.texts[to.ends[*first].edge])
			}
			continue
		}
		to.ends.add(first, int32(number), n) //nolint:gosec // a table is small
	}
	return nil
}

// familyOf is nil for patterns of no family.
func (t *table) familyOf(pattern int) *family {
	if pattern >= len(t.patterns) {
		return nil
	}
	return t.families[t.patterns[pattern].family].family
}
