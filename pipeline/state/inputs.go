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

// Content has the digests (SHA-256) of what an input set names of an import.
type Content struct {
	Manifest string `json:"manifest,omitempty"`
	// Results has, by shard, the result that stands for it. The content of [OwnerJob] has, by
	// number, the edits.
	Results map[string]string `json:"results,omitempty"`
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
	// Contents has, by import, the digests of the objects that the set names. Whoever computes the
	// store of a set verifies them and adds those that the set has not yet.
	Contents map[string]Content `json:"contents,omitempty"`

	// stored are digests of buckets that are in storage.
	stored map[string]bool
}

// NewInputs gives an empty input set.
func NewInputs() Inputs {
	return Inputs{V: 1, Drops: map[string]Entry{}, Short: map[string]map[string]int{}, Past: map[string][]string{}, Contents: map[string]Content{}}
}

// Clone gives a copy that can be changed with Accept, Fail and Erase.
func (in Inputs) Clone() Inputs {
	in.Drops, in.Short, in.Past = maps.Clone(in.Drops), maps.Clone(in.Short), maps.Clone(in.Past)
	in.Contents = maps.Clone(in.Contents)
	if in.Contents == nil {
		in.Contents = map[string]Content{}
	}
	return in
}

// Accept makes a generation with its import the entry of a drop; short are its shards without a
// complete result. Results that change their kind have new digests.
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
	in.forgetResults(id, short)
	if len(short) > 0 {
		in.Short[id] = short
	} else {
		delete(in.Short, id)
	}
	in.Drops[drop] = Entry{Import: id, Gen: gen}
}

// SetManifest records the digest of the manifest of an import.
func (in Inputs) SetManifest(id, digest string) {
	c := in.Contents[id]
	c.Manifest = digest
	in.Contents[id] = c
}

// SetResult records the digest of the result of a shard, or, for [OwnerJob], of an edit.
func (in Inputs) SetResult(id, shard, digest string) {
	c := in.Contents[id]
	if c.Results[shard] == digest {
		return
	}
	c.Results = maps.Clone(c.Results) // other sets may have it
	if c.Results == nil {
		c.Results = map[string]string{}
	}
	c.Results[shard] = digest
	in.Contents[id] = c
}

// forgetResults removes the digests of the shards that another result stands for than before.
func (in *Inputs) forgetResults(id string, short map[string]int) {
	was, c := in.Short[id], in.Contents[id]
	c.Results = maps.Clone(c.Results)
	maps.DeleteFunc(c.Results, func(shard, _ string) bool {
		before, wasShort := was[shard]
		now, isShort := short[shard]
		return wasShort != isShort || before != now
	})
	if c.Manifest != "" {
		in.Contents[id] = c
	}
}

// Fail makes a failed generation the entry of a drop. The store keeps what it has.
func (in *Inputs) Fail(drop string, gen int) {
	in.Drops[drop] = Entry{Import: in.Drops[drop].Import, Gen: gen, Failed: true}
}

// Erase makes a generation without import the entry of a drop; no import of the drop stays.
func (in *Inputs) Erase(drop string, gen int) {
	for _, id := range append(slices.Clone(in.Past[drop]), in.Drops[drop].Import) {
		delete(in.Short, id)
		delete(in.Contents, id)
	}
	delete(in.Past, drop)
	in.Drops[drop] = Entry{Gen: gen}
}

// Replace makes a generation the entry of a drop with one import and these past ones, and with
// nothing that the drop had before.
func (in *Inputs) Replace(drop string, gen int, id string, short map[string]int, past []string) {
	if in.Drops[drop].Import != id {
		in.Erase(drop, gen)
	}
	in.Accept(drop, gen, id, short)
	delete(in.Past, drop)
	if len(past) > 0 {
		in.Past[drop] = past
	}
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
