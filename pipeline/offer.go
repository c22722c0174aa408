package pipeline

import (
	"context"
	"strings"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// offering queues the shards of one import, on behalf of one message. What it knows is looked up once: a message that is
// delivered again queues no shard that is queued, in hand or done.
type offering struct {
	w   *Worker
	ask string
	// known are the shards that need no message; nil before the first look.
	known map[string]bool
	final bool
}

// look finds out which shards are queued and then which are done. In this order none is missed: a marker is written before
// its message is acknowledged.
func (o *offering) look(ctx context.Context, m state.Manifest) error {
	if o.known != nil {
		return nil
	}
	r, ok, err := state.ReadReceipt(ctx, o.w.Store, m.Owner, m.Import)
	if err != nil {
		return err
	}
	queued, err := queuedSubjects(ctx, o.w.js, StreamExtract, "pam.extract.*."+m.Owner+"."+m.Import+".>")
	if err != nil {
		return err
	}
	known, err := markedShards(ctx, o.w.Store, m.Owner, m.Import)
	if err != nil {
		return err
	}
	for _, subject := range queued {
		known[subject[strings.LastIndexByte(subject, '.')+1:]] = true
	}
	o.known, o.final = known, ok && r.Ended()
	return nil
}

// begin says that there is nothing to look for: no shard of the import was ever queued.
func (o *offering) begin() { o.known = map[string]bool{} }

// offer queues a shard unless it needs no message or lies too far ahead of those that are done.
func (o *offering) offer(ctx context.Context, m state.Manifest, s state.Shard) error {
	if err := o.look(ctx, m); err != nil || o.final || o.known[s.ID] {
		return err
	}
	o.known[s.ID] = true
	if s.Empty() {
		return state.PutJSON(ctx, o.w.Store, state.MarkerKey(m.Owner, m.Import, s.ID), state.Marker{V: 1, Shard: s.ID, State: state.MarkerOK})
	}
	if s.Pack >= o.w.window {
		ahead, err := marked(ctx, o.w.Store, m.Owner, m.Import, m.Shards[s.Pack-o.w.window].ID)
		if err != nil || !ahead {
			return err // the shard's forerunner will queue it
		}
	}
	return o.w.queueShard(ctx, state.ExtractTask{
		V: state.MessageVersion, Owner: m.Owner, Drop: m.Drop, Import: m.Import, Pack: s.Pack, Shard: s.ID, Extractors: m.Extractors, Importers: m.Importers,
		Ask: o.ask, Lane: m.Lane,
	})
}

// queueShard queues one in the lane that is fair.
func (w *Worker) queueShard(ctx context.Context, t state.ExtractTask) (err error) {
	if t.Lane, err = FairLane(ctx, w.js, telemetry.StageExtract, t.Owner, t.Lane, w.Limits.OwnerSmall); err != nil {
		return err
	}
	return w.publish(ctx, t)
}
