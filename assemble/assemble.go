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

// Assemble computes the store and stores the conversation files that are new. It publishes nothing:
// on an error, and when the result is the same as the head, files may have been stored that nothing
// refers to. The caller closes the Result.
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
	if derived, err = a.adopt(ctx, entries, derived); err != nil {
		return nil, err
	}
	if err := a.index(entries, derived); err != nil {
		return nil, err
	}
	return a.result, nil
}

// assembly is one run. Of its sorters at most three with a quarter of the budget, and then eight
// small ones, are in use at any time, or two and sixteen.
type assembly struct {
	in      Input
	out     Output
	o       Options
	result  *Result
	sorters []*extsort.Sorter
	// adoption has the elements of other PAM stores.
	adoption *adoption
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
	var accounts *importAccounts
	if len(a.o.Imports) > 0 {
		accounts = newImportAccounts(a.o.Imports, a.small())
	}
	if err := sortSnapshots(ctx, a.in, snapshots, accounts); err != nil {
		return nil, err
	}
	stats := &a.result.Stats
	stats.Snapshots = snapshots.Len()
	entries = a.sorter()
	c := conversations{
		in: a.in, out: a.out, o: a.o, stats: stats,
		entries: &collector{sorter: entries}, accounts: accounts,
		weight: semaphore.NewWeighted(a.o.InFlight),
	}
	if err := c.run(ctx, snapshots); err != nil {
		return nil, err
	}
	a.result.Imports = accounts.result()
	return entries, snapshots.Close()
}

// small makes a sorter with a thirty-second part of the budget.
func (a *assembly) small() *extsort.Sorter {
	s := extsort.New(a.o.Scratch, a.o.Budget/32)
	a.sorters = append(a.sorters, s)
	return s
}

// memories writes the memories, their relations and their vectors, and gives, by conversation id,
// the memories that name it.
func (a *assembly) memories(ctx context.Context, entries *extsort.Sorter) (derived *extsort.Sorter, err error) {
	for _, spool := range [...]**Spool{&a.result.Memories, &a.result.Relations, &a.result.Embeddings} {
		*spool = newSpool(a.o.Scratch) // it belongs to the result from the start, and is closed with it
	}
	evidence := a.sorter()
	retracted := &retractions{sorter: a.small(), enders: a.small()}
	if err := a.intake(ctx, entries, evidence, retracted); err != nil {
		return nil, err
	}
	newest, err := newestTime(entries, evidence)
	if err != nil {
		return nil, err
	}
	vectors, model, r, err := a.resolve(ctx, evidence, retracted, newest)
	if err != nil {
		return nil, err
	}
	shared := a.small()
	if err := shareEvidence(evidence, r.members, shared); err != nil {
		return nil, err
	}
	derived = a.small()
	w := resolver{
		memories: newSectionWriter(a.result.Memories), embeddings: newSectionWriter(a.result.Embeddings), model: model,
		relations: newRelationWriter(r.relations, newSectionWriter(a.result.Relations), &a.result.Stats),
		derived:   derived, verdicts: newCursor(r.verdicts), vectors: newCursor(vectors), stats: &a.result.Stats,
	}
	defer w.stop()
	if err := w.run(ctx, merged(evidence, shared)); err != nil {
		return nil, err
	}
	a.result.Checksum = w.memories.Integrity().Checksum
	for _, s := range [...]*extsort.Sorter{evidence, shared, r.members, r.memories, r.relations, r.verdicts} {
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	return derived, nil
}

// intake reads what is to be resolved, and fills evidence by memory.
func (a *assembly) intake(ctx context.Context, entries, evidence *extsort.Sorter, retracted *retractions) error {
	a.adoption = &adoption{sorter: a.small}
	in := &intake{
		sightings: a.sorter(), evidence: evidence, listings: a.small(), retractions: retracted, adoption: a.adoption, stats: &a.result.Stats,
	}
	if err := in.take(ctx, a.in); err != nil {
		return err
	}
	if err := joinEvidence(in.sightings, readEntries(entries), evidence, &a.result.Stats); err != nil {
		return err
	}
	return in.sightings.Close()
}

// resolve decides how the memories stand to each other. vectors is nil when there are none.
func (a *assembly) resolve(ctx context.Context, evidence *extsort.Sorter, retracted *retractions, newest when) (vectors *extsort.Sorter, model string, r *resolution, err error) {
	given := a.small()
	if err := a.takeVectors(ctx, given); err != nil {
		return nil, "", nil, err
	}
	s := &survey{memories: a.small(), buckets: a.sorter(), parents: a.small(), ends: retracted, stats: &a.result.Stats}
	if given.Len() > 0 {
		s.hashes = a.small()
	}
	if err := s.run(ctx, evidence.Sorted()); err != nil {
		return nil, "", nil, err
	}
	if s.hashes != nil {
		if vectors, model, err = a.vectorsByMemory(given, s.hashes); err != nil {
			return nil, "", nil, err
		}
	}
	d := &duplicates{memories: s.memories, pairs: a.small(), edges: a.small(), sorter: a.small}
	members, err := d.find(s.buckets, vectors)
	if err != nil {
		return nil, "", nil, err
	}
	r = &resolution{sorter: a.small, memories: s.memories, members: members, retractions: retracted, relations: a.small(), newest: newest}
	if err := r.derive(s.parents); err != nil {
		return nil, "", nil, err
	}
	return vectors, model, r, r.run()
}

// index writes the conversation index and the fold index.
func (a *assembly) index(entries, derived *extsort.Sorter) (err error) {
	for _, spool := range [...]**Spool{&a.result.FoldIndex, &a.result.Index} {
		*spool = newSpool(a.o.Scratch)
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
	if err := a.adoption.addEntries(elements); err != nil {
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
