package validate

import (
	"encoding/binary"
	"fmt"
)

// tableName is one of the tables that elements fill.
type tableName byte

const (
	idTable        tableName = iota // relations and embeddings by kind and id
	indexTable                      // entries by conversation id
	memoryTable                     // by memory id
	embeddingTable                  // by embedding id
	fileTable                       // index entries by the path of their conversation file
	citedTable                      // conversation files, and messages that memories name, by conversation id
	tables
)

// notes are records on their way into tables: what elements say that must meet what others say.
type notes struct {
	text  []byte
	key   []byte
	value record

	// based tells that there is a base, so that it is open which index entries are in force.
	based bool
	// companions tells that files and cited messages are wanted.
	companions bool

	entries int // of the index
	// blind* tells that some of these could not be read, so that nothing can be said about a
	// missing one.
	blindMemories, blindIndex, blindEmbeddings bool
}

func (n *notes) reset() {
	*n = notes{text: n.text[:0], key: n.key, value: n.value, based: n.based, companions: n.companions}
}

// record begins a record in the memory of the last one.
func (n *notes) record(begin ...byte) record { return append(n.value[:0], begin...) }

// id sets the key of the next record.
func (n *notes) id(id string) { n.key = appendKey(n.key[:0], id) }

// add notes a record under the key that was set.
func (n *notes) add(t tableName, r record) {
	n.value = r
	n.text = append(n.text, byte(t))
	n.text = binary.AppendUvarint(n.text, uint64(len(n.key)))
	n.text = binary.AppendUvarint(n.text, uint64(len(r)))
	n.text = append(append(n.text, n.key...), r...)
}

// take moves the records into the tables.
func (j *joins) take(n *notes) error {
	j.entries += n.entries
	j.blindMemories = j.blindMemories || n.blindMemories
	j.blindIndex = j.blindIndex || n.blindIndex
	j.blindEmbeddings = j.blindEmbeddings || n.blindEmbeddings
	for f := fields(n.text); len(f) > 0; {
		t := tableName(f.byte())
		key, value := f.length(), f.length()
		if err := j.tables[t].s.Add(f[:key], f[key:key+value]); err != nil {
			return fmt.Errorf("note facts: %w", err)
		}
		f = f[key+value:]
	}
	n.reset()
	return nil
}

// named notes an id of a relation (r) or an embedding (e).
func (n *notes) named(kind byte, id string, index int) {
	n.key = appendKey(append(n.key[:0], kind), id)
	n.add(idTable, n.record().int(index))
}

// memory notes a memory and what it refers to.
func (n *notes) memory(f memoryFacts, from origin) {
	if n.companions && from == target && f.conversation != "" && f.message != "" {
		n.id(f.conversation)
		n.add(citedTable, n.record(referred).int(f.index).text(f.message))
	}
	if f.id == "" {
		n.blindMemories = n.blindMemories || from == target
		return
	}
	timed, changed := byte(0), int64(0)
	if f.changed.ok {
		timed, changed = 1, f.changed.time.UnixMicro()
	}
	n.id(f.id)
	n.add(memoryTable, n.record(defined, byte(from)).int(f.index).text(f.status).id(f.conversation).byte(timed).int64(changed))
	if f.supersededBy != "" {
		n.refer(f.supersededBy, asSuccessor, from, f.index)
	}
	if f.embedding != "" && from != base {
		n.id(f.embedding)
		n.add(embeddingTable, n.record(referred).int(f.index).text(f.id))
	}
}

// refer notes that something names a memory.
func (n *notes) refer(memory string, role byte, from origin, index int) {
	n.id(memory)
	n.add(memoryTable, n.record(referred, role, byte(from)).int(index).int(0).id(""))
}

func (n *notes) relation(f relationFacts) {
	if f.id != "" {
		n.named('r', f.id, f.index)
	}
	if f.from != "" {
		n.refer(f.from, asFrom, target, f.index)
	}
	if f.to != "" {
		n.refer(f.to, asTo, target, f.index)
	}
}

func (n *notes) entry(f entryFacts, from origin) error {
	if from == target && n.companions {
		if err := n.file(f); err != nil {
			return err
		}
	}
	if from == target {
		n.entries++
	}
	if f.ID == "" {
		n.blindIndex = n.blindIndex || from == target
		return nil
	}
	n.id(f.ID)
	n.add(indexTable, n.record(defined, byte(from)).int(f.Index))
	if n.based {
		for i, m := range f.derived {
			n.add(indexTable, n.record(listed, byte(from)).int(f.Index).int(i).key(m))
		}
		return nil
	}
	for i, m := range f.derived { // nothing can replace the entry
		n.id(m)
		n.add(memoryTable, n.record(referred, asDerived, byte(from)).int(f.Index).int(i).key(f.ID))
	}
	return nil
}

func (n *notes) embedding(f embeddingFacts) {
	if f.memory != "" {
		n.refer(f.memory, asEmbedded, target, f.index)
	}
	if f.id == "" {
		n.blindEmbeddings = true
		return
	}
	n.named('e', f.id, f.index)
	n.id(f.id)
	n.add(embeddingTable, n.record(defined, byte(target)).int(f.index).text(f.memory))
}
