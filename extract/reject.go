package extract

import (
	"encoding/json"
	"fmt"
)

// AppendLine appends the reject as one line of JSON, with its line feed.
func (r *Reject) AppendLine(dst []byte) []byte {
	w := writer{dst: append(dst, '{')}
	w.text("reason", r.Reason)
	w.text("extractor", r.Extractor)
	w.some("rule", r.Rule)
	w.some("type", r.Type)
	w.some("conversation", r.Conversation)
	w.some("message", r.Message)
	if r.End > r.Start {
		w.number("start", float64(r.Start))
		w.number("end", float64(r.End))
	}
	w.some("member", r.Member)
	w.some("pointer", r.Pointer)
	return append(w.dst, '}', '\n')
}

// ParseReject reads what AppendLine wrote.
func ParseReject(line []byte) (Reject, error) {
	var r Reject
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("parse reject: %w", err)
	}
	return r, nil
}
