package state

import (
	"context"
	"errors"
	"slices"

	"github.com/pamline/pamline/blob"
)

// Head names the current store of an owner. It is the only object that is swapped, and at most 4 KB.
type Head struct {
	V        int    `json:"v"`
	Sequence int64  `json:"sequence"`
	ExportID string `json:"export_id"`
	// Store is the SHA-256 of exports/<export_id>.json; Size its length in bytes.
	Store string `json:"store"`
	Size  int64  `json:"size"`
	// Content digests decide whether a new store would say anything new.
	Memories  string `json:"memories"`
	Relations string `json:"relations"`
	Index     string `json:"index"`
	// Embeddings is the digest of the vectors, "" when there are none; then there is no embeddings file.
	Embeddings     string `json:"embeddings,omitempty"`
	EmbeddingsSize int64  `json:"embeddings_size,omitempty"`
	// Counts of what the store holds.
	MemoryCount       int64 `json:"memory_count"`
	ConversationCount int64 `json:"conversation_count"`
	// Inputs is the SHA-256 of the input set, which lies in inputs/<inputs>.json.
	Inputs string `json:"inputs"`
}

// Inputs is what a store is a function of: the accepted result of each drop, those that were accepted before, and the
// person's own changes.
type Inputs struct {
	V     int               `json:"v"`
	Drops map[string]string `json:"drops"` // drop digest → import id
	// Past are the imports whose result was replaced by another one of the same drop, ascending: what they told and nothing
	// tells any more is archived and does not vanish.
	Past []string `json:"past,omitempty"`
	// Lost are the shards, by import, that the store is without, for they were given up: what they may have left does not count.
	Lost map[string][]string `json:"lost,omitempty"`
	// Edits is the SHA-256 of the person's changes, "" when there are none.
	Edits string `json:"edits,omitempty"`
}

// Accept puts the result of an import in the place of an earlier one of the same drop.
func (in *Inputs) Accept(drop, id string) {
	if before, ok := in.Drops[drop]; ok && before != id {
		in.Past = append(slices.Clone(in.Past), before)
	}
	in.Drops[drop] = id
	accepted := map[string]bool{}
	for _, id := range in.Drops {
		accepted[id] = true
	}
	slices.Sort(in.Past)
	in.Past = slices.DeleteFunc(slices.Compact(in.Past), func(id string) bool { return accepted[id] })
}

// InputsKey is where the input set of a digest lies.
func InputsKey(owner, digest string) string { return OwnerKey(owner, "inputs/"+digest+".json") }

// ReadHead gives the head and its ETag; an owner without one has the zero Head and tag "".
func ReadHead(ctx context.Context, s blob.Store, owner string) (Head, string, error) {
	var h Head
	tag, err := ReadJSON(ctx, s, HeadKey(owner), &h)
	if errors.Is(err, blob.ErrNotExist) {
		return Head{}, "", nil
	}
	return h, tag, err
}

// ReadInputs gives the input set a head names.
func ReadInputs(ctx context.Context, s blob.Store, owner string, h Head) (Inputs, error) {
	in := Inputs{V: 1, Drops: map[string]string{}}
	if h.Inputs == "" {
		return in, nil
	}
	_, err := ReadJSON(ctx, s, InputsKey(owner, h.Inputs), &in)
	return in, err
}
