package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// promised is what the promises of the job record are checked against, when all jobs of an owner
// have ended.
type promised struct {
	s      *State
	store  blob.Store
	owner  string
	inputs state.Inputs
}

// promises checks that record, input set, receipts and dead letters of an owner tell one outcome:
// promises P1, P2, P4, P5, P7 and P10 of the job record, as functions of storage at rest.
func (s *State) promises(ctx context.Context, store blob.Store, owner string) error {
	p := promised{s: s, store: store, owner: owner}
	head, _, err := state.ReadHead(ctx, store, owner)
	if err != nil {
		return err
	}
	if p.inputs, err = state.ReadInputs(ctx, store, owner, head); err != nil {
		return err
	}
	expected := map[string]bool{}
	for o, err := range store.List(ctx, state.OwnerKey(owner, "jobs/")) {
		if err != nil {
			return err
		}
		drop := strings.TrimSuffix(o.Key[strings.LastIndex(o.Key, "/")+1:], ".json")
		r, err := job.New(store, job.Options{}).Read(ctx, job.Ref{Owner: owner, Drop: drop})
		if err != nil {
			return err
		}
		letters, err := p.job(ctx, drop, r)
		if err != nil {
			return err
		}
		for _, unit := range letters {
			expected[fmt.Sprintf("%s/%s.%d/%s", owner, drop, r.Gen, unit)] = true
		}
	}
	for l, err := range job.New(store, job.Options{}).DeadLetters(ctx, job.Filter{Owner: owner, WrongUploads: true}) {
		if err != nil {
			return err
		}
		if !expected[l.ID] {
			s.wrong("dead letter %s, and the store lacks nothing of it", l.ID)
		}
		delete(expected, l.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(expected)) {
		s.wrong("no dead letter %s, and the store lacks it", id)
	}
	return nil
}

// job checks the outcome of one job, and gives the units that must be dead letters.
func (p promised) job(ctx context.Context, drop string, r job.Record) (letters []string, err error) {
	e := p.inputs.Drops[drop]
	name := fmt.Sprintf("job %s of %s", drop, p.owner)
	receipt, received, err := state.ReadReceipt(ctx, p.store, p.owner, drop, r.Gen)
	if err != nil {
		return nil, err
	}
	switch r.Outcome {
	case job.Done:
		if e.Gen < r.Gen || e.Failed || e.Import != r.Import {
			p.s.wrong("%s has ended done with %s, and the input set has %+v", name, r.Import, e)
		}
		if !received || receipt.Import != e.Import || receipt.State != state.StateDone && receipt.State != state.StateLosses {
			p.s.wrong("%s has ended done, and its receipt says %q of %q", name, receipt.State, receipt.Import)
		}
		letters, err = p.shards(ctx, name, e.Import)
		if err != nil {
			return nil, err
		}
		for _, shard := range letters {
			if !receipt.Lacks(shard) {
				p.s.wrong("%s lacks shard %s, and the receipt does not say so", name, shard)
			}
		}
	case job.Refused:
		letters = []string{string(job.Ingest)}
		if received || e.Gen == r.Gen {
			p.s.wrong("%s was refused, and has receipt %t, entry %+v", name, received, e)
		}
	case job.Failed:
		if received || e.Gen != r.Gen || !e.Failed {
			p.s.wrong("%s has failed, and has receipt %t, entry %+v", name, received, e)
		}
		if letters, err = p.failed(ctx, drop, r, e); err != nil {
			return nil, err
		}
	default:
		p.s.wrong("%s has ended as %q", name, r.Outcome)
	}
	return letters, nil
}

// shards checks that each shard of an accepted import is whole in the store or short in the input
// set, and gives the short ones.
func (p promised) shards(ctx context.Context, name, id string) (short []string, err error) {
	m, ok, err := state.ReadManifest(ctx, p.store, p.owner, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		p.s.wrong("%s: the accepted import %s has no manifest", name, id)
	}
	for _, shard := range m.Shards {
		gen, isShort := p.inputs.Short[id][shard.ID]
		key := state.CompleteKey(p.owner, id, shard.ID)
		if isShort {
			short = append(short, shard.ID)
			key = state.PartialKey(p.owner, id, shard.ID, gen)
		}
		if shard.IsEmpty() || isShort && gen == 0 {
			continue
		}
		there, err := objects.Exists(ctx, p.store, key)
		if err != nil {
			return nil, err
		}
		if !there {
			p.s.wrong("%s: the store is made of %s, which is missing", name, key)
		}
	}
	return short, nil
}

// failed gives the dead letters of a failed generation: its assembly, and the failed shards of an
// import of which the store has nothing, or which it is short of.
func (p promised) failed(ctx context.Context, drop string, r job.Record, e state.Entry) ([]string, error) {
	var units []string
	for o, err := range p.store.List(ctx, state.FailedPrefix(p.owner, drop, r.Gen)) {
		if err != nil {
			return nil, err
		}
		_, _, _, unit, _ := state.ParseGeneration(state.FailedRoot, o.Key)
		unit = strings.TrimSuffix(unit, ".json")
		_, short := p.inputs.Short[e.Import][unit]
		if unit == string(job.Assemble) || unit != string(job.Ingest) && (short || e.Import != r.Import) {
			units = append(units, unit)
		}
	}
	return units, nil
}
