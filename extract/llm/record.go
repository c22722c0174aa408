package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/pamline/pamline/extract"
)

// States of a recorded answer.
const (
	stateOK      = "ok"      // the model answered; Text is what it said
	stateFailed  = "failed"  // it will not answer this, for the reason in Reason
	stateSplit   = "split"   // it was too much at once: the two halves are asked on their own
	statePending = "pending" // it was handed to the batch API: Batch is the key of the batch's record
)

// Reasons of failed and split answers, and what Read counts in Report.Failed.
const (
	FailMissing   = "not-asked"           // there is no answer yet
	FailPending   = "pending"             // a batch has not ended
	FailRefused   = "refused"             // the model or its service will not talk about it
	FailUnread    = "unreadable-answer"   // no JSON came, whatever was tried
	FailTruncated = "truncated-answer"    // the answer was cut off, and the question cannot be divided any more
	FailThoughts  = "thoughts-too-long"   // the model thought until the answer had no room
	FailContext   = "context-too-long"    // the question is too long for the model, and cannot be divided any more
	FailRejected  = "request-rejected"    // the service does not take this request, and takes others
	FailDamaged   = "recorded-unreadable" // what was recorded is not one of our records
)

// recorded is an answer as it is kept. The raw text of the model is kept and read again each time,
// so that a better reader finds more in it without asking.
type recorded struct {
	State        string        `json:"state"`
	Reason       string        `json:"reason,omitempty"`
	Text         string        `json:"text,omitempty"`
	Batch        string        `json:"batch,omitempty"`
	Model        string        `json:"model,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	Usage        extract.Usage `json:"usage"`
}

func (r recorded) marshal() ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write answer record: %w", err)
	}
	return text, nil
}

func parseRecorded(value []byte) (recorded, bool) {
	var r recorded
	if json.Unmarshal(value, &r) != nil {
		return recorded{}, false
	}
	switch r.State {
	case stateOK, stateFailed, stateSplit, statePending:
		return r, true
	}
	return recorded{}, false
}

// key names a value by what it is about: lower-case hex of the SHA-256 of the parts, each with its
// end marked.
func key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// chunkKey names the answer about a chunk. It does not depend on how the model was made to answer.
func (x *Extractor) chunkKey(text string) string { return key("answer", x.version, text) }
