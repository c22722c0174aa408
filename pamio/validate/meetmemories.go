package validate

// meetIndex finds index entries that share an id, and passes on what the entries in force say, if
// there is a base: its entries are replaced by those of the store.
func (j *joins) meetIndex() error {
	var from origin
	var first int
	for r, err := range j.tables[indexTable].rows() {
		if err != nil {
			return err
		}
		k, o, index := r.byte(), origin(r.byte()), r.int()
		if o == base && !j.incremental {
			continue // a full export stands alone
		}
		if r.first {
			from, first = o, index
			if err := j.conversations.s.Add(r.key, j.record(defined, byte(o)).int(index)); err != nil {
				return err
			}
		}
		switch {
		case o != from: // a base entry that is replaced
		case k == defined && o == target:
			if j.wrong(idUnique, !r.first) {
				j.twice(j.file, "conversations_index", index, first, r.key)
			}
		case k == listed:
			position, memory := r.int(), r.peek()
			if err := j.tables[memoryTable].s.Add(memory, j.record(referred, asDerived, byte(o)).int(index).int(position).bytes(r.key)); err != nil {
				return err
			}
		}
	}
	return nil
}

// known is the memory in force under the id that is being read.
type known struct {
	there    bool
	from     origin
	index    int
	status   string
	changed  int64
	timed    bool
	embedded bool

	key          []byte // of the memory
	conversation []byte // the key of the conversation that it names
	agreed       bool   // which lists it
}

// meetMemories finds memories that share an id and references to memories that are not there,
// compares memories with those of the base that they replace, and passes on which memory names
// which conversation.
func (j *joins) meetMemories() error {
	var m known
	for r, err := range j.tables[memoryTable].rows() {
		if err != nil {
			return err
		}
		if r.first {
			if err := j.leave(&m); err != nil {
				return err
			}
			m = known{key: m.key[:0], conversation: m.conversation[:0]}
		}
		if r.byte() == defined {
			err = j.definedMemory(&m, r)
		} else {
			err = j.referredMemory(&m, r)
		}
		if err != nil {
			return err
		}
	}
	return j.leave(&m)
}

// leave passes on which conversation a memory names, unless it is known by now that the two agree,
// as they nearly always do.
func (j *joins) leave(m *known) error {
	if len(m.conversation) == 0 || m.agreed {
		return nil
	}
	return j.conversations.s.Add(m.conversation, j.record(referred).bytes(m.key).byte(bySide(true)).byte(byte(m.from)).int(m.index).int(0))
}

func (j *joins) definedMemory(m *known, r row) error {
	from, index := origin(r.byte()), r.int()
	status, conversation := statusOf(r.peek()), r.peek()
	timed, changed := r.byte() == 1, r.int64()
	if from == base && (m.there && m.from == base || !m.there && !j.incremental) {
		return nil // twice in the base, or in the base of a full export, which stands alone
	}
	if m.there {
		if from == base {
			j.chains.replaced(index)
			j.compare(*m, status, timed, changed)
			return nil
		}
		if j.wrong(idUnique, true) {
			j.twice(j.file, "memories", index, m.index, r.key)
		}
		return nil
	}
	j.made[idUnique]++
	*m = known{there: true, from: from, index: index, status: status, timed: timed, changed: changed,
		key: append(m.key, r.key...), conversation: append(m.conversation, conversation...)}
	if from == target && j.since.ok && timed && j.wrong(incrementalSince, changed <= j.since.time.UnixMicro()) {
		j.find(incrementalSince, placeOf(j.file, "memories", index, "/temporal"), "the memory did not change after since, so it does not belong into "+
			"this incremental export")
	}
	return nil
}

// statusOf is a status without a copy of the usual ones.
func statusOf(text []byte) string {
	for _, s := range [...]string{"active", "superseded", "archived", "retracted", "deprecated"} {
		if s == string(text) {
			return s
		}
	}
	return string(text)
}

// bySide orders the memory's word before the index's.
func bySide(memory bool) byte {
	if memory {
		return 0
	}
	return 1
}

func (j *joins) referredMemory(m *known, r row) error {
	role, from, index, position, conversation := r.byte(), origin(r.byte()), r.int(), r.int(), r.peek()
	if role == asEmbedded {
		if j.wrong(embeddingMemoryUnique, m.embedded) {
			j.find(embeddingMemoryUnique, placeOf(j.embedded, "embeddings", index, "/memory_id"), "the memory %s has an embedding already; a memory has "+
				"one at most", quote(idOf(r.key)))
		}
		m.embedded = true
	}
	if !m.there {
		j.missingMemory(role, from, index, position, idOf(r.key))
		return nil
	}
	switch role {
	case asFrom, asTo:
		j.made[xrefRelation]++
	case asSuccessor:
		j.made[xrefSuperseded]++
		j.chains.link(from, index, m.from, m.index)
	case asDerived:
		j.made[xrefDerived]++
		if string(conversation) == string(m.conversation) {
			if !m.agreed {
				j.made[xrefConversation]++
				j.made[xrefBidirectional]++
			}
			m.agreed = true
			return nil
		}
		return j.conversations.s.Add(conversation,
			j.record(referred).bytes(r.key).byte(bySide(false)).byte(byte(from)).int(index).int(position))
	case asEmbedded:
		j.made[xrefEmbeddingMemory]++
	}
	return nil
}

func (j *joins) missingMemory(role byte, from origin, index, position int, id string) {
	if from == base {
		return // the fault of the base, not of this export
	}
	switch role {
	case asFrom, asTo:
		field := map[byte]string{asFrom: "/from", asTo: "/to"}[role]
		j.missing(xrefRelation, j.blindMemories, placeOf(j.file, "relations", index, field), "the memory %s is not in the store", quote(id))
	case asSuccessor:
		j.missing(xrefSuperseded, j.blindMemories, placeOf(j.file, "memories", index, "/temporal/superseded_by"), "the memory %s is not in the store",
			quote(id))
	case asDerived:
		j.missing(xrefDerived, j.blindMemories, placeOf(j.file, "conversations_index", index, pointerItem("/derived_memories", position)),
			"the memory %s is not in the store", quote(id))
	case asEmbedded:
		j.missing(xrefEmbeddingMemory, j.blindMemories || j.file == "", placeOf(j.embedded, "embeddings", index, "/memory_id"), "the memory %s is not in "+
			"the store", quote(id))
	}
}
