package erase_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/erase"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
)

// prunedStore has a prune of somebody else begin when an erasure comes to its own, and end when the
// erasure has looked at the mark.
type prunedStore struct {
	blob.Store
	mark string
	met  int
}

func (s *prunedStore) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	if prefix == state.OpenRoot+owner+"/" && s.met == 0 {
		s.put(ctx, "of a service")
	}
	return s.Store.List(ctx, prefix)
}

func (s *prunedStore) Head(ctx context.Context, key string) (blob.Object, error) {
	o, err := s.Store.Head(ctx, key)
	if key == s.mark && o.Size > 0 {
		s.met++
		s.put(ctx, "")
	}
	return o, err
}

func (s *prunedStore) put(ctx context.Context, holder string) {
	if _, err := s.Store.Put(ctx, s.mark, strings.NewReader(holder), blob.PutOptions{}); err != nil {
		panic(err)
	}
}

// A service prunes what an erasure has just replaced: the erasure waits for that, and does not ask
// the person to repeat it.
func TestAnErasureWaitsForAPrune(t *testing.T) {
	t.Parallel()
	base := seeded(t)
	for _, l := range levels() {
		r := base.Damaged(base.Data.Clone())
		target, before, o := l.target(t, r), r.Data.Clone(), optionsOn(r)
		s := &prunedStore{Store: o.Store, mark: job.PrunePrefix(owner) + "mark"}
		if o.Store = s; l.name == "owner" {
			s.put(t.Context(), "of a service")
		}
		if _, err := erase.Run(t.Context(), o, owner, target); err != nil || s.met == 0 {
			t.Errorf("%s: %v, met %d prunes", l.name, err, s.met)
		}
		checkForgotten(t, before, r.Data, l)
	}
}
