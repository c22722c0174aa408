package assemble

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// link files the relations of the new store: both ends are in it. Of two with one id, the adopted
// one counts. Between memories that one export has judged, resolution adds none.
func (d *adopter) link(ctx context.Context) error {
	byID := map[string]bool{} // of the adopted ones
	add := func(raw []byte) error {
		o, err := readObject(raw)
		if err != nil {
			return err
		}
		from, _ := o["from"].(string)
		to, _ := o["to"].(string)
		if !d.present[from] || !d.present[to] {
			d.result.Stats.drop("relation-without-memory")
			return nil
		}
		typ, _ := o["type"].(string)
		id, _ := o["id"].(string)
		return d.links.Add(linkKey(&pamio.Relation{ID: id, From: from, To: to, Type: typ}), raw)
	}
	for rec, err := range d.relations.Sorted() {
		if err == nil {
			byID[string(rec.Key)] = true
			err = add(rec.Value)
		}
		if err != nil {
			return err
		}
	}
	for rec, err := range d.supports.Sorted() {
		if err == nil && !byID[string(rec.Key)] {
			err = add(rec.Value)
		}
		if err != nil {
			return err
		}
	}
	for raw, err := range elements(ctx, d.result.Relations) {
		if err != nil {
			return err
		}
		o, err := readObject(raw)
		if err != nil {
			return err
		}
		id, _ := o["id"].(string)
		from, _ := o["from"].(string)
		to, _ := o["to"].(string)
		if byID[id] || d.pure[from] && d.pure[to] && d.origins[from] == d.origins[to] {
			continue
		}
		if err := add(d.renamed(bytes.Clone(raw))); err != nil {
			return err
		}
	}
	return nil
}

// embed files the vectors of the new store, one for each memory: the adopted one before that of
// this program.
func (d *adopter) embed(ctx context.Context) error {
	have := map[string]bool{}
	for rec, err := range d.embeddings.Sorted() {
		if err != nil {
			return err
		}
		if !d.present[string(rec.Key)] {
			d.result.Stats.drop("embedding-without-memory")
			continue
		}
		have[string(rec.Key)] = true
		if err := d.vectors.Add(rec.Key, rec.Value); err != nil {
			return err
		}
	}
	for raw, err := range elements(ctx, d.result.Embeddings) {
		if err != nil {
			return err
		}
		o, err := readObject(raw)
		if err != nil {
			return err
		}
		memory, _ := o["memory_id"].(string)
		if have[memory] || !d.present[memory] {
			continue
		}
		if err := d.vectors.Add([]byte(memory), raw); err != nil {
			return err
		}
	}
	return nil
}

// write writes the sections of the new store.
func (d *adopter) write(ctx context.Context) error {
	r := d.result
	before := r.Stats
	r.Stats.Memories, r.Stats.Active, r.Stats.Superseded, r.Stats.Deprecated, r.Stats.Retracted, r.Stats.Archived, r.Stats.Duplicates = 0, 0, 0, 0, 0, 0, 0
	r.Stats.Embeddings, r.Stats.Relations = 0, map[string]int64{}
	r.Stats.Duplicates = before.Duplicates
	memories, relations, embeddings := newSectionWriter(r.Memories), newSectionWriter(r.Relations), newSectionWriter(r.Embeddings)
	next, stop := iter.Pull2(d.vectors.Sorted())
	defer stop()
	vector, err, more := next()
	for rec, bad := range d.memories.Sorted() {
		if bad == nil {
			bad = ctx.Err()
		}
		if bad != nil {
			return bad
		}
		for more && err == nil && bytes.Compare(vector.Key, rec.Key) < 0 {
			vector, err, more = next()
		}
		if err != nil {
			return err
		}
		var own []byte
		if more && bytes.Equal(vector.Key, rec.Key) {
			own = vector.Value
			r.Stats.Embeddings++
			if err := embeddings.Add(own); err != nil {
				return err
			}
		}
		raw, err := d.closed(rec, own)
		if err != nil {
			return err
		}
		if err := memories.AddOrdered(string(rec.Key), raw); err != nil {
			return err
		}
	}
	r.Checksum = memories.Integrity().Checksum
	for rec, err := range d.links.Sorted() {
		if err != nil {
			return err
		}
		o, err := readObject(rec.Value)
		if err != nil {
			return err
		}
		typ, _ := o["type"].(string)
		r.Stats.Relations[typ]++
		if err := relations.Add(rec.Value); err != nil {
			return err
		}
	}
	for _, w := range [...]*sectionWriter{memories, relations, embeddings} {
		if err := w.finish(); err != nil {
			return err
		}
	}
	return nil
}

// closed gives a memory whose references are all in the new store, and files its conversation.
func (d *adopter) closed(rec extsort.Record, vector []byte) ([]byte, error) {
	raw := rec.Value[1:]
	o, err := readObject(raw)
	if err != nil {
		return nil, err
	}
	v := verdict{}
	v.status, _ = o["status"].(string)
	d.result.Stats.count(&v)
	changed := false
	provenance := object(o, "provenance")
	ref, _ := provenance["conversation_ref"].(string)
	if rec.Value[0] == 1 {
		changed = d.closeRefs(o, vector)
		if ref != "" && !d.conversations[ref] {
			lost := made(made(o, "metadata"), "unknown_members")
			for _, key := range [...]string{"conversation_ref", "message_ref"} {
				if value, ok := provenance[key]; ok {
					lost["/provenance/"+key] = value
					delete(provenance, key)
				}
			}
			ref, changed = "", true
		}
	}
	if _, alone := d.index[ref]; alone {
		d.named[ref] = append(d.named[ref], string(rec.Key))
	} else if ref != "" {
		if err := d.derived.Add(tupleString(nil, ref), rec.Key); err != nil {
			return nil, err
		}
	}
	if !changed {
		return raw, nil
	}
	return canonical(o)
}

// closeRefs removes references to memories and vectors that the store does not have.
func (d *adopter) closeRefs(o map[string]any, vector []byte) (changed bool) {
	temporal := object(o, "temporal")
	if by, _ := temporal["superseded_by"].(string); by != "" && !d.present[by] {
		delete(temporal, "superseded_by")
		changed = true
	}
	had, _ := o["embedding_ref"].(string)
	has := ""
	if vector != nil {
		if v, err := readObject(vector); err == nil {
			has, _ = v["id"].(string)
		}
	}
	switch {
	case has == had:
	case has == "":
		delete(o, "embedding_ref")
		changed = true
	default:
		o["embedding_ref"] = has
		changed = true
	}
	return changed
}

// addEntries adds the entries of conversations that no document of is at hand, behind the others. A
// file that they name is not in the bundle.
func (a *adoption) addEntries(to *extsort.Sorter) error {
	if a.isEmpty() {
		return nil
	}
	for id, raw := range a.index {
		o, err := readObject(raw)
		if err != nil {
			return fmt.Errorf("write index entry: %w", err)
		}
		if object(o, "storage")["type"] == "file" {
			delete(o, "storage")
		}
		delete(o, "derived_memories")
		if named := a.named[id]; len(named) > 0 {
			o["derived_memories"] = named
		}
		entry, err := canonical(o)
		if err != nil {
			return err
		}
		if err := to.Add(tupleString([]byte{0xFF}, id), entry); err != nil {
			return fmt.Errorf("sort conversation index: %w", err)
		}
	}
	return nil
}
