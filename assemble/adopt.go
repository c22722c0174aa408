package assemble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// adopt puts the adopted elements into the store that was resolved: in place of what resolution
// made of them, or beside the others. It gives the memories by the conversations that they name.
func (a *assembly) adopt(ctx context.Context, entries, derived *extsort.Sorter) (*extsort.Sorter, error) {
	if a.adoption.isEmpty() {
		return derived, nil
	}
	d := &adopter{
		adoption: a.adoption, result: a.result, pure: map[string]bool{}, present: map[string]bool{}, conversations: map[string]bool{},
		memories: a.small(), links: a.small(), supports: a.small(), vectors: a.small(), derived: a.small(),
	}
	for e, err := range readEntries(entries) {
		if err != nil {
			return nil, err
		}
		d.conversations[e.Conversation] = true
	}
	for id := range d.index {
		if d.conversations[id] {
			delete(d.index, id) // its document says the same
		}
		d.conversations[id] = true
	}
	for _, step := range [...]func(context.Context) error{d.survey, d.merge, d.link, d.embed} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("adopt memories: %w", err)
		}
	}
	memories, relations, embeddings := a.result.Memories, a.result.Relations, a.result.Embeddings
	for _, spool := range [...]**Spool{&a.result.Memories, &a.result.Relations, &a.result.Embeddings} {
		*spool = newSpool(a.o.Scratch)
	}
	if err := errors.Join(memories.close(), relations.close(), embeddings.close()); err != nil {
		return nil, err
	}
	if err := d.write(ctx); err != nil {
		return nil, fmt.Errorf("adopt memories: %w", err)
	}
	return d.derived, errors.Join(derived.Close(), d.memories.Close(), d.links.Close(), d.supports.Close(), d.vectors.Close())
}

// adopter puts adopted elements into a store. Its sets grow with the number of memories and
// conversations, by their ids.
type adopter struct {
	*adoption
	result *Result
	// pure are the resolved memories that nothing but an adopted one states.
	pure          map[string]bool
	present       map[string]bool // memories of the new store
	conversations map[string]bool // of the new index

	memories *extsort.Sorter // id → flag whether it was adopted, element
	links    *extsort.Sorter // from, to, type, id → element
	supports *extsort.Sorter // id → relation of a duplicate to what it yields to
	vectors  *extsort.Sorter // memory → element
	derived  *extsort.Sorter // conversation → memory
}

// elements gives those of a section.
func elements(ctx context.Context, s *Spool) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f := jsonscan.NewFramer(io.MultiReader(bytes.NewReader([]byte{'['}), s.Reader(), bytes.NewReader([]byte{']'})), jsonscan.FrameOptions{})
		var buf []byte
		for {
			fr, err := f.Next(buf)
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = ctx.Err()
			}
			if !yield(fr.Raw, err) || err != nil {
				return
			}
			buf = fr.Raw[:0]
		}
	}
}

// survey finds out which memories the new store has.
func (d *adopter) survey(ctx context.Context) error {
	for raw, err := range elements(ctx, d.result.Memories) {
		if err != nil {
			return err
		}
		o, err := readObject(raw)
		if err != nil {
			return err
		}
		id, _ := o["id"].(string)
		if _, adopted := d.origins[id]; !adopted {
			d.present[id] = true
		}
		if pure, _ := object(o, "metadata")[adoptedKey].(bool); pure {
			d.pure[id] = true
		}
	}
	var last string
	for rec, err := range d.adoption.memories.Sorted() {
		if err != nil {
			return err
		}
		m := readStated(rec)
		d.present[m.name] = true
		if m.id != last && m.id != m.name {
			d.ids[m.id] = m.name
		}
		if last = m.id; m.err != nil {
			return m.err
		}
	}
	return nil
}

// merge files the memories of the new store.
func (d *adopter) merge(ctx context.Context) error {
	next, stop := iter.Pull2(d.adoption.memories.Sorted())
	defer stop()
	at, err, more := next()
	var first stated
	// until files the adopted memories up to an id, those of the id itself with what was resolved.
	until := func(id string, resolved []byte) (found bool, _ error) {
		for ; more && err == nil; at, err, more = next() {
			m := readStated(at)
			if m.err != nil || id != "" && m.id > id {
				return found, m.err
			}
			var bad error
			if m.id == id {
				found = true
				if m.element, bad = d.mergeOne(m.element, resolved, m.at, id); bad != nil {
					return found, bad
				}
			}
			switch {
			case m.id != first.id:
				kept := append(first.element[:0], m.element...) // those of m live until the next step only
				first = m
				first.element = kept
			case m.origin != first.origin:
				if m.element, bad = d.archiveDuplicate(&m, &first); bad != nil {
					return found, bad
				}
			}
			if bad := d.file(m.name, m.element, true); bad != nil {
				return found, bad
			}
		}
		return found, err
	}
	for raw, bad := range elements(ctx, d.result.Memories) {
		if bad != nil {
			return bad
		}
		o, bad := readObject(raw)
		if bad != nil {
			return bad
		}
		id, _ := o["id"].(string)
		found, bad := until(id, raw)
		if bad != nil {
			return bad
		}
		if found {
			continue
		}
		if bad := d.file(id, d.renamed(raw), false); bad != nil {
			return bad
		}
	}
	_, err2 := until("", nil)
	return err2
}

// file files a memory of the new store.
func (d *adopter) file(id string, raw []byte, adopted bool) error {
	return d.memories.Add([]byte(id), append([]byte{flag(adopted)}, raw...))
}

// renamed puts the ids of adopted memories in place of those that resolution gave.
func (d *adopter) renamed(raw []byte) []byte {
	if len(d.ids) == 0 {
		return raw
	}
	o, err := readObject(raw)
	if err != nil {
		return raw
	}
	changed := false
	swap := func(in map[string]any, key string) {
		if old, _ := in[key].(string); d.ids[old] != "" {
			in[key], changed = d.ids[old], true
		}
	}
	swap(object(o, "temporal"), "superseded_by")
	swap(object(o, "metadata"), "duplicate_of")
	swap(o, "from")
	swap(o, "to")
	if !changed {
		return raw
	}
	out, err := canonical(o)
	if err != nil {
		return raw
	}
	return out
}
