package copilot

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The rules in this file are frozen: a document and a message that were named once keep their
// names, however much better a later version of the importer reads them. Rows have no ids, so names
// are made of what an export never changes when it grows: new rows come before the old ones, and
// older exports cut answers after comparedText characters.

// conversationKey names a run by its title and its oldest row. A talk that was given another title
// has another name.
func conversationKey(title string, oldest row) string {
	return title + "\x00" + rowKey(oldest)
}

// promptKey names a row that is a conversation of its own.
func promptKey(r row) string { return "\x00prompt\x00" + rowKey(r) }

// rowKey tells rows apart: time as it is written, speaker, and the beginning of the text.
func rowKey(r row) string {
	return strings.TrimSpace(r.time) + "\x00" + speaker(r.author) + "\x00" + comparable(r.text)
}

// comparedText is how many characters of a text count.
const comparedText = 100

func comparable(text string) string {
	n := 0
	for i := range text {
		if n == comparedText {
			return text[:i]
		}
		n++
	}
	return text
}

// speaker is the name of an author in a key: exports of different years call the same one
// differently.
func speaker(author string) string {
	switch a := strings.ToLower(strings.TrimSpace(author)); a {
	case "human", "user", "you":
		return "user"
	case "ai", "copilot", "assistant", "bot":
		return "assistant"
	default:
		return "?" + a
	}
}

// messageIDs names the rows of a conversation, oldest first. Equal ones are counted.
type messageIDs struct {
	conversation string
	seen         map[string]int
}

func (m *messageIDs) next(r row) string {
	key := rowKey(r)
	n := m.seen[key]
	m.seen[key]++
	sum := sha256.Sum256([]byte(m.conversation + "\x00" + key + "\x00" + strconv.Itoa(n)))
	return hex.EncodeToString(sum[:16])
}

// truncatedText is the length of an answer that an older export has cut, with the three points that
// say so.
const truncatedText = comparedText + 3

// truncated tells whether an answer was cut.
func truncated(text string) bool {
	return strings.HasSuffix(text, "...") && utf8.RuneCountInString(text) == truncatedText
}
