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
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
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
		if state.CheckOwner(owner) != nil {
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
// requests are open. An error of class Permanent names the objects that cannot be used; everything else is done then.
func Reconcile(ctx context.Context, d Deps, js jetstream.JetStream) (int, error) {
	n, _, bad, err := reconcile(ctx, d, js)
	if err == nil {
		err = errors.Join(bad...)
	}
	return n, err
}

// reconcile tells since when the oldest request is open, too; the zero time when there is none. bad are objects that cannot be
// used: what they are about waits, and nothing else.
func reconcile(ctx context.Context, d Deps, js jetstream.JetStream) (n int, oldest time.Time, bad []error, err error) {
	d.Store = state.ClassedStore{Store: d.Store}
	w := &Worker{Deps: d, js: js, window: shardWindow}
	err = openWorks(ctx, d.Store, func(open openWork) error {
		newest, unusable, err := newestOnes(ctx, d.Store, open.requests)
		bad = append(bad, unusable...)
		if err != nil {
			return err
		}
		n += len(newest)
		for _, r := range newest {
			if oldest.IsZero() || r.since.Before(oldest) {
				oldest = r.since
			}
		}
		unusable, err = w.reconcileOwner(ctx, openWork{open.owner, newest})
		bad = append(bad, unusable...)
		if fault.Of(err) == fault.Permanent {
			bad = append(bad, err)
			return nil
		}
		return err
	})
	return n, oldest, bad, err
}

// newestOnes leaves of the requests of an owner, in the order of their keys, the newest for each drop, and removes the others. What
// cannot be used keeps those of its drop, and no other, from being worked on.
func newestOnes(ctx context.Context, s blob.Store, open []openRequest) (out []openRequest, bad []error, err error) {
	for len(open) > 0 {
		n := 1
		for n < len(open) && open[n].drop == open[0].drop {
			n++
		}
		newest, err := supersede(ctx, s, open[:n])
		switch {
		case fault.Of(err) == fault.Permanent:
			bad = append(bad, err)
		case err != nil:
			return nil, bad, err
		default:
			out = append(out, newest)
		}
		open = open[n:]
	}
	return out, bad, nil
}

// enqueue logs a drop and queues the request for it, in the lane that is fair.
func enqueue(ctx context.Context, js jetstream.JetStream, r state.Request, ownerSmall int) (err error) {
	if r.Lane, err = FairLane(ctx, js, telemetry.StageIngest, r.Owner, r.Lane, ownerSmall); err != nil {
		return err
	}
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	for _, subject := range []string{r.DropSubject(), r.Subject()} {
		if err := send(ctx, js, subject, body); err != nil {
			return err
		}
	}
	return nil
}
