package publish

import (
	"context"
	"iter"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/embed"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Candidates gives those of the results that the input set names.
func (in *inputs) Candidates(ctx context.Context) iter.Seq2[normalize.Candidate, error] {
	return in.candidates(ctx, in.accepted)
}

// Past gives the candidates of imports that were replaced.
func (in *inputs) Past(ctx context.Context) iter.Seq2[normalize.Candidate, error] {
	return in.candidates(ctx, in.past)
}

func (in *inputs) candidates(ctx context.Context, imports []state.Manifest) iter.Seq2[normalize.Candidate, error] {
	return func(yield func(normalize.Candidate, error) bool) {
		for r, m := range in.results(imports) {
			for line, err := range r.Lines(ctx, in.Store) {
				var c normalize.Candidate
				if err == nil {
					if c, err = extract.ParseCandidate(line); err != nil {
						err = objects.Damaged(r.Key, err)
					}
				}
				if err == nil {
					err = state.ListedAt(&c, m)
				}
				if !yield(c, err) || err != nil {
					return
				}
			}
			in.set.SetResult(m.Import, r.Shard, r.Digest)
			if m.Embeddings != "" && r.Header.Vectors != "" {
				in.vectors[r.Key] = state.VectorsKey(m.Owner, m.Import, r.Header.Vectors)
			}
		}
	}
}

// results gives the results of some imports, each with its manifest.
func (in *inputs) results(imports []state.Manifest) iter.Seq2[*state.Result, state.Manifest] {
	return func(yield func(*state.Result, state.Manifest) bool) {
		for _, m := range imports {
			for _, shard := range m.Shards {
				if r := in.set.ResultOf(m, shard); r != nil && !yield(r, m) {
					return
				}
			}
		}
	}
}

// Vectors gives those that the results name. The candidates were read before.
func (in *inputs) Vectors(ctx context.Context) iter.Seq2[assemble.Vector, error] {
	return func(yield func(assemble.Vector, error) bool) {
		for r := range in.results(in.accepted) {
			if key := in.vectors[r.Key]; key != "" && !in.yieldVectors(ctx, key, yield) {
				return
			}
		}
	}
}

func (in *inputs) yieldVectors(ctx context.Context, key string, yield func(assemble.Vector, error) bool) bool {
	for line, err := range objects.ReadLines(ctx, in.Store, key) {
		var v embed.Line
		if err == nil {
			if v, err = embed.ParseLine(line); err != nil {
				err = objects.Damaged(key, err)
			}
		}
		if !yield(assemble.Vector{Hash: v.Hash, Model: v.Model, Values: v.Vector}, objects.Lost(key, err)) || err != nil {
			return false
		}
	}
	return true
}
