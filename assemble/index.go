package assemble

import (
	"fmt"
	"iter"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// readEntries gives the entries by ascending conversation id.
func readEntries(s *extsort.Sorter) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		for r, err := range s.Sorted() {
			u := unpacker{left: r.Value}
			var e entry
			if err == nil {
				e = u.entry()
				err = u.err
			}
			if err != nil {
				yield(entry{}, fmt.Errorf("sort conversations: %w", err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// indexKey sorts the conversation index: archive by archive, in the order of each, so that a store
// made from one archive lists its conversations as the archive does.
func (e *entry) indexKey(dst []byte) []byte {
	for _, field := range [...]string{e.source.ImportedAt, e.source.File, e.source.Checksum} {
		dst = tupleString(dst, field)
	}
	return tupleString(tupleInt(dst, e.position), e.Conversation)
}

// indexEntry is the element of conversations_index (PAM §14).
func (e *entry) indexEntry(derived []string) *pamio.IndexEntry {
	return &pamio.IndexEntry{
		ID: e.Conversation, Platform: e.Platform, Title: e.Title, MessageCount: &e.Messages,
		Temporal: pamio.Span{CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt}, Tags: e.Tags,
		DerivedMemories: derived,
		Storage:         &pamio.Storage{Type: "file", Ref: e.Ref, Format: "json"},
	}
}

// derivation is the memories that name one conversation.
type derivation struct {
	conversation string
	memories     []string
}

// derivations gives them by ascending conversation id, the memories ascending, too (PAM §14.1).
func derivations(s *extsort.Sorter) iter.Seq2[derivation, error] {
	return func(yield func(derivation, error) bool) {
		var d derivation
		for r, err := range s.Sorted() {
			if err != nil {
				yield(derivation{}, fmt.Errorf("sort derived memories: %w", err))
				return
			}
			id := string(r.Key[:len(r.Key)-2]) // the end of a tuple string
			if id != d.conversation {
				if d.conversation != "" && !yield(d, nil) {
					return
				}
				d = derivation{conversation: id}
			}
			d.memories = append(d.memories, string(r.Value))
		}
		if d.conversation != "" {
			yield(d, nil)
		}
	}
}

// writeFoldIndex writes the fold index and sorts the elements of the conversation index into order.
func writeFoldIndex(entries iter.Seq2[entry, error], derived *extsort.Sorter, lines *lineWriter, index *extsort.Sorter) error {
	memories := newMerger(derivations(derived), func(d derivation) string { return d.conversation })
	defer memories.stop()
	var key, line, element []byte
	for e, err := range entries {
		if err != nil {
			return err
		}
		line = e.AppendJSON(line[:0])
		if err := lines.add(line); err != nil {
			return err
		}
		d, _, err := memories.find(e.Conversation)
		if err != nil {
			return err
		}
		if element, err = e.indexEntry(d.memories).AppendCanonical(element[:0]); err != nil {
			return fmt.Errorf("write index entry of conversation %s: %w", e.Conversation, err)
		}
		key = e.indexKey(key[:0])
		if err := index.Add(key, element); err != nil {
			return fmt.Errorf("sort conversation index: %w", err)
		}
	}
	if err := memories.drain(); err != nil {
		return err
	}
	if memories.passed > 0 {
		return fmt.Errorf("join derived memories: %d conversations that memories name are not in the index", memories.passed)
	}
	return nil
}
