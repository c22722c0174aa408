package validate

import "strconv"

func pointerItem(prefix string, i int) string { return prefix + "/" + strconv.Itoa(i) }

// claim is what a memory and an index entry say about one pair of conversation and memory.
type claim struct {
	byMemory, byIndex   bool
	memoryFrom, idxFrom origin
	memoryAt, entryAt   int
	position            int
}

// meetConversations holds conversation_ref of the memories against derived_memories of the index,
// in both directions (PAM §14.1).
func (j *joins) meetConversations() error {
	var conversation string
	var there bool
	var from origin
	var entry int
	var c claim
	var memory []byte // of the claim
	open := false
	flush := func() {
		if open {
			j.agree(conversation, there, from, entry, memory, c)
		}
		open = false
	}
	for r, err := range j.conversations.rows() {
		if err != nil {
			return err
		}
		if r.first {
			flush()
			conversation, there = idOf(r.key), false
		}
		if r.byte() == defined {
			there, from, entry = true, origin(r.byte()), r.int()
			continue
		}
		if m := r.peek(); !open || string(memory) != string(m) {
			flush()
			c, open, memory = claim{}, true, append(memory[:0], m...)
		}
		if r.byte() == bySide(true) {
			c.byMemory, c.memoryFrom, c.memoryAt = true, origin(r.byte()), r.int()
		} else if !c.byIndex {
			c.byIndex, c.idxFrom, c.entryAt, c.position = true, origin(r.byte()), r.int(), r.int()
		}
	}
	flush()
	return nil
}

func (j *joins) agree(conversation string, there bool, from origin, entry int, memory []byte, c claim) {
	at := placeOf(j.file, "memories", c.memoryAt, "/provenance/conversation_ref")
	switch {
	case c.byMemory && !there:
		if c.memoryFrom == base {
			return
		}
		if j.wrong(xrefConversationNoIndex, j.entries == 0 && !j.incremental) {
			j.find(xrefConversationNoIndex, at, "the memory names the conversation %s, but the store has no conversations_index", quote(conversation))
			return
		}
		j.missing(xrefConversation, j.blindIndex, at, "the conversation %s is not in conversations_index", quote(conversation))
	case c.byMemory && c.byIndex, c.memoryFrom == base && from == base:
		j.made[xrefConversation]++
		j.made[xrefBidirectional]++
	case c.byMemory:
		j.made[xrefConversation]++
		if !j.wrong(xrefBidirectional, true) {
			return
		}
		if c.memoryFrom == base {
			j.find(xrefBidirectional, placeOf(j.file, "conversations_index", entry, "/derived_memories"), "the memory %s of the base names this "+
				"conversation, but derived_memories does not have it", quote(idOf(memory)))
			return
		}
		j.find(xrefBidirectional, at, "the index entry of the conversation %s does not list this memory in derived_memories", quote(conversation))
	default:
		if c.idxFrom == base || !j.wrong(xrefBidirectional, true) {
			return
		}
		j.find(xrefBidirectional, placeOf(j.file, "conversations_index", c.entryAt, pointerItem("/derived_memories", c.position)),
			"the memory %s does not name this conversation in conversation_ref", quote(idOf(memory)))
	}
}

// meetEmbeddings holds embedding_ref of the memories against the embeddings file (PAM §12).
func (j *joins) meetEmbeddings() error {
	var there bool
	var owner string
	for r, err := range j.tables[embeddingTable].rows() {
		if err != nil {
			return err
		}
		if r.first {
			there = false
		}
		if r.byte() == defined {
			if from := origin(r.byte()); !there && (from == target || j.incremental) {
				r.int()
				there, owner = true, r.text()
			}
			continue
		}
		index, memory := r.int(), r.text()
		at := placeOf(j.file, "memories", index, "/embedding_ref")
		switch {
		case !j.companions: // the file stands elsewhere
		case j.embedded == "" && !j.incremental:
			if j.wrong(embeddingFileMissing, true) {
				j.find(embeddingFileMissing, at, "the memory names an embedding, but the bundle has no embeddings.json; leave embedding_ref out then")
			}
		case !there:
			j.missing(xrefEmbedding, j.blindEmbeddings, at, "the embedding %s is not in the embeddings file", quote(idOf(r.key)))
		default:
			j.made[xrefEmbedding]++
			j.made[embeddingFileMissing]++
			if j.wrong(embeddingMismatch, owner != memory) {
				j.find(embeddingMismatch, at, "the embedding %s belongs to another memory, %s", quote(idOf(r.key)), quote(owner))
			}
		}
	}
	return nil
}
