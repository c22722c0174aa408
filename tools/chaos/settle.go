package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// patience is how long imports may take to end after the last fault.
const patience = 5 * time.Minute

// settle waits until every job has ended, its hint is gone, and no queue holds a message that a
// worker is still to be given.
func (r *run) settle(ctx context.Context) error {
	end := time.Now().Add(patience)
	for {
		open, err := r.unsettled(ctx)
		if err == nil && len(open) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("imports do not end within %s of the last fault: %w", patience, errors.Join(err, errors.New(firstNames(open))))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		pauseFor(ctx, 200*time.Millisecond)
	}
}

// firstNames names the first of what there is.
func firstNames(of []string) string {
	const most = 20
	if more := len(of) - most; more > 0 {
		of = append(slices.Clone(of[:most]), fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(of, "\n    ")
}

// unsettled says what is not at its end yet; the most telling things first.
func (r *run) unsettled(ctx context.Context) (open []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	jobs := job.New(r.quiet, job.Options{})
	for _, d := range r.material.Drops {
		record, err := jobs.Read(ctx, job.Ref{Owner: d.Owner, Drop: d.Digest})
		if err != nil {
			return nil, err
		}
		if record.State != job.Ended {
			open = append(open, fmt.Sprintf("%q, drop %s/%s: generation %d is %s", d.Name, d.Owner, d.Digest, record.Gen, cmp.Or(string(record.State), "not asked for")))
		}
	}
	work, err := listKeys(ctx, r.quiet, state.OpenRoot)
	if err != nil {
		return nil, err
	}
	for _, key := range work {
		owner, drop, gen, _, _ := state.ParseGeneration(state.OpenRoot, key)
		record, err := jobs.Read(ctx, job.Ref{Owner: owner, Drop: drop})
		if err != nil {
			return nil, err
		}
		if gen <= record.Gen { // a hint ahead of its record stays: an Ask may be about to write the record
			open = append(open, key)
		}
	}
	waiting, err := r.queued(ctx)
	return append(open, waiting...), err
}

// queued names the work queues that hold messages.
func (r *run) queued(ctx context.Context) (out []string, err error) {
	for _, name := range []string{dispatch.StreamEvents, dispatch.StreamTake, dispatch.StreamIngest, dispatch.StreamExtract, dispatch.StreamAssemble} {
		s, err := r.js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look at stream %s: %w", name, err)
		}
		if s.CachedInfo().State.Msgs == 0 {
			continue
		}
		n, err := countWaiting(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("look at stream %s: %w", name, err)
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d messages in %s", n, name))
		}
	}
	return out, nil
}

// countWaiting counts the messages that consumers of a stream have not done with. A server that is
// killed may keep one in the stream that was acknowledged: the consumer's state was on disk, the
// removal of the message was not, and nobody is ever given it again.
func countWaiting(ctx context.Context, s jetstream.Stream) (n uint64, err error) {
	consumers := s.ListConsumers(ctx)
	some := false
	for info := range consumers.Info() {
		some = true
		n += info.NumPending + uint64(info.NumAckPending) //nolint:gosec // it counts
	}
	if err := consumers.Err(); err != nil {
		return 0, err
	}
	if !some { // they are about to be made
		n = s.CachedInfo().State.Msgs
	}
	return n, nil
}

func listKeys(ctx context.Context, s blob.Store, prefix string) (out []string, err error) {
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		out = append(out, o.Key)
	}
	return out, nil
}
