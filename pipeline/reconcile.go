package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
)

// Reconcile queues every request whose record is still in storage: its import has not ended. A lost message, or a lost
// queue, costs no more than this pass. It returns how many it queued.
func Reconcile(ctx context.Context, s blob.Store, js jetstream.JetStream) (int, error) {
	n := 0
	var bad error // records that nobody can work on; the others are queued all the same
	for o, err := range s.List(ctx, "work/") {
		if err != nil {
			return n, fmt.Errorf("list open requests: %w", err)
		}
		owner, rest, _ := strings.Cut(strings.TrimPrefix(o.Key, "work/"), "/")
		if !strings.HasPrefix(rest, "requests/") || CheckOwner(owner) != nil {
			continue
		}
		var r Request
		if _, err := readJSON(ctx, s, o.Key, &r); isMissing(err) {
			continue // it ended meanwhile
		} else if err != nil {
			return n, err
		}
		if r.Owner != owner || r.check() != nil || requestKey(r.Owner, r.Drop) != o.Key {
			bad = errors.Join(bad, permanent("remove it", "read request %s: it names another owner or drop", o.Key))
			continue
		}
		if err := enqueue(ctx, js, r); err != nil {
			return n, err
		}
		n++
	}
	return n, bad
}

func enqueue(ctx context.Context, js jetstream.JetStream, r Request) error {
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	for _, subject := range []string{r.dropSubject(), r.subject()} {
		if err := send(ctx, js, subject, body); err != nil {
			return err
		}
	}
	return nil
}
