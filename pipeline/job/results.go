package job

import (
	"context"
	"strings"
	"sync"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// survey is what storage has of a generation with an import.
type survey struct {
	shards   []state.Shard
	failed   map[string]bool // units with a failed object in this generation
	complete map[string]bool // shards
	partial  map[string]int  // shard → newest generation of a partial result
	// broken tells why the manifest cannot be read; then only failed is known.
	broken error
}

// lookAt lists the results of a generation once. The failed objects come first: a partial result is
// written before the failed object of its shard, so no partial result of a failed shard is missed.
// Most drops are small: if the only shard is complete, nothing needs to be listed.
func (s *storage) lookAt(ctx context.Context, ref Ref, gen int, id string) (survey, error) {
	v := survey{failed: map[string]bool{}, complete: map[string]bool{}, partial: map[string]int{}}
	if id != "" {
		var err error
		if v.shards, err = s.readShards(ctx, ref.Owner, id); fault.Of(err) == fault.Permanent {
			v.broken = err
		} else if err != nil {
			return v, err
		}
		if only := onlyShard(v.shards); only != "" {
			if known, err := s.lookAtOnly(ctx, ref, gen, id, only, v); err != nil || known {
				return v, err
			}
		}
	}
	prefix := state.FailedPrefix(ref.Owner, ref.Drop, gen)
	for o, err := range s.store.List(ctx, prefix) {
		if err != nil {
			return v, err
		}
		v.failed[strings.TrimSuffix(o.Key[len(prefix):], ".json")] = true
	}
	if id == "" || v.broken != nil {
		return v, nil
	}
	prefix = state.ResultPrefix(ref.Owner, id)
	for o, err := range s.store.List(ctx, prefix) {
		if err != nil {
			return v, err
		}
		switch shard, gen, ok := state.ParseResult(o.Key[len(prefix):]); {
		case !ok:
		case gen == 0:
			v.complete[shard] = true
		default:
			v.partial[shard] = max(v.partial[shard], gen)
		}
	}
	return v, nil
}

// lookAtOnly fills the survey of an import with one shard. known is false if the shard is not
// complete.
func (s *storage) lookAtOnly(ctx context.Context, ref Ref, gen int, id, shard string, v survey) (known bool, err error) {
	complete, err := objects.Exists(ctx, s.store, state.CompleteKey(ref.Owner, id, shard))
	if err != nil || !complete {
		return false, err
	}
	v.complete[shard] = true
	v.failed[string(Assemble)], err = objects.Exists(ctx, s.store, state.FailedKey(ref.Owner, ref.Drop, gen, string(Assemble)))
	return true, err
}

// onlyShard gives the only shard that is not empty; "" if there are more, or none.
func onlyShard(shards []state.Shard) (id string) {
	for _, s := range shards {
		switch {
		case s.IsEmpty():
		case id != "":
			return ""
		default:
			id = s.ID
		}
	}
	return id
}

// isWhole tells whether a shard is or needs no more than its complete result.
func (v survey) isWhole(s state.Shard) bool { return s.IsEmpty() || v.complete[s.ID] }

func (v survey) isSettled(s state.Shard) bool { return v.isWhole(s) || v.failed[s.ID] }

func (v survey) allSettled() bool {
	for _, s := range v.shards {
		if !v.isSettled(s) {
			return false
		}
	}
	return true
}

// short gives the shards without a complete result, each with the newest partial result of any
// generation, or 0.
func (v survey) short() map[string]int {
	short := map[string]int{}
	for _, s := range v.shards {
		if !v.isWhole(s) {
			short[s.ID] = v.partial[s.ID]
		}
	}
	return short
}

// Progress counts the shards of an open or ended job.
type Progress struct {
	Record
	Shards, Complete, Failed int
}

// Progress looks at a job with at most one listing of its results.
func (j *Jobs) Progress(ctx context.Context, ref Ref) (Progress, error) {
	r, err := j.Read(ctx, ref)
	p := Progress{Record: r}
	if err != nil || r.Import == "" {
		return p, err
	}
	v, err := j.lookAt(ctx, ref, r.Gen, r.Import)
	if err == nil {
		err = v.broken
	}
	p.Shards = len(v.shards)
	for _, s := range v.shards {
		switch {
		case v.isWhole(s):
			p.Complete++
		case v.failed[s.ID]:
			p.Failed++
		}
	}
	return p, err
}

// shardCache holds the shards of the imports used last. Manifests are immutable.
type shardCache struct {
	mu     sync.Mutex
	shards map[string][]state.Shard
	order  []string // manifest keys, the oldest first
}

// maxCached is how many manifests the cache holds.
const maxCached = 64

func (s *storage) readShards(ctx context.Context, owner, id string) ([]state.Shard, error) {
	key, c := state.ManifestKey(owner, id), &s.shards
	c.mu.Lock()
	shards, ok := c.shards[key]
	c.mu.Unlock()
	if ok {
		return shards, nil
	}
	shards, err := state.ReadShards(ctx, s.store, owner, id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.shards[key]; !ok {
		if c.shards == nil {
			c.shards = map[string][]state.Shard{}
		}
		if len(c.order) == maxCached {
			delete(c.shards, c.order[0])
			c.order = c.order[1:]
		}
		c.shards[key], c.order = shards, append(c.order, key)
	}
	return shards, nil
}
