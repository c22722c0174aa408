package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/embed"
	"github.com/pamline/pamline/pamio"
)

// Embedder makes vectors of texts, in their order.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, extract.Usage, error)
}

// vectorsKey is where the vectors of a shard's candidates lie. The name holds the model's, so that vectors of another one
// are asked for.
func vectorsKey(owner, id, shard, model string) string {
	return importKey(owner, id, "vectors/"+shard+"."+digest(model)[:16]+".jsonl.zst")
}

// embed records the vectors of the shard's contents, each once. As with other services, one that does not answer takes
// nothing from the candidates.
func (x *extraction) embed(ctx context.Context) error {
	if x.Embed == nil || x.Estimate {
		return nil
	}
	texts := map[string]string{} // by content hash
	for line := range bytes.Lines(x.candidates) {
		c, err := extract.ParseCandidate(line)
		if err != nil {
			return err
		}
		if c.Act == "" {
			texts[pamio.ContentHash(c.Content)] = c.Content
		}
	}
	hashes := slices.Sorted(maps.Keys(texts))
	key := vectorsKey(x.task.Owner, x.task.Import, x.task.Shard, x.Embed.Model())
	if there, err := exists(ctx, x.Store, key); err != nil || there || len(hashes) == 0 {
		return err
	}
	contents := make([]string, len(hashes))
	for i, h := range hashes {
		contents[i] = texts[h]
	}
	vectors, usage, err := x.Embed.Embed(ctx, contents)
	x.m.Usage.Add(usage)
	var trouble *extract.AskError
	switch {
	case errors.As(err, &trouble) && ctx.Err() == nil:
		x.unanswered("embeddings", len(hashes))
		x.m.Trouble, x.m.Hint = "embeddings: "+trouble.Error(), trouble.Hint
		return nil
	case err != nil:
		return err
	case len(vectors) != len(hashes):
		return fmt.Errorf("make vectors: %d came for %d texts", len(vectors), len(hashes))
	}
	var lines []byte
	for i, v := range vectors {
		lines = embed.AppendLine(lines, &embed.Line{Hash: hashes[i], Model: x.Embed.Model(), Vector: v})
	}
	_, err = x.Store.Put(ctx, key, bytes.NewReader(compressLines(lines)), blob.PutOptions{})
	return err
}

// Vectors are those of all accepted imports.
func (s *stored) Vectors(ctx context.Context) iter.Seq2[assemble.Vector, error] {
	return func(yield func(assemble.Vector, error) bool) {
		for _, m := range s.manifests() {
			if m.Embeddings == "" {
				continue
			}
			for _, shard := range m.Shards {
				key := vectorsKey(m.Owner, m.Import, shard.ID, m.Embeddings)
				for line, err := range s.lines(ctx, key) {
					var v embed.Line
					if err == nil {
						if v, err = embed.ParseLine(line); err != nil {
							err = damaged(key, err)
						}
					}
					if !yield(assemble.Vector{Hash: v.Hash, Model: v.Model, Values: v.Vector}, err) || err != nil {
						return
					}
				}
			}
		}
	}
}
