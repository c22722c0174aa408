package job

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// isHintOver tells whether the hint of a generation may go. A hint ahead of its record must stay:
// its Ask may be about to write the record.
func (r Record) isHintOver(gen int) bool { return r.Gen > gen || r.Gen == gen && r.State == Ended }

// isLeftover tells whether an object of a generation, below one of the roots of work, may go.
func (r Record) isLeftover(root string, gen int) bool {
	if root == state.OpenRoot {
		return r.isHintOver(gen)
	}
	return r.Gen > gen
}

// roots have the objects that a sweep looks at. Nothing under owners/ is ever swept.
var roots = []string{state.OpenRoot, state.FailedRoot, state.BegunRoot}

// Sweep removes the hints, failed objects and crash marks of generations that are over, of all
// owners. It gives how many. A record that cannot be read keeps its objects: the sweep goes on, and
// the error tells of all of them.
func (j *Jobs) Sweep(ctx context.Context) (removed int, err error) {
	var unreadable []error
	for _, root := range roots {
		records := recordCache{jobs: j}
		for o, err := range j.store.List(ctx, root) {
			if err != nil {
				return removed, err
			}
			owner, drop, gen, _, ok := state.ParseGeneration(root, o.Key)
			if !ok {
				continue
			}
			fresh := records.ref != Ref{owner, drop}
			r, err := records.read(ctx, Ref{owner, drop})
			switch {
			case err != nil && fault.Of(err) != fault.Permanent:
				return removed, err
			case err != nil:
				if fresh {
					unreadable = append(unreadable, err)
				}
				continue
			case !r.isLeftover(root, gen):
				continue
			}
			if err := j.store.Delete(ctx, o.Key); err != nil {
				return removed, fmt.Errorf("sweep: %w", err)
			}
			removed++
		}
	}
	return removed, errors.Join(unreadable...)
}

// sweepPrefixes removes what a record has left behind below some prefixes.
func (s *storage) sweepPrefixes(ctx context.Context, r Record, prefixes ...string) error {
	for _, prefix := range prefixes {
		for o, err := range s.store.List(ctx, prefix) {
			if err != nil {
				return err
			}
			root := rootOf(prefix)
			if _, _, gen, _, ok := state.ParseGeneration(root, o.Key); !ok || !r.isLeftover(root, gen) {
				continue
			}
			if err := s.store.Delete(ctx, o.Key); err != nil {
				return fmt.Errorf("remove leftovers: %w", err)
			}
		}
	}
	return nil
}

func rootOf(key string) string {
	for _, root := range roots {
		if strings.HasPrefix(key, root) {
			return root
		}
	}
	return ""
}

// recordCache keeps the record read last: listings name the objects of a job one after another.
type recordCache struct {
	jobs *Jobs
	ref  Ref
	r    Record
	err  error
}

func (c *recordCache) read(ctx context.Context, ref Ref) (Record, error) {
	if ref != c.ref {
		c.ref = ref
		c.r, c.err = c.jobs.Read(ctx, ref)
	}
	return c.r, c.err
}
