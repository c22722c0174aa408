package search

import (
	"crypto/sha256"
	"strings"
	"time"

	"github.com/pamline/pamline/pamio"
)

// Markers are words of a row that no text has: the first character is one for private use.
const (
	markTitle = "\ue000t "
	markAsset = "\ue000f "
	markRole  = "\ue000r"
)

// rows is what the index keeps of a conversation: the words of its title and of each message.
type rows struct {
	rows             []string
	earliest, latest int64
	roles            []byte
	texts, places    []byte
	// pairs are the filters of the messages.
	pairs []byte
	size  int64
}

// maxConversation is the largest conversation file that is read, in bytes.
const maxConversation = 1 << 30

// partReader reads conversations for the index. It is used by one goroutine.
type partReader struct {
	bundle *pamio.Bundle
	buffer []byte
	words  wordSet
}

// read reads a conversation. If that fails, there is its title.
func (p *partReader) read(entry *pamio.IndexEntry, ref, title string) (r rows, err error) {
	at := unixTime(entry.Temporal.CreatedAt)
	r.earliest, r.latest = at, at
	p.words.reset()
	if title != "" {
		p.words.addMark(markTitle)
		p.words.add(title)
	}
	r.roles = []byte{}
	r.rows, r.size, r.texts, r.places, r.pairs = []string{p.words.String()}, int64(len(title)), []byte{}, []byte{}, []byte{}
	if ref == "" {
		return r, nil
	}
	p.words.pairs.hashes = p.words.pairs.hashes[:0] // a title has no filter
	c, list, err := p.open(ref)
	if err != nil {
		return r, err
	}
	for i := range c.Messages {
		p.add(&r, &c.Messages[i], at)
	}
	places := placesOf(c, list)
	r.places = places.pack()
	return r, nil
}

func (p *partReader) open(ref string) (c *pamio.Conversation, places []pamio.Place, err error) {
	if cap(p.buffer) > 4<<20 {
		p.buffer = nil // that of a rare long conversation is not kept
	}
	if p.buffer, err = p.bundle.ReadFile(p.buffer, ref, maxConversation); err != nil {
		return nil, nil, err
	}
	return pamio.ParsePlaced(p.buffer)
}

// add adds a message. A message without a time counts as of the time of its conversation.
func (p *partReader) add(r *rows, m *pamio.Message, conversation int64) {
	at := conversation
	if t := unixTime(m.CreatedAt); t != 0 {
		at = t
	}
	r.earliest, r.latest = min(r.earliest, at), max(r.latest, at)
	r.roles = append(r.roles, roleCode(m.Role))
	text, assets := messageText(m), assetNames(m)
	if text == "" && assets == "" {
		r.rows, r.pairs = append(r.rows, ""), p.words.pairs.appendTo(r.pairs)
		return
	}
	r.size += int64(len(text) + len(assets))
	sum := sha256.Sum256([]byte(text + "\x00" + assets))
	r.texts = append(r.texts, sum[:8]...)
	p.words.reset()
	if roleCode(m.Role) == 0 {
		p.words.addMark(markRole + m.Role + " ")
	}
	p.words.add(text)
	if assets != "" {
		p.words.addMark(markAsset)
		p.words.add(assets)
	}
	r.rows, r.pairs = append(r.rows, p.words.String()), p.words.pairs.appendTo(r.pairs)
}

// roleCode is a byte for the roles that most messages have; 0 for others, which rows have a marker
// for. A list of half of all rows would take longer to compare than the role of each row found.
func roleCode(role string) byte {
	switch role {
	case "user":
		return 1
	case "assistant":
		return 2
	}
	return 0
}

// messageText is what a message says, and what it asked tools for and got from them.
func messageText(m *pamio.Message) string {
	text := m.PlainText()
	if len(m.ToolCalls) == 0 {
		return text
	}
	parts := make([]string, 0, 1+3*len(m.ToolCalls))
	if text != "" {
		parts = append(parts, text)
	}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		parts = append(parts, call.Name, inputText(call.Input))
		if call.Output != nil {
			parts = append(parts, *call.Output)
		}
	}
	return strings.Join(parts, "\n")
}

// assetNames are the names of the files of a message, one a line.
func assetNames(m *pamio.Message) string {
	var names []string
	for i := range m.Attachments {
		if n := m.Attachments[i].Name; n != "" {
			names = append(names, n)
		}
	}
	return strings.Join(names, "\n")
}

// unixTime is a time of a document in seconds; 0 when it is not known.
func unixTime(at string) int64 {
	if at == "" {
		return 0
	}
	t, err := pamio.ParseTime(at)
	if err != nil || t.Equal(time.Unix(0, 0)) {
		return 0
	}
	return t.Unix()
}

// knownTime is a time of a document; "" when it is not known.
func knownTime(at string) string {
	if unixTime(at) == 0 {
		return ""
	}
	return at
}
