package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// The rules in this file are frozen: what was named once keeps its name.
//
//   - A conversation that the source names has that id.
//   - One that it does not name is known by the second and the words of its one prompt. HTML knows
//     no fractions of a second and other white space, so that neither counts.
//   - Of several such prompts that are alike, all but the oldest have their number, counted from
//     the oldest.
//   - A message is known by the second and the words of its prompt, too; that of the answer has
//     "#1" behind it.

// promptKey is the second and the words of a prompt. Times that are not known are second 0.
func promptKey(second int64, prompt string) string {
	return strconv.FormatInt(second, 10) + "\x00" + strings.Join(strings.Fields(prompt), " ")
}

// conversationKey is what a conversation without an id is derived from.
func conversationKey(prompt string, occurrence int) string {
	if occurrence > 1 {
		return prompt + "\x00" + strconv.Itoa(occurrence)
	}
	return prompt
}

// messageID names a prompt in its conversation.
func messageID(prompt string, occurrence int) string {
	sum := sha256.Sum256([]byte(prompt))
	id := hex.EncodeToString(sum[:8])
	if occurrence > 1 {
		id += "." + strconv.Itoa(occurrence)
	}
	return id
}

// answerID names the answer to a prompt.
func answerID(prompt string) string { return prompt + "#1" }
