package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
)

// openWork is what of one owner has not ended, by the keys alone.
type openWork struct {
	owner    string
	requests []openRequest
}

// openWorks lists what has not ended, owner by owner.
func openWorks(ctx context.Context, s blob.Store, yield func(openWork) error) error {
	var w openWork
	flush := func() error {
		if len(w.requests) == 0 {
			return nil
		}
		return yield(w)
	}
	for o, err := range s.List(ctx, "work/") {
		if err != nil {
			return fmt.Errorf("list open requests: %w", err)
		}
		owner, _, _ := strings.Cut(strings.TrimPrefix(o.Key, "work/"), "/")
		if CheckOwner(owner) != nil {
			continue
		}
		if owner != w.owner {
			if err := flush(); err != nil {
				return err
			}
			w = openWork{owner: owner}
		}
		if r, ok := openRequestAt(o); ok {
			w.requests = append(w.requests, r)
		}
	}
	return flush()
}

// Reconcile makes the messages again that every open import needs and the queues do not have. A lost message, or a lost
// queue, costs no more than this pass; what somebody is at work on, or what waits, is left alone. It returns how many
// requests are open.
func Reconcile(ctx context.Context, d Deps, js jetstream.JetStream) (int, error) {
	n, _, err := reconcile(ctx, d, js)
	return n, err
}

// reconcile tells since when the oldest request is open, too; the zero time when there is none.
func reconcile(ctx context.Context, d Deps, js jetstream.JetStream) (n int, oldest time.Time, _ error) {
	d.Store = outages{d.Store}
	w := &Worker{Deps: d, js: js, window: shardWindow}
	var bad error // records that nobody can work on; the others are queued all the same
	err := openWorks(ctx, d.Store, func(open openWork) (err error) {
		if open.requests, err = newestOnes(ctx, d.Store, open.requests); err == nil {
			n += len(open.requests)
			for _, r := range open.requests {
				if oldest.IsZero() || r.since.Before(oldest) {
					oldest = r.since
				}
			}
			err = w.reconcileOwner(ctx, open)
		}
		if ClassOf(err) == Permanent {
			bad = errors.Join(bad, err)
			return nil
		}
		return err
	})
	return n, oldest, errors.Join(err, bad)
}

// newestOnes leaves of the requests of an owner, in the order of their keys, the newest for each drop, and removes the others.
func newestOnes(ctx context.Context, s blob.Store, open []openRequest) (out []openRequest, err error) {
	for len(open) > 0 {
		n := 1
		for n < len(open) && open[n].drop == open[0].drop {
			n++
		}
		newest, err := supersede(ctx, s, open[:n])
		if err != nil {
			return nil, err
		}
		out, open = append(out, newest), open[n:]
	}
	return out, nil
}

// enqueue logs a drop and queues the request for it, in the lane that is fair.
func enqueue(ctx context.Context, js jetstream.JetStream, r Request, ownerSmall int) (err error) {
	if r.Lane, err = FairLane(ctx, js, StageIngest, r.Owner, r.Lane, ownerSmall); err != nil {
		return err
	}
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
