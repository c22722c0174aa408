package segment

import "strings"

// edge is how much of the beginning and of the end of a message is read, in bytes. Nobody types
// more into a chat: what lies between is pasted. The state of a line takes a hundred times the
// memory of an empty one, so a message of nothing but short lines must not be held line by line.
const edge = 256 << 10

// middleRange is the part of a text between its edges, which are whole lines if there are any;
// empty for all but huge messages.
func middleRange(text string) (from, to int) {
	if len(text) <= 2*edge {
		return 0, 0
	}
	if from = strings.LastIndexByte(text[:edge], '\n') + 1; from == 0 {
		from = runeStart(text, edge)
	}
	end := runeStart(text, len(text)-edge)
	if to = strings.IndexByte(text[end:], '\n') + 1; to > 0 {
		return from, end + to
	}
	return from, end
}

// runeStart is the start of the character at a place.
func runeStart(text string, at int) int {
	for at > 0 && text[at]&0xc0 == 0x80 {
		at--
	}
	return at
}
