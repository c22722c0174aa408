package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// States of a batch.
const (
	batchSubmitting = "submitting" // it is about to be handed over, or was, and the answer got lost
	batchSubmitted  = "submitted"  // the service has it, under ID
	batchClosed     = "closed"     // all that came of it is recorded
)

// batchPrefix is how keys of batches begin.
const batchPrefix = "batch-"

// batchRecord is what is kept about a batch, from before it is handed over.
type batchRecord struct {
	State string `json:"state"`
	ID    string `json:"id,omitempty"`
	// Tag is in the batch at the service, so that it is found again when its name got lost.
	Tag string `json:"tag"`
	// Begun is when it was about to be handed over, RFC 3339.
	Begun string `json:"begun"`
	// Keys are those of the answers, in the order of the requests.
	Keys []string `json:"keys"`
	// Counted: what it took has been added to what was spent.
	Counted bool `json:"counted,omitempty"`

	key string
}

// newBatchRecord names a batch by what is asked and by the batches that left it unanswered, so that
// the same work has the same name after a crash, and new work never has that of old.
func (x *Extractor) newBatchRecord(items []item) *batchRecord {
	b := &batchRecord{State: batchSubmitting, Begun: x.o.Now().UTC().Format(time.RFC3339)}
	parts := []string{"batch", x.version}
	var before []string
	for _, it := range items {
		b.Keys = append(b.Keys, it.key)
		if it.before != "" && !slices.Contains(before, it.before) {
			before = append(before, it.before)
		}
	}
	slices.Sort(before)
	k := key(append(append(parts, before...), b.Keys...)...)
	b.key, b.Tag = batchPrefix+k, "pamline-"+k[:16]
	return b
}

// requestID names a request inside of the batch: the tag and its place.
func (b *batchRecord) requestID(i int) string { return b.Tag + "-" + strconv.Itoa(i) }

// place is the inverse of requestID. ok is false for a request that is not of this batch.
func (b *batchRecord) place(id string) (i int, ok bool) {
	text, ok := strings.CutPrefix(id, b.Tag+"-")
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(text)
	return i, err == nil && i >= 0 && i < len(b.Keys) && strconv.Itoa(i) == text
}

// since is from when on the service may have it: clocks differ.
func (b *batchRecord) since() time.Time {
	t, err := time.Parse(time.RFC3339, b.Begun)
	if err != nil {
		return time.Time{}
	}
	return t.Add(-time.Hour)
}

func (a *asker) putBatch(ctx context.Context, b *batchRecord) error {
	value, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("write batch record: %w", err)
	}
	if err := a.answers.Put(ctx, b.key, value); err != nil {
		return fmt.Errorf("record batch: %w", err)
	}
	return nil
}

// openBatch reads the record of a batch; nil when there is none, or when it is closed.
func (a *asker) openBatch(ctx context.Context, k string) (*batchRecord, error) {
	value, ok, err := a.answers.Get(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("read batch record: %w", err)
	}
	b := &batchRecord{key: k}
	if !ok || json.Unmarshal(value, b) != nil || b.Tag == "" || b.State == batchClosed {
		return nil, nil
	}
	return b, nil
}
