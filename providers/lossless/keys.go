package lossless

import (
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// The keys in raw_metadata.
const (
	keySource    = "source"            // what is left of the source object
	keyRestore   = "restore"           // what the rules alone would not put back
	keyTimeFrom  = "created_at_source" // where created_at comes from when not from its own field
	keySynthetic = "synthetic_id"      // true: the source has no id; it is the digest of the element

	keyExcept = "except" // places where nothing is put although a rule leads there
	keyOrder  = "order"  // which values of a sequence its places have, by slot, when not one after the other
	keyOthers = "others" // elements of lists that are no messages: by path, then by index
	keyTwins  = "twins"  // lists that repeat messages: by path, ids or [verbatim]
	keyEscrow = "escrow" // what a document cannot hold, see package normalize, Escrow
	keyOf     = "of"     // the primary message of the object that this one was made of, too, when the id does not say so
	keyKey    = "key"    // the key in the map, when it is not the id
	keyAt     = "at"     // the index in the list, when the document has another order
	keyIn     = "in"     // the path of the container, when it is not the first
	keyJoined = "joined" // "all": Joined has the texts of thoughts, too
)

// Where a created_at comes from.
const (
	fromTurn         = "turn" // another message of the same source object
	fromAncestor     = "ancestor"
	fromDescendant   = "descendant"
	fromConversation = "conversation"
	fromMessages     = "messages"
	fromUpdate       = "update_time"
	fromNone         = "none"
)

// anyDepth is the nesting up to which our own texts are read again: what they are made of was read
// within the limits.
const anyDepth = 1 << 20

// partOf is the id of the primary message that a message's own id names, "" when it names none:
// "x#1" is a part of "x". A message that only looks like one names itself under keyOf.
func partOf(id string) string {
	return id[:max(strings.LastIndexByte(id, '#'), 0)]
}

func sameNumber(a, b []byte) bool   { return normalize.SameNumber(a, b) }
func equal(a, b jsonscan.Node) bool { return normalize.Equal(a, b) }
func (s *Schema) firstContainer() string {
	for _, r := range s.Conversation {
		if r.Slot == MessageList || r.Slot == MessageMap {
			return r.Path
		}
	}
	return ""
}

// isList tells whether the element is the list of messages itself.
func (s *Schema) isList() bool {
	for _, r := range s.Conversation {
		if r.Slot == MessageList && r.Path == "" {
			return true
		}
	}
	return false
}
