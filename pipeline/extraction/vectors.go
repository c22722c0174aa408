package extraction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/embed"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// Embedder makes vectors of texts, in their order.
type Embedder interface {
	Model() string
	// Identity tells apart all settings that give other vectors: the model, and the length that was asked for.
	Identity() string
	Embed(ctx context.Context, texts []string) ([][]float32, extract.Usage, error)
}

// TextsAtOnce is how many texts are given to the embedder at a time: what it answered before it fails is kept.
const TextsAtOnce = 500

// embed records the vectors of the shard's contents, each once: what is recorded is not asked for again, and a shard that
// has more candidates than the last time (a model answered in between) gets the missing ones. As with other services, one
// that does not answer takes nothing from the candidates.
func (x *ShardRun) embed(ctx context.Context) error {
	if x.Embed == nil || x.Estimate {
		return nil
	}
	texts, err := x.contents()
	if err != nil || len(texts) == 0 {
		return err
	}
	key := state.VectorsKey(x.Task.Owner, x.Task.Import, x.Task.Shard, x.Embed.Identity())
	lines, err := x.recordedVectors(ctx, key, texts)
	if err != nil || len(texts) == 0 {
		return err
	}
	missing := slices.Sorted(maps.Keys(texts))
	for len(missing) > 0 {
		hashes := missing[:min(TextsAtOnce, len(missing))]
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
	_, err = x.Store.Put(ctx, key, bytes.NewReader(state.CompressLines(lines)), blob.PutOptions{})
	return err
}

// contents are those of the shard's candidates, by content hash.
func (x *ShardRun) contents() (map[string]string, error) {
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
func (x *ShardRun) recordedVectors(ctx context.Context, key string, texts map[string]string) (lines []byte, err error) {
	for line, err := range state.ReadLines(ctx, x.Store, key) {
		if err != nil {
			return nil, err
		}
		v, err := embed.ParseLine(line)
		if err != nil {
			return nil, state.Damaged(key, err)
		}
		delete(texts, v.Hash)
		lines = append(lines, line...)
	}
	return lines, nil
}

// vectorsOf asks for the vectors of the texts with these hashes.
func (x *ShardRun) vectorsOf(ctx context.Context, hashes []string, texts map[string]string) ([][]float32, error) {
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
