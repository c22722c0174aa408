package state

import (
	"maps"
	"slices"
)

// Entry is the newest decided generation of a job in an input set.
type Entry struct {
	// Import is the import that the store has of the drop; "" if it has none: the drop was erased,
	// or its first generation failed, or the job is the owner's.
	Import string `json:"import,omitempty"`
	Gen    int    `json:"gen"`
	// Failed: the generation failed, and Import is that of an earlier generation.
	Failed bool `json:"failed,omitempty"`
}

// Inputs is what a store is a function of. Every object that it names is immutable: the manifest
// of each import in Drops and Past, for each shard the complete result, or for a shard in Short the
// partial result of the named generation, and the edits from 1 to Edits.
type Inputs struct {
	V int `json:"v"`
	// Drops has an entry for each job that was ever decided, [OwnerJob] included. No entry leaves.
	Drops map[string]Entry `json:"drops"`
	// Short has, by import and shard, the shards without a complete result: the generation of the
	// partial result that stands for it, or 0 for none.
	Short map[string]map[string]int `json:"short,omitempty"`
	// Past has, by drop, the imports that were replaced by the import of the entry, ascending:
	// their memories that nothing else states are archived and do not vanish.
	Past map[string][]string `json:"past,omitempty"`
	// Edits is the number of edits that the store has.
	Edits int `json:"edits,omitempty"`

	// stored are digests of buckets that are in storage.
	stored map[string]bool
}

// NewInputs gives an empty input set.
func NewInputs() Inputs {
	return Inputs{V: 1, Drops: map[string]Entry{}, Short: map[string]map[string]int{}, Past: map[string][]string{}}
}

// Clone gives a copy that can be changed with Accept, Fail and Erase.
func (in Inputs) Clone() Inputs {
	in.Drops, in.Short, in.Past = maps.Clone(in.Drops), maps.Clone(in.Short), maps.Clone(in.Past)
	return in
}

// Accept makes a generation with its import the entry of a drop; short are its shards without a
// complete result.
func (in *Inputs) Accept(drop string, gen int, id string, short map[string]int) {
	before := in.Drops[drop].Import
	past := slices.DeleteFunc(slices.Clone(in.Past[drop]), func(p string) bool { return p == id })
	if before != "" && before != id {
		past = append(past, before)
		slices.Sort(past)
		past = slices.Compact(past)
	}
	if len(past) > 0 {
		in.Past[drop] = past
	} else {
		delete(in.Past, drop)
	}
	if len(short) > 0 {
		in.Short[id] = short
	} else {
		delete(in.Short, id)
	}
	in.Drops[drop] = Entry{Import: id, Gen: gen}
}

// Fail makes a failed generation the entry of a drop. The store keeps what it has.
func (in *Inputs) Fail(drop string, gen int) {
	in.Drops[drop] = Entry{Import: in.Drops[drop].Import, Gen: gen, Failed: true}
}

// Erase makes a generation without import the entry of a drop; no import of the drop stays.
func (in *Inputs) Erase(drop string, gen int) {
	delete(in.Short, in.Drops[drop].Import)
	for _, id := range in.Past[drop] {
		delete(in.Short, id)
	}
	delete(in.Past, drop)
	in.Drops[drop] = Entry{Gen: gen}
}

// AcceptEdits makes a generation the entry of the owner's job, with all edits up to a number.
func (in *Inputs) AcceptEdits(gen, edits int) {
	in.Edits = max(in.Edits, edits)
	in.Drops[OwnerJob] = Entry{Gen: gen}
}

// HasDropped tells whether a set has an import of a drop that a later set has nothing of: the drop
// was erased.
func (in Inputs) HasDropped(later Inputs) bool {
	for drop, e := range in.Drops {
		if e.Import != "" && later.Drops[drop].Import == "" {
			return true
		}
	}
	return false
}
