package assemble

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"

	"github.com/pamline/pamline/pamio/extsort"
)

func (o Options) withDefaults() Options {
	orDefault(&o.Budget, 64<<20)
	orDefault(&o.Workers, 1)
	orDefault(&o.InFlight, 256<<20)
	orDefault(&o.BatchBytes, 8<<20)
	orDefault(&o.BatchFiles, 500)
	return o
}

func orDefault[T int | int64](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}

// Assemble computes the store and stores the conversation files that are new. It publishes nothing: on an error, and when
// the result is the same as the head, files may have been stored that nothing refers to. The caller closes the Result.
func Assemble(ctx context.Context, in Input, out Output, o Options) (result *Result, err error) {
	a := assembly{in: in, out: out, o: o.withDefaults(), result: new(Result)}
	defer func() {
		for _, s := range a.sorters {
			err = errors.Join(err, s.Close())
		}
		if err != nil {
			result, err = nil, errors.Join(err, a.result.Close())
		}
	}()
	entries, err := a.conversations(ctx)
	if err != nil {
		return nil, err
	}
	derived, err := a.memories(ctx, entries)
	if err != nil {
		return nil, err
	}
	if err := a.index(entries, derived); err != nil {
		return nil, err
	}
	return a.result, nil
}

// assembly is one run. At most four sorters are in use at any time, each with a quarter of the budget.
type assembly struct {
	in      Input
	out     Output
	o       Options
	result  *Result
	sorters []*extsort.Sorter
}

// sorter makes a sorter that is closed at the end of the run, if not before.
func (a *assembly) sorter() *extsort.Sorter {
	s := extsort.New(a.o.Scratch, a.o.Budget/4)
	a.sorters = append(a.sorters, s)
	return s
}

// conversations makes the files and gives an entry for each, by conversation id.
func (a *assembly) conversations(ctx context.Context) (entries *extsort.Sorter, err error) {
	snapshots := a.sorter()
	if err := sortSnapshots(ctx, a.in, snapshots); err != nil {
		return nil, err
	}
	stats := &a.result.Stats
	stats.Snapshots = snapshots.Len()
	entries = a.sorter()
	c := conversations{
		in: a.in, out: a.out, o: a.o, stats: stats,
		entries: &collector{sorter: entries},
		weight:  semaphore.NewWeighted(a.o.InFlight),
	}
	if err := c.run(ctx, snapshots); err != nil {
		return nil, err
	}
	return entries, snapshots.Close()
}

// memories writes the memories and gives, by conversation id, those that name it.
func (a *assembly) memories(ctx context.Context, entries *extsort.Sorter) (derived *extsort.Sorter, err error) {
	stats := &a.result.Stats
	candidates, evidence := a.sorter(), a.sorter()
	if err := sortCandidates(ctx, a.in, candidates, stats); err != nil {
		return nil, err
	}
	if err := joinEvidence(candidates, readEntries(entries), evidence, stats); err != nil {
		return nil, err
	}
	if err := candidates.Close(); err != nil {
		return nil, err
	}
	// The spools belong to the result from the start, so they are closed with it whatever happens.
	if a.result.Memories, err = newSpool(a.o.Scratch); err != nil {
		return nil, err
	}
	section := newSectionWriter(a.result.Memories)
	derived = a.sorter()
	r := resolver{memories: section, derived: derived, stats: stats}
	for rec, err := range evidence.Sorted() {
		if err == nil {
			err = r.add(rec)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	if err := section.finish(); err != nil {
		return nil, err
	}
	a.result.Checksum = section.Integrity().Checksum
	return derived, evidence.Close()
}

// index writes the conversation index, the fold index and the relations, of which there are none yet.
func (a *assembly) index(entries, derived *extsort.Sorter) (err error) {
	for _, spool := range [...]**Spool{&a.result.Relations, &a.result.FoldIndex, &a.result.Index} {
		if *spool, err = newSpool(a.o.Scratch); err != nil {
			return err
		}
	}
	if err := newSectionWriter(a.result.Relations).finish(); err != nil {
		return err
	}
	counted := func(yield func(entry, error) bool) {
		for e, err := range readEntries(entries) {
			a.result.Stats.Conflicts += e.Conflicts
			if !yield(e, err) {
				return
			}
		}
	}
	lines, elements := newLineWriter(a.result.FoldIndex), a.sorter()
	if err := writeFoldIndex(counted, derived, lines, elements); err != nil {
		return err
	}
	if err := lines.finish(); err != nil {
		return err
	}
	section := newSectionWriter(a.result.Index)
	for r, err := range elements.Sorted() {
		if err == nil {
			err = section.Add(r.Value)
		}
		if err != nil {
			return fmt.Errorf("write conversation index: %w", err)
		}
	}
	return section.finish()
}
