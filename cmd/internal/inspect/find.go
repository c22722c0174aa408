package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pamio"
)

// ErrNothing is returned when nothing in a bundle has an id.
var ErrNothing = errors.New("no conversation, message or memory has that id")

// Target is what an id names: a memory, or a conversation, or a message of it.
type Target struct {
	Memory       *pamio.Memory
	Entry        *pamio.IndexEntry
	Conversation *pamio.Conversation
	// Message is the place of the message in the conversation; -1 for the conversation itself.
	Message int
}

// Find looks for the conversation, memory or message whose id is, or uniquely starts with, the
// given text. CONVERSATION/MESSAGE names a message in one conversation; else all conversations are
// read for a message.
func Find(ctx context.Context, b *pamio.Bundle, id string) (t *Target, err error) {
	defer func() {
		if err != nil {
			t, err = nil, fmt.Errorf("find %q: %w", id, err)
		}
	}()
	id = strings.TrimSpace(id)
	if len(id) < shortest {
		return nil, fmt.Errorf("%w: give at least %d characters", ErrNothing, shortest)
	}
	s, err := findNames(ctx, b, id)
	if err != nil {
		return nil, err
	}
	if t, err = s.only(b); !errors.Is(err, ErrNothing) {
		return t, err
	}
	conversation, message, named := strings.Cut(id, "/")
	if !named || len(conversation) < shortest || message == "" {
		return findMessage(ctx, b, id)
	}
	if s, err = findNames(ctx, b, conversation); err != nil {
		return nil, err
	}
	s.memories = nil
	if t, err = s.only(b); err != nil {
		return nil, err
	}
	t.Message, err = messageOf(t.Conversation, message)
	return t, err
}

// named are the elements of a store whose ids start with a text.
type named struct {
	exact    bool
	memories []*pamio.Memory
	entries  []*pamio.IndexEntry
}

// maxNamed is how many elements are kept to say that an id is ambiguous.
const maxNamed = 5

func findNames(ctx context.Context, b *pamio.Bundle, id string) (named, error) {
	var n named
	id = strings.ToLower(id)
	accepts := func(name string) bool {
		name = strings.ToLower(name)
		if name == id && !n.exact {
			n = named{exact: true}
		}
		return name == id || !n.exact && strings.HasPrefix(name, id) && len(n.memories)+len(n.entries) < maxNamed
	}
	err := readStore(b, pamio.Visitor{
		Memory: func(e pamio.Element) error {
			if m, err := pamio.ParseMemory(e.Raw); err == nil && accepts(m.ID) {
				n.memories = append(n.memories, m)
			}
			return ctx.Err()
		},
		IndexEntry: func(e pamio.Element) error {
			if x, err := pamio.ParseIndexEntry(e.Raw); err == nil && accepts(x.ID) {
				n.entries = append(n.entries, x)
			}
			return ctx.Err()
		},
	})
	return n, err
}

// only gives the one element.
func (n *named) only(b *pamio.Bundle) (*Target, error) {
	switch {
	case len(n.memories)+len(n.entries) == 0:
		return nil, ErrNothing
	case len(n.memories)+len(n.entries) > 1:
		var ids []string
		for _, m := range n.memories {
			ids = append(ids, "memory "+line(m.ID, width))
		}
		for _, e := range n.entries {
			ids = append(ids, "conversation "+line(e.ID, width))
		}
		return nil, fmt.Errorf("several ids start like that, such as %s: give more of the id", strings.Join(ids, ", "))
	case len(n.memories) == 1:
		return &Target{Memory: n.memories[0], Message: -1}, nil
	}
	c, missing := open(b, n.entries[0])
	if c == nil {
		return nil, errors.New(missing)
	}
	return &Target{Entry: n.entries[0], Conversation: c, Message: -1}, nil
}

// findMessage reads all conversations for a message.
func findMessage(ctx context.Context, b *pamio.Bundle, id string) (*Target, error) {
	var found []*Target
	exact := false
	text := pamio.AppendString(nil, id)
	text = text[:len(text)-1] // the id may go on
	for file, err := range b.Conversations(MaxConversation) {
		if err != nil && file.Entry == nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !bytes.Contains(file.Raw, text) {
			continue
		}
		c, err := pamio.ParseConversation(file.Raw)
		if err != nil {
			continue // pamline validate says what is wrong with the file
		}
		i, err := messageOf(c, id)
		if errors.Is(err, ErrNothing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if isExact := c.Messages[i].ID == id; isExact != exact {
			if !isExact {
				continue
			}
			exact, found = true, nil
		}
		if found = append(found, &Target{Entry: file.Entry, Conversation: c, Message: i}); len(found) > 1 && exact {
			break
		}
		if len(found) > 1 {
			found[1].Conversation = nil
			found = found[:2]
		}
	}
	switch len(found) {
	case 0:
		return nil, ErrNothing
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("several conversations have such a message: give CONVERSATION/MESSAGE, for example %.8s/%s", line(found[0].Entry.ID, width), line(id, width))
}

// messageOf gives the place of the message whose id is, or uniquely starts with, a text.
func messageOf(c *pamio.Conversation, id string) (int, error) {
	found := -1
	for i := range c.Messages {
		switch name := c.Messages[i].ID; {
		case name == id:
			return i, nil
		case !strings.HasPrefix(name, id):
		case found >= 0:
			found = -2
		case found == -1:
			found = i
		}
	}
	switch found {
	case -1:
		return 0, ErrNothing
	case -2:
		return 0, fmt.Errorf("several messages of conversation %.8s start like that: give more of the id", line(c.ID, width))
	}
	return found, nil
}
