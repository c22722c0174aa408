package check

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// survey is what reading all objects of an owner, each by itself, has found.
type survey struct {
	o     Options
	owner string

	mu sync.Mutex
	// there has the objects, as the first bytes of the digests of their keys: 16 bytes for each.
	there map[[16]byte]struct{}
	// sums are the digests of the objects that are not named by their content.
	sums   map[string]string
	damage map[string]*Damage
	// keys of the small kinds, in order, by the name of the kind.
	keys    map[string][]string
	objects int64
	bytes   int64
}

// listedKinds are those whose keys a survey keeps.
var listedKinds = map[string]bool{"logged head": true, "receipt": true, "drop record": true, "moment of an export": true, "manifest": true, "result": true}

func newSurvey(o Options, owner string) *survey {
	return &survey{o: o, owner: owner, there: map[[16]byte]struct{}{}, sums: map[string]string{}, damage: map[string]*Damage{}, keys: map[string][]string{}}
}

// run reads each object of the owner.
func (s *survey) run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, s.o.Parallel))
	err := s.list(gctx, func(o blob.Object, k *kind) {
		g.Go(func() error { return s.readObject(gctx, o, k) })
	})
	if first := g.Wait(); first != nil {
		return first
	}
	return err
}

// list gives the objects of the owner.
func (s *survey) list(ctx context.Context, yield func(blob.Object, *kind)) error {
	for _, root := range []string{"owners/", state.InboxRoot, state.TakenRoot, state.FailedRoot} {
		for o, err := range s.o.Store.List(ctx, root+s.owner+"/") {
			if err != nil {
				return fmt.Errorf("list objects of %s: %w", s.owner, err)
			}
			k := kindOf(s.owner, o.Key)
			s.mu.Lock()
			s.there[nameOf(o.Key)] = struct{}{}
			if listedKinds[k.name] {
				s.keys[k.name] = append(s.keys[k.name], o.Key)
			}
			s.mu.Unlock()
			if k.verify != nil {
				yield(o, k)
			}
		}
	}
	return nil
}

func (s *survey) readObject(ctx context.Context, o blob.Object, k *kind) error {
	if s.o.Pause != nil {
		if err := s.o.Pause(ctx); err != nil {
			return err
		}
	}
	sum, err := k.verify(ctx, s.o.Store, o.Key)
	if err != nil && (ctx.Err() != nil || !isDamage(err)) {
		return fmt.Errorf("check %s: %w", o.Key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects++
	s.bytes += o.Size
	if s.o.Seen != nil {
		s.o.Seen(o.Size)
	}
	switch {
	case objects.IsMissing(err): // removed since it was listed
		delete(s.there, nameOf(o.Key))
	case err != nil:
		s.damage[o.Key] = &Damage{Object: o.Key, Problem: problemOf(o, err), kind: k}
	case objects.DigestInName(o.Key) == "":
		s.sums[o.Key] = sum
	}
	return nil
}

func problemOf(o blob.Object, err error) string {
	if o.Size == 0 {
		return "it is empty"
	}
	text := strings.TrimPrefix(withoutHint(err), "read "+o.Key+": ")
	return text
}

func nameOf(key string) [16]byte {
	sum := sha256.Sum256([]byte(key))
	return [16]byte(sum[:])
}

func (s *survey) has(key string) bool {
	_, ok := s.there[nameOf(key)]
	return ok
}

// need notes what depends on an object: it must be there, undamaged, and have the digest if one is
// known. It tells whether that is so.
func (s *survey) need(key, digest string, of subject) bool {
	d, known := s.damage[key]
	if !known {
		k := kindOf(s.owner, key)
		switch sum := s.sums[key]; {
		case !s.has(key):
			d = &Damage{Object: key, Problem: "it is missing", kind: k}
		case digest != "" && sum != "" && !strings.HasPrefix(sum, digest):
			d = &Damage{Object: key, Problem: "it is not the object that " + of.namedBy + " names", kind: k}
		default:
			return true
		}
		s.damage[key] = d
	}
	if d.Consequence == "" {
		d.Consequence, d.digest, d.of = of.consequence, digest, of
		d.Conversations = of.conversations
	}
	return false
}

// subject is what depends on an object.
type subject struct {
	namedBy     string // in words
	consequence string
	// conversations that depend on it.
	conversations []string
	head          state.Head
	manifest      state.Manifest
	shard         state.Shard
}
