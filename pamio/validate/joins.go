package validate

import (
	"errors"
	"fmt"
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

	tables        [tables]table
	conversations table // entries and memories that do not agree, by conversation id

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
	j := &joins{tally: t, conversations: table{t.o.sorter()}, chains: chains{limit: t.o.MaxChains}}
	for i := range j.tables {
		j.tables[i] = table{t.o.sorter()}
	}
	return j
}

func (j *joins) close() error {
	errs := []error{j.conversations.s.Close()}
	for _, t := range j.tables {
		errs = append(errs, t.s.Close())
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

// meet reports all that only shows when everything was seen. A table is given up as soon as it was
// read.
func (j *joins) meet() error {
	for _, step := range []struct {
		read  func() error
		table table
	}{
		{j.uniqueIDs, j.tables[idTable]},
		{j.meetIndex, j.tables[indexTable]},
		{j.meetMemories, j.tables[memoryTable]},
		{j.meetConversations, j.conversations},
		{j.meetEmbeddings, j.tables[embeddingTable]},
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
	for r, err := range j.tables[idTable].rows() {
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

func (j *joins) twice(file, wrapper string, index, first int, key []byte) {
	j.find(idUnique, placeOf(file, wrapper, index, "/id"), "the id %s is that of %s/%d, too; ids must differ", quote(idOf(key)), wrapper, first)
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
