package work

import (
	"context"

	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// shardSender sends the shards of a drop while it is being read. It keeps back the newest shard, so
// that the only shard of a small drop is sent when the job has its import: its handler then sends
// what follows, and nobody needs to list anything.
type shardSender struct {
	*units
	opened job.Opened

	kept *job.Task
	sent int
	// extracted tells that a shard needed no extraction any more.
	extracted bool
}

// publish is the callback of the stage: the packs of a shard are stored.
func (s *shardSender) publish(ctx context.Context) ingest.Publish {
	return func(m state.Manifest, shard state.Shard, extracted bool) error {
		if shard.IsEmpty() {
			return nil
		}
		if s.kept != nil || s.extracted {
			if err := s.sendKept(ctx, m); err != nil {
				return err
			}
		}
		if extracted {
			s.extracted = true
			s.observe(s.opened.Task, telemetry.Event{Stage: telemetry.StageExtract, Import: m.Import, Units: int64(shard.Pack) + 1})
			return nil
		}
		t := s.opened.Task
		t.Kind, t.Import, t.Shard, t.Pack, t.Resent = job.Extract, m.Import, shard.ID, shard.Pack, false
		s.kept = &t
		return nil
	}
}

// sendKept sends the shard that was kept back, if there is one and it lies in the window. It also
// stops the reading of a drop for which somebody has asked again meanwhile.
func (s *shardSender) sendKept(ctx context.Context, m state.Manifest) error {
	r, err := s.jobs.Read(ctx, s.opened.Ref)
	if err != nil {
		return err
	}
	if !r.IsOpen(s.opened.Gen) {
		return job.ErrStale
	}
	if s.kept == nil {
		return nil
	}
	t := *s.kept
	s.kept = nil
	s.sent++
	if window := s.jobs.Window(); t.Pack >= window {
		done, err := objects.Exists(ctx, s.Store, state.CompleteKey(t.Owner, t.Import, m.Shards[t.Pack-window].ID))
		if err != nil || !done {
			return err // it is sent when the shards before it are done
		}
	}
	return s.dispatch.SendTasks(ctx, s.origin(), []job.Task{t})
}

// origin is that of a pass if a pass has sent the drop again. A shard may kill the process while
// the drop is still being read; it needs a crash mark then as the reading has one, or the reading
// would collect the marks of its shards.
func (s *shardSender) origin() queue.Origin {
	if s.opened.Task.Resent {
		return queue.FromPass
	}
	return queue.FromHandler
}

// only gives the task of the only shard of a drop that needs an extraction; nil if several do, or
// none.
func (s *shardSender) only() []job.Task {
	if s.kept == nil || s.sent > 0 {
		return nil
	}
	return []job.Task{*s.kept}
}
