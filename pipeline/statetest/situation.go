package statetest

import (
	"iter"
	"maps"
)

// situation is where a process stands between two steps, and all that it knows there: what it does
// next follows from this, from the store and from its choice, so each such step is executed once.
type situation struct {
	id    uint64
	want  request
	live  bool
	count map[uint64]int // branches by the sum of the store
	steps map[step]outcome
	// How a process comes here: it begins, or takes a step.
	name  string
	actor Actor
	from  *situation
	store *Store
	by    step
	// running stands here, and can go on.
	running *running
}

// step is a choice over a store of this sum.
type step struct {
	sum    uint64
	branch int
}

type outcome struct {
	situation *situation
	store     *Store
}

// branches counts the choices that a process has for its next step. A process that waits has none.
func (s *situation) branches(store *Store) int {
	if !s.live {
		return 0
	}
	n, ok := s.count[store.Sum()]
	if !ok {
		n = s.want.options(store)
		s.count[store.Sum()] = n
	}
	return n
}

// running is a process with its coroutine, over a store of its own.
type running struct {
	*Process
	next func() (request, bool)
	stop func()
}

// maxRunning is how many processes stand ready to go on. Another one is brought to its place by the
// steps that lead there.
const maxRunning = 256

// situations are those that the processes of an exploration come into.
type situations struct {
	start     *Store
	known     map[uint64]*situation
	snapshots map[uint64]*Store
	ready     []*situation // that had a running process, the oldest first
	executed  int
}

func newSituations(start *Store) situations {
	return situations{start: start, known: map[uint64]*situation{}, snapshots: map[uint64]*Store{}}
}

// snapshot gives the store that stands for all with these objects. Nobody writes to it.
func (x *situations) snapshot(s *Store) *Store {
	sum := s.Sum()
	if x.snapshots[sum] == nil {
		x.snapshots[sum] = s.Clone()
	}
	return x.snapshots[sum]
}

// begin gives the situation of an actor before its first step.
func (x *situations) begin(name string, actor Actor) *situation {
	r, want, live := x.run(name, actor)
	s := x.find(r, want, live)
	s.name, s.actor = name, actor
	x.keep(s, r)
	return s
}

// run starts a process, which runs up to its first request.
func (x *situations) run(name string, actor Actor) (r *running, want request, live bool) {
	p := &Process{name: name, store: x.start.Clone()}
	next, stop := iter.Pull(func(yield func(request) bool) {
		defer func() {
			if x := recover(); x != nil {
				if _, ok := x.(stopped); !ok {
					panic(x)
				}
			}
		}()
		p.yield = yield
		actor(p)
	})
	want, live = next()
	return &running{p, next, stop}, want, live
}

// find gives the situation that a process is in.
func (x *situations) find(r *running, want request, live bool) *situation {
	id := sumOf(r.name, want.label)*1099511628211 ^ r.history
	if !live {
		id++
	}
	s := x.known[id]
	if s == nil {
		s = &situation{id: id, want: want, live: live, count: map[uint64]int{}, steps: map[step]outcome{}}
		x.known[id] = s
	}
	return s
}

// step gives what a step over a store leads to, and executes it if nobody has yet.
func (x *situations) step(s *situation, store *Store, branch int) outcome {
	by := step{store.Sum(), branch}
	to, ok := s.steps[by]
	if ok {
		return to
	}
	r := x.bring(s)
	want, live := x.advance(r, store, branch)
	to = outcome{x.find(r, want, live), x.snapshot(r.store)}
	if to.situation.actor == nil && to.situation.from == nil {
		to.situation.from, to.situation.store, to.situation.by = s, store, by
	}
	x.keep(to.situation, r)
	s.steps[by] = to
	return to
}

// advance lets a process take its next step over the objects of a store.
func (x *situations) advance(r *running, store *Store, branch int) (request, bool) {
	r.store.become(store)
	r.choice = branch
	x.executed++
	return r.next()
}

// bring gives a process that stands in a situation.
func (x *situations) bring(s *situation) *running {
	r := s.running
	switch {
	case r != nil:
		s.running = nil
	case s.actor != nil:
		r, _, _ = x.run(s.name, s.actor)
	default:
		r = x.bring(s.from)
		x.advance(r, s.store, s.by.branch)
	}
	return r
}

// keep has a process stand ready where it is.
func (x *situations) keep(s *situation, r *running) {
	if s.running != nil || !s.live {
		r.stop()
		return
	}
	s.running = r
	x.ready = append(x.ready, s)
	if len(x.ready) > maxRunning {
		x.ready[0].leave()
		x.ready = x.ready[1:]
	}
}

// leave ends the process that stands in a situation.
func (s *situation) leave() {
	if s.running != nil {
		s.running.stop()
		s.running = nil
	}
}

// end ends all processes.
func (x *situations) end() {
	for _, s := range x.ready {
		s.leave()
	}
}

// become gives the store the objects of another.
func (s *Store) become(other *Store) {
	other.mu.Lock()
	objects, sum, now := maps.Clone(other.objects), other.sum, other.now
	other.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects, s.sum, s.now = objects, sum, now
}
