package chatgpt

import "github.com/pamline/pamline/pamio/jsonscan"

// shape is the set of keys that a mapping entry and its message do not have, of those that the
// importer would write by default. The most frequent shape of a conversation is kept once, in
// raw_metadata.absent.message of the conversation; only messages of another shape have an absent
// list of their own.
type shape uint16

const (
	noMessageID shape = 1 << iota
	noNodeID
	noParent
	noChildren
	noAuthor
	noRole
	noContent
)

// Conversation level.
const (
	noConversationID shape = 1 << iota
	noID
	noArchived
	noMapping
)

var (
	messageShape      = []string{"id", "node.id", "parent", "children", "author", "author.role", "content"}
	conversationShape = []string{"conversation_id", "id", "is_archived", "mapping"}
)

// append writes a shape as a list of names.
func (s shape) append(dst []byte, names []string) []byte {
	dst = append(dst, '[')
	first := true
	for i, name := range names {
		if s&(1<<i) == 0 {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), name...), '"')
	}
	return append(dst, ']')
}

// parseShape reads a list of names; unknown ones are passed over.
func parseShape(n jsonscan.Node, names []string) (s shape) {
	for v := range n.Items() {
		for i, name := range names {
			if v.Is(name) {
				s |= 1 << i
			}
		}
	}
	return s
}

// commonest is the shape that most messages have, the empty one or else the first of equals.
func commonest(shapes []shape) shape {
	count := map[shape]int{}
	var best shape
	for _, s := range shapes {
		count[s]++
	}
	for _, s := range shapes {
		if count[s] > count[best] {
			best = s
		}
	}
	return best
}
