package statetest

import (
	"fmt"
	"iter"
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

// Stats count what an exploration has done.
type Stats struct {
	Runs, Steps, States, Stores int
}

// choice is one step: of a process, with one of its choices.
type choice struct {
	actor, branch int
}

// done is a step that was taken, for the report of an error.
type done struct {
	process, label string
	branch         int
}

func (r *run) steps() string {
	var b strings.Builder
	for _, d := range r.trace {
		fmt.Fprintf(&b, "\n%s: %s #%d", d.process, d.label, d.branch)
	}
	return b.String()
}

// run is one execution.
type run struct {
	store *Store
	procs []*Process
	next  []func() (request, bool)
	stop  []func()
	want  []request
	live  []bool
	last  int
	left  int // switches
	trace []done
}

// begin starts processes over a store; each runs up to its first request.
func (e Exploration) begin(s *Store, names []string) *run {
	r := &run{store: s, last: -1, left: e.Switches}
	for _, name := range names {
		p := &Process{name: name, store: r.store}
		actor := e.Actors[name]
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
		r.procs, r.next, r.stop = append(r.procs, p), append(r.next, next), append(r.stop, stop)
		want, live := next()
		r.want, r.live = append(r.want, want), append(r.live, live)
	}
	return r
}

func (r *run) end() {
	for _, stop := range r.stop {
		stop()
	}
}

// choices gives the possible steps, those of the process that ran last first.
func (r *run) choices() []choice {
	var out []choice
	add := func(actor int) {
		for b := range r.want[actor].options(r.store) {
			out = append(out, choice{actor, b})
		}
	}
	running := r.isRunning()
	if running {
		add(r.last)
	}
	for i, live := range r.live {
		if live && i != r.last && !(running && r.left == 0) {
			add(i)
		}
	}
	return out
}

// isRunning tells whether the process that ran last can go on.
func (r *run) isRunning() bool {
	return r.last >= 0 && r.live[r.last] && r.want[r.last].options(r.store) > 0
}

func (r *run) step(c choice) {
	if c.actor != r.last && r.isRunning() {
		r.left--
	}
	p := r.procs[c.actor]
	r.trace = append(r.trace, done{p.name, r.want[c.actor].label, c.branch})
	p.choice = c.branch
	r.last = c.actor
	r.want[c.actor], r.live[c.actor] = r.next[c.actor]()
}

// key identifies the state: storage and all that each process knows. The switches that are left
// are no part of it.
func (r *run) key(bounded bool) [3]uint64 {
	k := [3]uint64{r.store.Sum(), 0, 0}
	for i, p := range r.procs {
		k[1] = k[1]*1099511628211 ^ p.history
		if !r.live[i] {
			k[1]++
		}
	}
	if bounded {
		k[2] = uint64(r.last + 1)
	}
	return k
}

// node is a state on the path of the search, with the steps that are still to be tried.
type node struct{ choices []choice }

// Explore runs all orders, depth first. Its error has the steps that lead to it.
func (e Exploration) Explore() (Stats, error) {
	x := explorer{Exploration: e, names: namesOf(e.Actors), seen: map[[3]uint64]int{}, pairs: map[[2]uint64]bool{}, stores: map[uint64]bool{}}
	var path []node
	for {
		deeper, err := x.execute(path)
		if err != nil {
			return x.stats, err
		}
		path = append(path, deeper...)
		for len(path) > 0 && len(path[len(path)-1].choices) == 1 {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			x.stats.States, x.stats.Stores = len(x.seen), len(x.stores)
			return x.stats, nil
		}
		last := &path[len(path)-1]
		last.choices = last.choices[1:]
	}
}

type explorer struct {
	Exploration
	names  []string
	seen   map[[3]uint64]int
	pairs  map[[2]uint64]bool
	stores map[uint64]bool
	stats  Stats
}

// execute replays a path and goes on from its end, until nothing runs or the state is known. It
// gives the nodes beyond the path.
func (x *explorer) execute(path []node) (deeper []node, err error) {
	r := x.begin(x.Start.Clone(), x.names)
	defer r.end()
	x.stats.Runs++
	for i, n := range path {
		if i == len(path)-1 {
			err = x.check(r, n.choices[0])
		} else {
			r.step(n.choices[0])
		}
		x.stats.Steps++
	}
	for err == nil {
		bounded := x.Switches >= 0
		k := r.key(bounded)
		if left, ok := x.seen[k]; ok && left >= r.left {
			return deeper, nil
		}
		x.seen[k] = r.left
		choices := r.choices()
		if len(choices) == 0 {
			return deeper, nil
		}
		deeper = append(deeper, node{choices})
		err = x.check(r, choices[0])
		x.stats.Steps++
	}
	return deeper, err
}

// check does a step, and checks the change of the store that it makes.
func (x *explorer) check(r *run, c choice) error {
	before := r.store.Clone()
	r.step(c)
	pair := [2]uint64{before.Sum(), r.store.Sum()}
	if pair[0] == pair[1] || x.pairs[pair] {
		return nil
	}
	x.pairs[pair], x.stores[pair[1]] = true, true
	if err := x.Check(before, r.store.Clone()); err != nil {
		return fmt.Errorf("%w%s", err, r.steps())
	}
	return nil
}

// Walk runs one order that is drawn at random, and kills processes on the way with a probability of
// 1 in killOneIn (0: never): killed processes begin anew. It checks each change of the store.
func (e Exploration) Walk(rng *rand.Rand, steps, killOneIn int) error {
	x := explorer{Exploration: e, names: namesOf(e.Actors), pairs: map[[2]uint64]bool{}, stores: map[uint64]bool{}}
	r := x.begin(x.Start.Clone(), x.names)
	defer func() { r.end() }()
	for range steps {
		choices := r.choices()
		if len(choices) == 0 {
			return nil
		}
		if err := x.check(r, choices[rng.IntN(len(choices))]); err != nil {
			return err
		}
		if killOneIn > 0 && rng.IntN(killOneIn) == 0 {
			r.restart(e, x.names, rng.IntN(len(x.names)))
		}
	}
	return nil
}

// restart kills a process and begins it anew over the same store.
func (r *run) restart(e Exploration, names []string, i int) {
	r.stop[i]()
	one := e.begin(r.store, names[i:i+1])
	r.trace = append(r.trace, done{names[i], "is killed, begins anew", 0})
	r.procs[i], r.next[i], r.stop[i], r.want[i], r.live[i] = one.procs[0], one.next[0], one.stop[0], one.want[0], one.live[0]
}

func namesOf(actors map[string]Actor) []string { return slices.Sorted(maps.Keys(actors)) }
