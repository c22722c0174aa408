package assemble

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

// appendEvidence appends an object of metadata.evidence, canonical: conversation and message with
// the span of the quote in them, or the member and the pointer of a record.
func appendEvidence(dst []byte, e *normalize.Evidence) []byte {
	start := len(dst)
	text := func(key, value string) {
		if value == "" {
			return
		}
		dst = append(append(append(dst, ",\""...), key...), "\":"...)
		dst = pamio.AppendString(dst, value)
	}
	number := func(key string, value int) {
		dst = append(append(append(dst, ",\""...), key...), "\":"...)
		dst = strconv.AppendInt(dst, int64(value), 10)
	}
	span := e.End > e.Start
	text("conversation", e.Conversation)
	if span {
		number("end", e.End)
	}
	text("member", e.Member)
	text("message", e.Message)
	text("observed_at", e.ObservedAt)
	text("pointer", e.Pointer)
	text("quote", e.Quote)
	if span {
		number("start", e.Start)
	}
	if len(dst) == start {
		return append(dst, "{}"...)
	}
	dst[start] = '{'
	return append(dst, '}')
}

// splitMemoryKey reads the front of a key: the memory's id and the kind of the record.
func splitMemoryKey(key []byte) (id string, kind byte, err error) {
	front, rest, ok := bytes.Cut(key, []byte{0, 1})
	if !ok || len(rest) == 0 {
		return "", 0, fmt.Errorf("sort evidence: %w", errRecord)
	}
	return string(front), rest[0], nil
}
