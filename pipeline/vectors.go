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
	// Identity tells apart all settings that give other vectors: the model, and the length that was asked for.
	Identity() string
	Embed(ctx context.Context, texts []string) ([][]float32, extract.Usage, error)
}

// vectorsKey is where the vectors of a shard's candidates lie. The name holds the model's, so that vectors of another one
// are asked for.
func vectorsKey(owner, id, shard, identity string) string {
	return importKey(owner, id, "vectors/"+shard+"."+digest(identity)[:16]+".jsonl.zst")
}

// textsAtOnce is how many texts are given to the embedder at a time: what it answered before it fails is kept.
const textsAtOnce = 500

// embed records the vectors of the shard's contents, each once: what is recorded is not asked for again, and a shard that
// has more candidates than the last time (a model answered in between) gets the missing ones. As with other services, one
// that does not answer takes nothing from the candidates.
func (x *extraction) embed(ctx context.Context) error {
	if x.Embed == nil || x.Estimate {
		return nil
	}
	texts, err := x.contents()
	if err != nil || len(texts) == 0 {
		return err
	}
	key := vectorsKey(x.task.Owner, x.task.Import, x.task.Shard, x.Embed.Identity())
	lines, err := x.recordedVectors(ctx, key, texts)
	if err != nil || len(texts) == 0 {
		return err
	}
	missing := slices.Sorted(maps.Keys(texts))
	for len(missing) > 0 {
		hashes := missing[:min(textsAtOnce, len(missing))]
		vectors, err := x.vectorsOf(ctx, hashes, texts)
		var trouble *extract.AskError
		if errors.As(err, &trouble) && ctx.Err() == nil {
			x.unanswered("embeddings", len(missing))
			x.m.Trouble, x.m.Hint = "embeddings: "+trouble.Error(), trouble.Hint
			break
		}
		if err != nil {
			return err
		}
		for i, v := range vectors {
			lines = embed.AppendLine(lines, &embed.Line{Hash: hashes[i], Model: x.Embed.Model(), Vector: v})
		}
		missing = missing[len(hashes):]
	}
	if len(lines) == 0 {
		return nil
	}
	_, err = x.Store.Put(ctx, key, bytes.NewReader(compressLines(lines)), blob.PutOptions{})
	return err
}

// contents are those of the shard's candidates, by content hash.
func (x *extraction) contents() (map[string]string, error) {
	texts := map[string]string{}
	for line := range bytes.Lines(x.candidates) {
		c, err := extract.ParseCandidate(line)
		if err != nil {
			return nil, err
		}
		if c.Act == "" {
			texts[pamio.ContentHash(c.Content)] = c.Content
		}
	}
	return texts, nil
}

// recordedVectors gives the lines that are recorded under the key, and takes their texts out.
func (x *extraction) recordedVectors(ctx context.Context, key string, texts map[string]string) (lines []byte, err error) {
	s := stored{Deps: x.Deps}
	for line, err := range s.lines(ctx, key) {
		if err != nil {
			return nil, err
		}
		v, err := embed.ParseLine(line)
		if err != nil {
			return nil, damaged(key, err)
		}
		delete(texts, v.Hash)
		lines = append(lines, line...)
	}
	return lines, nil
}

// vectorsOf asks for the vectors of the texts with these hashes.
func (x *extraction) vectorsOf(ctx context.Context, hashes []string, texts map[string]string) ([][]float32, error) {
	contents := make([]string, len(hashes))
	for i, h := range hashes {
		contents[i] = texts[h]
	}
	vectors, usage, err := x.Embed.Embed(ctx, contents)
	x.m.Usage.Add(usage)
	if err == nil && len(vectors) != len(hashes) {
		err = fmt.Errorf("make vectors: %d came for %d texts", len(vectors), len(hashes))
	}
	return vectors, err
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
