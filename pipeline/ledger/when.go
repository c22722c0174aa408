package ledger

import "cmp"

// HasTombstone tells whether a deletion of another store names a memory. It holds for ever: ids of
// other stores are not made again.
func (l *Ledger) HasTombstone(id string) bool { return l.Has(Tombstone, id) }

// MemoryErased gives when a memory that an earlier export had was erased, by its id or by what a
// record said; "" if it was not. said is when it was stated, "" if nobody knows.
func (l *Ledger) MemoryErased(id, text, said string) string {
	at := cmp.Or(l.newest(Memory, id), l.newest(Tombstone, id))
	if at == "" && text != "" {
		at = l.newest(Record, text)
	}
	return cmp.Or(at, l.allErased(said))
}

// ConversationErased gives when a conversation was erased, "" if it was not.
func (l *Ledger) ConversationErased(id, said string) string {
	return cmp.Or(l.newest(Conversation, id), l.allErased(said))
}

// FileErased gives when a file of a bundle was erased, "" if it was not.
func (l *Ledger) FileErased(name string) string { return l.newest(Asset, name) }

func (l *Ledger) newest(kind, name string) string {
	if len(l.keys) == 0 || name == "" {
		return ""
	}
	return l.keys[l.Key(kind, name)]
}

// allErased is when everything was erased, if that is later than what is asked about.
func (l *Ledger) allErased(said string) string {
	if l.all == "" || isAfter(said, l.all) {
		return ""
	}
	return l.all
}
