package job

import (
	"context"
	"slices"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// Next determines from storage alone which tasks a job needs now: the ingest of a job without an
// import; else the unsettled shards, as far as the window beyond the first of them; else the
// assembly. An ended job needs none. Tasks may be running already: a queue refuses duplicates, and
// a handler that finds its unit settled does no work.
func (j *Jobs) Next(ctx context.Context, ref Ref) ([]Task, error) {
	r, err := j.Read(ctx, ref)
	if err != nil {
		return nil, err
	}
	return j.next(ctx, ref, r)
}

func (s *storage) next(ctx context.Context, ref Ref, r Record) ([]Task, error) {
	t := Task{Ref: ref, Gen: r.Gen, Lane: r.Want.Lane}
	switch {
	case r.State != Open:
		return nil, nil
	case r.assemblesOnly(ref):
		t.Kind = Assemble
		return []Task{t}, nil
	case r.Import == "":
		t.Kind = Ingest
		return []Task{t}, nil
	}
	v, err := s.lookAt(ctx, ref, r.Gen, r.Import)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(v.shards, func(s state.Shard) bool { return !v.isSettled(s) })
	if first < 0 { // also if the manifest cannot be read: the assembly fails, which ends the job
		t.Kind = Assemble
		return []Task{t}, nil
	}
	var tasks []Task
	for _, shard := range v.shards[first:min(first+s.options.Window, len(v.shards))] {
		if !v.isSettled(shard) {
			tasks = append(tasks, t.ofShard(r.Import, shard))
		}
	}
	return tasks, nil
}

// ofShard gives the task of a shard in the same generation.
func (t Task) ofShard(id string, s state.Shard) Task {
	t.Kind, t.Import, t.Shard, t.Pack = Extract, id, s.ID, s.Pack
	return t
}

// NextAfter gives the tasks to send after a unit was settled, and before its message is
// acknowledged. It is Next, except after a shard: then only the shard one window later is sent, and
// nothing is listed until there is no such shard. While the job has no import, a shard sends
// nothing: ingest sends shards as it packs.
func (j *Jobs) NextAfter(ctx context.Context, t Task) ([]Task, error) {
	r, err := j.Read(ctx, t.Ref)
	if err != nil || !r.IsOpen(t.Gen) {
		return nil, err
	}
	if t.Kind != Extract || r.assemblesOnly(t.Ref) {
		return j.next(ctx, t.Ref, r)
	}
	if r.Import != t.Import {
		return nil, nil
	}
	shards, err := j.readShards(ctx, t.Owner, t.Import)
	if err != nil && fault.Of(err) != fault.Permanent {
		return nil, err
	}
	if onlyShard(shards) == t.Shard {
		return []Task{{Kind: Assemble, Ref: t.Ref, Gen: r.Gen, Lane: r.Want.Lane}}, nil
	}
	i := slices.IndexFunc(shards, func(s state.Shard) bool { return s.ID == t.Shard })
	for later := i + j.options.Window; i >= 0 && later < len(shards); later += j.options.Window {
		if !shards[later].IsEmpty() {
			next := Task{Ref: t.Ref, Gen: r.Gen, Lane: r.Want.Lane}
			return []Task{next.ofShard(t.Import, shards[later])}, nil
		}
	}
	return j.next(ctx, t.Ref, r)
}
