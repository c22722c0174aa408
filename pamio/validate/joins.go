package validate

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pamline/pamline/pamio/extsort"
)

// origin tells whether a fact comes from the store that is checked or from its base.
type origin byte

const (
	target origin = iota
	base
)

// kinds of records, in the order in which they come under one key.
const (
	defined  byte = iota // the thing with this id
	listed               // index: a derived memory of the entry
	referred             // something that names this id
)

// roles of a reference to a memory.
const (
	asFrom byte = iota
	asTo
	asSuccessor
	asDerived
	asEmbedded
)

// joins are the tables in which facts of one store meet.
type joins struct {
	*tally
	file     string // of the store
	embedded string // file of the embeddings, "" when there is none
	// companions tells that the store was looked at together with the files beside it.
	companions bool

	ids           table // relations and embeddings by kind and id
	index         table // entries by conversation id
	memories      table // by memory id
	conversations table // entries and memories by conversation id
	embeddings    table // by embedding id

	chains chains

	scratch record // the memory of the record that is being written

	incremental bool // references may lead into a base that is not given
	based       bool // the base is given
	baseRead    bool // it is a store
	baseExport  string
	since       instant
	entries     int // of the index
	// blind* tells that some of these could not be read, so that nothing can be said about a
	// missing one.
	blindMemories, blindIndex, blindEmbeddings bool
}

func newJoins(t *tally) *joins {
	open := func() table { return table{t.o.sorter()} }
	return &joins{tally: t, ids: open(), index: open(), memories: open(), conversations: open(), embeddings: open(),
		chains: chains{limit: t.o.MaxChains}}
}

func (j *joins) close() error {
	var errs []error
	for _, s := range []*extsort.Sorter{j.ids.s, j.index.s, j.memories.s, j.conversations.s, j.embeddings.s} {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// record begins a record in the memory of the last one.
func (j *joins) record(begin ...byte) record {
	if j.scratch == nil {
		j.scratch = make(record, 0, 512)
	}
	return append(j.scratch[:0], begin...)
}

// named notes an id of a relation (r) or an embedding (e).
func (j *joins) named(kind byte, id string, index int) error {
	key := append(j.record(kind), id...)
	return j.ids.s.Add(key, binary.BigEndian.AppendUint64(key[len(key):], uint64(index)))
}

// memory notes a memory and what it refers to.
func (j *joins) memory(f memoryFacts, from origin) error {
	if f.id == "" {
		j.blindMemories = j.blindMemories || from == target
		return nil
	}
	timed, changed := byte(0), 0
	if f.changed.ok {
		timed, changed = 1, int(f.changed.time.UnixMicro())
	}
	r := j.record(defined, byte(from)).int(f.index).text(f.status).text(f.conversation).byte(timed).int(changed)
	if err := j.memories.add(f.id, r); err != nil {
		return err
	}
	if f.supersededBy != "" {
		if err := j.memories.add(f.supersededBy, j.record(referred, asSuccessor, byte(from)).int(f.index).int(0).text("")); err != nil {
			return err
		}
	}
	if f.embedding == "" || from == base {
		return nil
	}
	return j.embeddings.add(f.embedding, j.record(referred).int(f.index).text(f.id))
}

func (j *joins) relation(f relationFacts) error {
	if f.id != "" {
		if err := j.named('r', f.id, f.index); err != nil {
			return err
		}
	}
	if f.from != "" {
		if err := j.memories.add(f.from, j.record(referred, asFrom, byte(target)).int(f.index).int(0).text("")); err != nil {
			return err
		}
	}
	if f.to == "" {
		return nil
	}
	return j.memories.add(f.to, j.record(referred, asTo, byte(target)).int(f.index).int(0).text(""))
}

func (j *joins) entry(f entryFacts, from origin) error {
	if from == target {
		j.entries++
	}
	if f.ID == "" {
		j.blindIndex = j.blindIndex || from == target
		return nil
	}
	if err := j.index.add(f.ID, j.record(defined, byte(from)).int(f.Index)); err != nil {
		return err
	}
	for i, m := range f.derived {
		if err := j.index.add(f.ID, j.record(listed, byte(from)).int(f.Index).int(i).text(m)); err != nil {
			return err
		}
	}
	return nil
}

func (j *joins) embedding(f embeddingFacts) error {
	if f.memory != "" {
		if err := j.memories.add(f.memory, j.record(referred, asEmbedded, byte(target)).int(f.index).int(0).text("")); err != nil {
			return err
		}
	}
	if f.id == "" {
		j.blindEmbeddings = true
		return nil
	}
	if err := j.named('e', f.id, f.index); err != nil {
		return err
	}
	return j.embeddings.add(f.id, j.record(defined, byte(target)).int(f.index).text(f.memory))
}

// meet reports all that only shows when everything was seen. A table is given up as soon as it was
// read.
func (j *joins) meet() error {
	for _, step := range []struct {
		read  func() error
		table table
	}{
		{j.uniqueIDs, j.ids},
		{j.meetIndex, j.index},
		{j.meetMemories, j.memories},
		{j.meetConversations, j.conversations},
		{j.meetEmbeddings, j.embeddings},
	} {
		if err := errors.Join(step.read(), step.table.s.Close()); err != nil {
			return fmt.Errorf("join facts: %w", err)
		}
	}
	j.chains.report(j)
	return nil
}

// uniqueIDs reports relations and embeddings that share an id.
func (j *joins) uniqueIDs() error {
	first := 0
	for r, err := range j.ids.rows() {
		if err != nil {
			return err
		}
		index := r.int()
		if r.first {
			first = index
		}
		if !j.wrong(idUnique, !r.first) {
			continue
		}
		file, wrapper := j.file, "relations"
		if r.key[0] == 'e' {
			file, wrapper = j.embedded, "embeddings"
		}
		j.twice(file, wrapper, index, first, r.key[1:])
	}
	return nil
}

func (j *joins) twice(file, wrapper string, index, first int, id []byte) {
	j.find(idUnique, placeOf(file, wrapper, index, "/id"), "the id %s is that of %s/%d, too; ids must differ", quote(id), wrapper, first)
}

// missing reports a reference to something that is not there, unless that cannot be known.
func (j *joins) missing(c check, blind bool, at place, format string, args ...any) {
	switch {
	case j.incremental && !j.based:
		if j.wrong(xrefExternal, true) {
			j.find(xrefExternal, at, format+"; it may be in the base of this incremental export, give that one to be sure", args...)
		}
	case blind:
	case j.wrong(c, true):
		j.find(c, at, format, args...)
	}
}
