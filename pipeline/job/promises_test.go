package job_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

// The promises of the job record, checked as functions of storage:
//
//	P1   an Ask that returned ends in its generation or a later one, with a receipt or a dead letter
//	P2   no older generation replaces a newer one; an ended job has what it wanted in the store
//	P3   what an input set names never changes, and the store follows from it
//	P4   dead letters are exactly what the store lacks of the last generation
//	P5   each shard of an accepted import is whole in the store, or short in input set and receipt
//	P6   nothing is removed that is still needed
//	P7   an ended job has an entry of its generation or a later one
//	P8   no swap loses what the store has of a shard
//	P9   what failed before an Ask is tried again for that Ask
//	P10  record, head, receipt and dead letters tell one outcome

// view is what the promises read of a store.
type view struct {
	*statetest.Store
	records map[string]job.Record // by drop
	head    state.Head
	inputs  state.Inputs
}

func viewOf(s *statetest.Store) (view, error) {
	ctx := context.Background()
	v := view{Store: s, records: map[string]job.Record{}}
	for _, drop := range drops {
		r, err := job.New(s, job.Options{}).Read(ctx, job.Ref{Owner: owner, Drop: drop})
		if err != nil {
			return v, err
		}
		if r.Gen > 0 {
			v.records[drop] = r
		}
	}
	var err error
	if v.head, _, err = state.ReadHead(ctx, s, owner); err != nil {
		return v, err
	}
	v.inputs, err = state.ReadInputs(ctx, s, owner, v.head)
	return v, err
}

func (v view) has(key string) bool {
	_, ok := v.Body(key)
	return ok
}

// checkState checks what holds at any moment.
func (v view) checkState() error {
	if wrong := v.Keys("violated/"); len(wrong) > 0 {
		return fmt.Errorf("%s", wrong[0])
	}
	if v.head.Inputs != "" {
		now, err := storeOf(v.Store, v.inputs)
		if err != nil {
			return fmt.Errorf("P3: %w", err)
		}
		if now != v.head.Store && v.head.ExportID != "" {
			return fmt.Errorf("P3: the store is\n%s, and its input set says\n%s", v.head.Store, now)
		}
	}
	for drop, r := range v.records {
		if err := v.checkJob(drop, r); err != nil {
			return fmt.Errorf("%w (job %s: %+v, entry %+v)", err, drop[:4], r, v.inputs.Drops[drop])
		}
	}
	for drop, e := range v.inputs.Drops {
		if e.Gen > v.records[drop].Gen {
			return fmt.Errorf("the head is ahead of its job: %+v", e)
		}
	}
	return v.checkLetters()
}

func (v view) checkJob(drop string, r job.Record) error {
	e := v.inputs.Drops[drop]
	failed := func(unit string) bool { return v.has(state.FailedKey(owner, drop, r.Gen, unit)) }
	body, received := v.Body(state.ReceiptKey(owner, drop, r.Gen))
	if r.Import != "" && !v.has(state.ManifestKey(owner, r.Import)) {
		return fmt.Errorf("P3: the record names an import without a manifest")
	}
	switch {
	case r.State == job.Open:
		if !v.has(state.OpenKey(owner, drop, r.Gen)) {
			return fmt.Errorf("P1: an open job has no hint")
		}
	case r.Outcome == job.Done:
		if e.Gen < r.Gen {
			return fmt.Errorf("P7: the job ended, and the input set has an older generation")
		}
		if e.Failed || e.Import != r.Import {
			return fmt.Errorf("P2: the job ended done, and the store has another import")
		}
		if !received {
			return fmt.Errorf("P1: the job ended done without a receipt")
		}
		var got receipt
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			return err
		}
		if got.Import != e.Import || fmt.Sprint(got.Short) != fmt.Sprint(v.inputs.Short[e.Import]) {
			return fmt.Errorf("P10: receipt %+v and input set %v differ", got, v.inputs.Short[e.Import])
		}
		for shard := range v.inputs.Short[e.Import] {
			if !failed(shard) {
				return fmt.Errorf("P4: the store lacks a shard, and no failed object says so")
			}
		}
		if drop == state.OwnerJob && v.inputs.Edits < r.Want.Edits {
			return fmt.Errorf("P2: edits are wanted that the store has not")
		}
	case r.Outcome == job.Erased:
		if e.Import != "" || e.Gen != r.Gen || len(v.inputs.Past[drop]) > 0 {
			return fmt.Errorf("P2: what was erased is in the store")
		}
	case r.Outcome == job.Refused:
		if !failed("ingest") || received || e.Gen == r.Gen {
			return fmt.Errorf("P10: refused, with receipt %v, entry %+v", received, e)
		}
	case r.Outcome == job.Failed:
		if !failed("assemble") || received || e.Gen != r.Gen || !e.Failed {
			return fmt.Errorf("P10: failed, with receipt %v, entry %+v", received, e)
		}
	}
	return nil
}

// checkLetters compares the dead letters with what the store lacks of ended jobs.
func (v view) checkLetters() error {
	want := map[string]bool{}
	for drop, r := range v.records {
		id := fmt.Sprintf("%s/%s.%d/", owner, drop, r.Gen)
		e := v.inputs.Drops[drop]
		switch r.Outcome {
		case job.Refused:
			want[id+"ingest"] = true
		case job.Failed:
			want[id+"assemble"] = true
			if e.Import != r.Import {
				for _, key := range v.Keys(state.FailedPrefix(owner, drop, r.Gen)) {
					want[strings.TrimSuffix(strings.TrimPrefix(key, "failed/"), ".json")] = true
				}
				delete(want, id+"ingest") // the decision of the import came first
				break
			}
			for shard := range v.inputs.Short[e.Import] {
				if v.has(state.FailedKey(owner, drop, r.Gen, shard)) {
					want[id+shard] = true
				}
			}
		case job.Done:
			for shard := range v.inputs.Short[e.Import] {
				want[id+shard] = true
			}
		}
	}
	for l, err := range job.New(v.Store, job.Options{}).DeadLetters(context.Background(), job.Filter{}) {
		switch {
		case err != nil:
			return err
		case !want[l.ID]:
			return fmt.Errorf("P4: %s is listed as a dead letter, and the store lacks nothing of it", l.ID)
		case l.Reason == "" || l.Attempts == 0:
			return fmt.Errorf("P4: dead letter %+v says nothing", l)
		}
		delete(want, l.ID)
	}
	for id := range want {
		return fmt.Errorf("P4: the store lacks %s, and no dead letter is listed", id)
	}
	return nil
}

// checkChange checks one change of the store.
func checkChange(was, is view) error {
	for _, key := range was.Keys("owners/") {
		body, ok := is.Body(key)
		before, _ := was.Body(key)
		swapped := strings.Contains(key, "/jobs/") || strings.HasSuffix(key, "/job.json") || strings.HasSuffix(key, "/head.json")
		if strings.HasPrefix(key, filesOf) {
			continue // a prune may remove it
		}
		if !ok || body != before && !swapped {
			return fmt.Errorf("P3: %s was written once, and has changed", key)
		}
	}
	for _, root := range []string{state.OpenRoot, state.FailedRoot} {
		for _, key := range was.Keys(root) {
			_, drop, gen, _, _ := state.ParseGeneration(root, key)
			r := is.records[drop]
			over := r.Gen > gen || root == state.OpenRoot && r.HasEnded(gen)
			if !is.has(key) && !over {
				return fmt.Errorf("P6: %s is needed, and was removed", key)
			}
		}
	}
	for drop, r := range was.records {
		now := is.records[drop]
		if now.Gen < r.Gen || now.Gen == r.Gen && (r.Import != "" && now.Import != r.Import || r.State == job.Ended && now.State == job.Open) {
			return fmt.Errorf("the record %+v became %+v", r, now)
		}
	}
	if is.head.Sequence < was.head.Sequence || !reflect.DeepEqual(is.head, was.head) && is.head.Sequence != was.head.Sequence+1 {
		return fmt.Errorf("the head %+v became %+v", was.head, is.head)
	}
	for drop, e := range was.inputs.Drops {
		now := is.inputs.Drops[drop]
		if now.Gen < e.Gen {
			return fmt.Errorf("P2: generation %d replaced %d in the head", now.Gen, e.Gen)
		}
		if now.Gen == e.Gen && now != e {
			return fmt.Errorf("P10: the decision %+v became %+v", e, now)
		}
		if e.Import == "" || now.Import != e.Import {
			continue
		}
		for shard, gen := range is.inputs.Short[e.Import] {
			if before, short := was.inputs.Short[e.Import][shard]; !short || gen < before {
				return fmt.Errorf("P8: the store lost what it had of shard %s", shard)
			}
		}
	}
	return nil
}

// checkEnd checks what holds when nothing is left to do: every Ask that returned has ended.
func (v view) checkEnd() error {
	for _, key := range v.Keys("returned/") {
		_, drop, gen, want, ok := state.ParseGeneration("returned/", "returned/"+owner+"/"+strings.TrimPrefix(key, "returned/"))
		r := v.records[drop]
		if !ok || !r.HasEnded(gen) {
			return fmt.Errorf("P1: the Ask for generation %d returned, and its job is %+v", gen, r)
		}
		if edits, ok := strings.CutPrefix(want, "edits:"); ok && r.Outcome == job.Done && v.inputs.Edits < len(edits) {
			return fmt.Errorf("P1: the Ask for edits %s returned, and the store has %d", edits, v.inputs.Edits)
		}
	}
	for drop, r := range v.records {
		hints := v.Keys(state.OpenPrefix(owner, drop))
		hints = slices.DeleteFunc(hints, func(key string) bool {
			_, _, gen, _, _ := state.ParseGeneration(state.OpenRoot, key)
			return gen > r.Gen // an Ask that was killed may have left it
		})
		if len(hints) > 0 {
			return fmt.Errorf("P1: hints are left: %v", hints)
		}
	}
	return nil
}

// oracle checks changes of a store and, from each state, the recovery.
type oracle struct {
	sc        *scenario
	recovered map[uint64]bool
}

func newOracle(sc *scenario) *oracle { return &oracle{sc, map[uint64]bool{}} }

func (o *oracle) check(before, after *statetest.Store) error {
	was, err := viewOf(before)
	if err != nil {
		return err
	}
	is, err := viewOf(after)
	if err != nil {
		return err
	}
	if err := checkChange(was, is); err != nil {
		return err
	}
	if o.recovered[after.Sum()] {
		return nil
	}
	o.recovered[after.Sum()] = true
	if err := is.checkState(); err != nil {
		return err
	}
	if o.sc.pruners > 0 && is.head.Store != "" && !is.has(fileOf(is.head)) {
		return fmt.Errorf("P6: the file of the head was removed")
	}
	if err := o.sc.checkPartials(is.inputs); err != nil {
		return err
	}
	for _, n := range []int{0, 99} { // all goes well, or all that may fail does
		if err := o.recover(after.Clone(), n); err != nil {
			return fmt.Errorf("%w, after a recovery from this state that chooses %d", err, n)
		}
	}
	return nil
}

// checkPartials: if each failed shard has a partial result, each short shard has one in the store.
func (sc *scenario) checkPartials(in state.Inputs) error {
	for _, shards := range sc.shards {
		if strings.Contains(strings.Join(shards, ""), "f") {
			return nil
		}
	}
	for id, short := range in.Short {
		for shard, gen := range short {
			if gen == 0 {
				return fmt.Errorf("P5: shard %s of %s failed with a partial result, and the store has nothing of it", shard, id)
			}
		}
	}
	return nil
}

// recover is what follows when every process is killed and every message is lost.
func (o *oracle) recover(s *statetest.Store, n int) error {
	s.Advance(time.Minute) // the mark of a killed prune is old
	if err := o.sc.always(s, s, n).finish(context.Background()); err != nil {
		return err
	}
	v, err := viewOf(s)
	if err != nil {
		return err
	}
	if err := v.checkState(); err != nil {
		return err
	}
	return v.checkEnd()
}
