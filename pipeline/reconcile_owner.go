package pipeline

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// reconcileOwner makes the lost messages of one owner again. Messages are looked for in the order in which work makes them
// (a message ends when the next ones are stored), and storage after them, so that work that goes on meanwhile is not taken for
// lost: at worst a message is made twice, and the second finds its work done.
func (w *Worker) reconcileOwner(ctx context.Context, open openWork) error {
	ingesting, err := w.units(ctx, StreamIngest, StageIngest, open.owner+".*")
	if err != nil {
		return err
	}
	var waiting []openRequest
	for _, r := range open.requests {
		if !ingesting[r.drop] {
			waiting = append(waiting, r)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	begun, err := importsOf(ctx, w.Store, open.owner)
	if err != nil {
		return err
	}
	var whole []AssembleTask
	for _, o := range waiting {
		t, complete, err := w.reconcileRequest(ctx, o, begun[o.drop])
		if err != nil {
			return err
		}
		if complete {
			whole = append(whole, t)
		}
	}
	return w.reconcileAssembly(ctx, open.owner, whole)
}

// units are the ends of the subjects of a stage that a queue holds for an owner.
func (w *Worker) units(ctx context.Context, stream, stage, filter string) (map[string]bool, error) {
	subjects, err := queuedSubjects(ctx, w.js, stream, "pam."+stage+".*."+filter)
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(subjects))
	for _, s := range subjects {
		out[s[strings.LastIndexByte(s, '.')+1:]] = true
	}
	return out, nil
}

// reconcileRequest queues what a request needs that has no message for being read. complete: all its shards have a marker, and
// it waits to be assembled.
func (w *Worker) reconcileRequest(ctx context.Context, open openRequest, id string) (t AssembleTask, complete bool, err error) {
	r, ok, err := stillOpen(ctx, w.Store, open)
	if err != nil || !ok {
		return t, false, err
	}
	var m Manifest
	read := false
	if id != "" {
		if m, read, err = readManifest(ctx, w.Store, r.Owner, id); err != nil {
			return t, false, err
		}
	}
	if !read {
		return t, false, enqueue(ctx, w.js, r, w.Limits.OwnerSmall)
	}
	t = AssembleTask{V: MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Ask: r.ask()}
	receipt, final, err := ReadReceipt(ctx, w.Store, m.Owner, m.Import)
	if err != nil || final && receipt.State == StateFailed {
		return t, false, err // it was given up: a dead letter waits for somebody to look at it
	}
	if final {
		return t, true, nil // only the end of its work is missing
	}
	complete, err = w.reconcileShards(ctx, m, r.ask())
	return t, complete, err
}

// reconcileShards queues the shards that have neither a marker nor a message, though their turn has come. complete: all have
// a marker.
func (w *Worker) reconcileShards(ctx context.Context, m Manifest, ask string) (complete bool, err error) {
	o := &offering{w: w, ask: ask}
	if err := o.look(ctx, m); err != nil {
		return false, err
	}
	for _, s := range m.Shards {
		if s.Pack >= w.window && !o.known[m.Shards[s.Pack-w.window].ID] {
			continue // not even the one before it, which will queue it, has been queued
		}
		if err := o.offer(ctx, m, s); err != nil {
			return false, err
		}
	}
	return Complete(ctx, w.Store, m)
}

// reconcileAssembly queues the imports that wait to be assembled, if the owner has fewer messages for it than imports. The
// subject does not say which of them a message is for, so all are queued; those too many find their work done.
func (w *Worker) reconcileAssembly(ctx context.Context, owner string, whole []AssembleTask) error {
	if len(whole) == 0 {
		return nil
	}
	s, err := w.js.Stream(ctx, StreamAssemble)
	if err != nil {
		return asOutage(fmt.Errorf("look into stream %s: %w", StreamAssemble, err))
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter("pam."+StageAssemble+".*."+owner))
	if err != nil {
		return asOutage(fmt.Errorf("look into stream %s: %w", StreamAssemble, err))
	}
	queued := uint64(0)
	for _, n := range info.State.Subjects {
		queued += n
	}
	if queued >= uint64(len(whole)) {
		return nil
	}
	for _, t := range whole {
		if err := publishTask(ctx, w.js, t); err != nil {
			return err
		}
	}
	return nil
}
