package lossless

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// group is the messages that one source object became.
type group struct {
	messages []*pamio.Message
	main     *pamio.Message
	raw      jsonscan.Node // raw_metadata of main
	timed    bool          // created_at is the object's own
	joinAll  bool          // Joined has the texts of thoughts, too
	children []*group      // groups whose first message hangs on one of these
}

func (g *group) first() *pamio.Message { return g.messages[0] }

// joined gives the texts of the messages one behind the other: not those of tools, and those of
// thoughts only with joinAll.
func (g *group) joined() (text string, has bool) {
	var said []*pamio.Message
	for _, m := range g.messages {
		if m.Role != normalize.RoleTool && (g.joinAll || !m.IsThought) {
			said = append(said, m)
		}
	}
	texts := sequenceValues(said, Text)
	return strings.Join(texts, ""), len(texts) > 0
}

// world is all groups of a document.
type world struct {
	groups []*group
	of     map[string]*group // by message id
	linked bool
}

func newWorld(groups []*group) *world {
	w := &world{groups: groups, of: map[string]*group{}}
	for _, g := range groups {
		for _, m := range g.messages {
			w.of[m.ID] = g
			w.linked = w.linked || m.ParentID != "" || len(m.ChildrenIDs) > 0
		}
	}
	for _, g := range groups {
		for _, m := range g.messages {
			for _, id := range m.ChildrenIDs {
				if c := w.of[id]; c != nil && c != g {
					g.children = append(g.children, c)
				}
			}
		}
	}
	return w
}

// sideOf gives the values of a group.
func (w *world) sideOf(g *group) side { return groupSide{w, g} }

type groupSide struct {
	w *world
	g *group
}

func (s groupSide) one(slot Slot) (value string, has, json bool) {
	w, g := s.w, s.g
	switch slot {
	case ID:
		return sourceID(g.main), true, false
	case Role:
		return g.main.Role, true, false
	case Created:
		return g.main.CreatedAt, g.timed, false
	case Model:
		return g.main.Model, g.main.Model != "", false
	case Tokens:
		if g.main.TokenCount != nil {
			return strconv.FormatInt(*g.main.TokenCount, 10), true, false
		}
	case Joined:
		text, has := g.joined()
		return text, has, false
	case Parent:
		if p := w.of[g.first().ParentID]; p != nil {
			return sourceID(p.main), true, false
		}
	case Children:
		list := []byte{'['}
		for i, c := range g.children {
			if i > 0 {
				list = append(list, ',')
			}
			list = pamio.AppendString(list, sourceID(c.main))
		}
		return string(append(list, ']')), w.linked, true
	}
	return "", false, false
}

func (s groupSide) many(slot Slot) []string { return sequenceValues(s.g.messages, slot) }

// conversationSide gives the values of the conversation.
type conversationSide struct {
	doc *pamio.Conversation
	raw jsonscan.Node
}

func (s conversationSide) one(slot Slot) (value string, has, json bool) {
	value, has = conversationValue(s.doc, s.raw, slot)
	return value, has, false
}

func (conversationSide) many(Slot) []string { return nil }
