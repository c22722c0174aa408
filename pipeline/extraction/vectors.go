package extraction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/embed"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// Embedder makes vectors of texts, in their order.
type Embedder interface {
	Model() string
	// Identity tells apart all settings that give other vectors: the model, and the length that was
	// asked for.
	Identity() string
	Embed(ctx context.Context, texts []string) ([][]float32, extract.Usage, error)
}

// TextsAtOnce is how many texts are given to the embedder at a time: what it answered before it
// fails is kept.
const TextsAtOnce = 500

// embed makes the vectors of the shard's contents, each once. Vectors of earlier partial results
// are used again: only what is missing is asked for. As with other services, one that does not
// answer takes nothing from the candidates.
func (x *shardRun) embed(ctx context.Context) error {
	if x.embeddings == "" || x.Estimate {
		return nil
	}
	if x.Embed == nil || x.Embed.Identity() != x.embeddings {
		return &fault.Fault{Class: fault.Unit, Err: errors.New("make vectors: the settings of embeddings are others than the import began with"), Hint: "replay the drop"}
	}
	texts, err := x.contents()
	if err != nil || len(texts) == 0 {
		return err
	}
	if err := x.reuseVectors(ctx, texts); err != nil {
		return err
	}
	missing := slices.Sorted(maps.Keys(texts))
	for len(missing) > 0 {
		hashes := missing[:min(TextsAtOnce, len(missing))]
		vectors, err := x.vectorsOf(ctx, hashes, texts)
		var trouble *extract.AskError
		if errors.As(err, &trouble) && ctx.Err() == nil {
			x.addUnanswered("embeddings", len(missing))
			x.header.Trouble, x.header.Hint = "embeddings: "+trouble.Error(), trouble.Hint
			break
		}
		if err != nil {
			return err
		}
		for i, v := range vectors {
			x.vectors = embed.AppendLine(x.vectors, &embed.Line{Hash: hashes[i], Model: x.Embed.Model(), Vector: v})
		}
		missing = missing[len(hashes):]
	}
	return nil
}

// contents are those of the shard's candidates, by content hash.
func (x *shardRun) contents() (map[string]string, error) {
	texts := map[string]string{}
	for line := range bytes.Lines(x.found.Candidates) {
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

// reuseVectors takes over the vectors that the partial results of the shard have, and removes their
// texts from those to be asked for. All results of an import have vectors of one identity.
func (x *shardRun) reuseVectors(ctx context.Context, texts map[string]string) error {
	t := x.task
	prefix := state.ResultPrefix(t.Owner, t.Import)
	for o, err := range x.Store.List(ctx, prefix+t.Shard+".") {
		if err != nil {
			return fmt.Errorf("list results of shard %s: %w", t.Shard, err)
		}
		if _, _, ok := state.ParseResult(o.Key[len(prefix):]); !ok {
			continue
		}
		h, err := state.ReadResultHeader(ctx, x.Store, o.Key)
		if err != nil {
			return err
		}
		if h.Vectors == "" {
			continue
		}
		key := state.VectorsKey(t.Owner, t.Import, h.Vectors)
		for line, err := range objects.ReadLines(ctx, x.Store, key) {
			if err != nil {
				return err
			}
			v, err := embed.ParseLine(line)
			if err != nil {
				return objects.Damaged(key, err)
			}
			if _, missing := texts[v.Hash]; missing {
				delete(texts, v.Hash)
				x.vectors = append(x.vectors, line...)
			}
		}
	}
	return nil
}

// vectorsOf asks for the vectors of the texts with these hashes.
func (x *shardRun) vectorsOf(ctx context.Context, hashes []string, texts map[string]string) ([][]float32, error) {
	contents := make([]string, len(hashes))
	for i, h := range hashes {
		contents[i] = texts[h]
	}
	vectors, usage, err := x.Embed.Embed(ctx, contents)
	x.header.Usage.Add(usage)
	if err == nil && len(vectors) != len(hashes) {
		err = fmt.Errorf("make vectors: %d came for %d texts", len(vectors), len(hashes))
	}
	return vectors, err
}
