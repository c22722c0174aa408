package statetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
)

// Process is one actor of an exploration. Its function must depend on nothing but what it reads
// from the store and what it chooses, and must call the store from its own goroutine.
type Process struct {
	name    string
	store   *Store
	yield   func(request) bool
	choice  int
	history uint64
}

// Actor is the program of a process.
type Actor func(p *Process)

// request is what a process does next: a call, or a choice among as many as options tells when the
// step is taken; 0 blocks the process.
type request struct {
	label   string
	options func(*Store) int
}

func singleOption(*Store) int { return 1 }

type stopped struct{}

// Store gives the store. Other processes may run before each call of it.
func (p *Process) Store() blob.Store {
	return &view{store: p.store, before: func(c Call) error {
		p.wait(request{c.String(), singleOption})
		return nil
	}, note: func(c Call, seen string) { p.Note(c.Op, c.Key, seen) }}
}

// Choose gives a number below n: the exploration goes on with each of them.
func (p *Process) Choose(label string, n int) int {
	if n == 1 {
		return 0
	}
	return p.Await(label, func(*Store) int { return n })
}

// Await waits until options gives more than 0, and chooses one of so many.
func (p *Process) Await(label string, options func(*Store) int) int {
	p.wait(request{label, options})
	p.Note(label, fmt.Sprint(p.choice))
	return p.choice
}

// Look gives the store for a step that no other process interrupts: up to the next call of Store,
// Choose or Await. The process must note what it learns.
func (p *Process) Look() *Store { return p.store }

// Note makes what a process has learned by Look a part of its history.
func (p *Process) Note(seen ...string) { p.history = p.history*1099511628211 ^ sumOf(seen...) }

// Forget tells that what the process does from now on depends on nothing that it has learned.
func (p *Process) Forget() { p.history = 0 }

func (p *Process) wait(r request) {
	if !p.yield(r) {
		panic(stopped{})
	}
}

// Exploration runs processes over one store in every order of their calls and with every choice. A
// process that is killed is one that is not run any more: the checks see each of its states.
type Exploration struct {
	Start  *Store
	Actors map[string]Actor
	// Switches bounds how often a run leaves a process that could go on; negative: no bound.
	Switches int
	// Check sees each change of the store that is possible, once.
	Check func(before, after *Store) error
}

// Stats count what an exploration has done: orders up to their end or to a state that was known,
// steps, those of them that had to be executed, and the states and stores that it met.
type Stats struct {
	Runs, Steps, Executed, States, Stores int
}

// choice is one step: of a process, with one of its choices.
type choice struct {
	actor, branch int
}

// state is a store with the situations of all processes.
type state struct {
	store *Store
	at    []*situation
	last  int // the process that ran last; -1: none
	left  int // switches
}

// choices gives the possible steps, those of the process that ran last first.
func (s *state) choices() []choice {
	var out []choice
	add := func(actor int) {
		for b := range s.at[actor].branches(s.store) {
			out = append(out, choice{actor, b})
		}
	}
	running := s.isRunning()
	if running {
		add(s.last)
	}
	for i := range s.at {
		if i != s.last && !(running && s.left == 0) {
			add(i)
		}
	}
	return out
}

// isRunning tells whether the process that ran last can go on.
func (s *state) isRunning() bool { return s.last >= 0 && s.at[s.last].branches(s.store) > 0 }

// key identifies a state. The switches that are left are no part of it.
func (s *state) key(bounded bool) [3]uint64 {
	k := [3]uint64{s.store.Sum(), 0, 0}
	for _, at := range s.at {
		k[1] = (k[1] ^ at.id) * 1099511628211
	}
	if bounded {
		k[2] = uint64(s.last + 1)
	}
	return k
}

// explorer searches, and remembers which states and changes it has seen. trace has the steps up to
// the state where it stands, for the report of an error.
type explorer struct {
	Exploration
	names     []string
	processes situations
	seen      map[[3]uint64]int // switches that were left
	pairs     map[[2]uint64]bool
	stores    map[uint64]bool
	trace     []string
	stats     Stats
}

func (e Exploration) explorer() *explorer {
	return &explorer{Exploration: e, names: slices.Sorted(maps.Keys(e.Actors)), seen: map[[3]uint64]int{}, pairs: map[[2]uint64]bool{},
		stores: map[uint64]bool{}, processes: newSituations(e.Start)}
}

// begin gives the state before all steps.
func (x *explorer) begin() *state {
	s := &state{store: x.processes.snapshot(x.Start), last: -1, left: x.Switches}
	for _, name := range x.names {
		s.at = append(s.at, x.processes.begin(name, x.Actors[name]))
	}
	return s
}

// Explore runs all orders, depth first. Its error has the steps that lead to it.
func (e Exploration) Explore() (Stats, error) {
	x := e.explorer()
	defer x.processes.end()
	err := x.explore(x.begin())
	x.stats.States, x.stats.Stores, x.stats.Executed = len(x.seen), len(x.stores), x.processes.executed
	return x.stats, err
}

// explore takes every step from a state on, until nothing runs or the state is known.
func (x *explorer) explore(s *state) error {
	k := s.key(x.Switches >= 0)
	if left, ok := x.seen[k]; ok && left >= s.left {
		x.stats.Runs++
		return nil
	}
	x.seen[k] = s.left
	choices := s.choices()
	if len(choices) == 0 {
		x.stats.Runs++
	}
	for _, c := range choices {
		next, err := x.take(s, c)
		if err == nil {
			err = x.explore(next)
		}
		if err != nil {
			return err
		}
		x.trace = x.trace[:len(x.trace)-1]
	}
	return nil
}

// take does a step, and checks the change of the store that it makes.
func (x *explorer) take(s *state, c choice) (*state, error) {
	from := s.at[c.actor]
	to := x.processes.step(from, s.store, c.branch)
	next := &state{store: to.store, at: slices.Clone(s.at), last: c.actor, left: s.left}
	next.at[c.actor] = to.situation
	if c.actor != s.last && s.isRunning() {
		next.left--
	}
	x.stats.Steps++
	x.trace = append(x.trace, fmt.Sprintf("\n%s: %s #%d", x.names[c.actor], from.want.label, c.branch))
	return next, x.check(s.store, next.store)
}

func (x *explorer) check(before, after *Store) error {
	pair := [2]uint64{before.Sum(), after.Sum()}
	if pair[0] == pair[1] || x.pairs[pair] {
		return nil
	}
	x.pairs[pair], x.stores[pair[1]] = true, true
	if err := x.Check(before.Clone(), after.Clone()); err != nil {
		return fmt.Errorf("%w%s", err, strings.Join(x.trace, ""))
	}
	return nil
}

// Walk runs one order that is drawn at random, and kills processes on the way with a probability of
// 1 in killOneIn (0: never): killed processes begin anew. It checks each change of the store.
func (e Exploration) Walk(rng *rand.Rand, steps, killOneIn int) error {
	x := e.explorer()
	defer x.processes.end()
	s, start := x.begin(), x.begin().at
	for range steps {
		choices := s.choices()
		if len(choices) == 0 {
			return nil
		}
		var err error
		if s, err = x.take(s, choices[rng.IntN(len(choices))]); err != nil {
			return err
		}
		if killOneIn > 0 && rng.IntN(killOneIn) == 0 {
			i := rng.IntN(len(x.names))
			s.at[i] = start[i]
			x.trace = append(x.trace, fmt.Sprintf("\n%s: is killed, begins anew", x.names[i]))
		}
	}
	return nil
}
