package pamio

import (
	"fmt"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Place is where an element stands in a document: its first byte, and the byte after its last one.
type Place struct{ Start, End int }

// ParsePlaced reads a conversation document as [ParseConversation] does, and tells the places of
// its messages. [ParseMessage] reads a message from its place without the rest of the document.
func ParsePlaced(data []byte) (*Conversation, []Place, error) {
	var places []Place
	c, err := parseConversation(data, func(root jsonscan.Node) {
		for n := range root.Get("messages").Items() {
			places = append(places, Place{n.Offset(), n.Offset() + len(n.Raw())})
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return c, places, nil
}

// ParseMessage reads one message of a conversation document. The result does not refer to data.
func ParseMessage(data []byte) (*Message, error) {
	m := &Message{}
	if err := fillStrict(data, func(f *filler, root jsonscan.Node) { f.message(m, root) }); err != nil {
		return nil, fmt.Errorf("parse message: %w", err)
	}
	return m, nil
}
