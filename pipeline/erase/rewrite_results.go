package erase

import (
	"bytes"
	"context"
	"slices"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/embed"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// resultKeys gives the results that a shard has.
func (e *eraser) resultKeys(ctx context.Context, m state.Manifest, shard state.Shard) (keys []string) {
	for o, err := range e.Store.List(ctx, state.ResultPrefix(m.Owner, m.Import)+shard.ID) {
		if err != nil {
			return keys // the reading of the shard's result tells of it
		}
		keys = append(keys, o.Key)
	}
	return keys
}

// rewriteResults writes the complete result of a shard without what erased elements state. A shard
// without one is extracted again.
func (r *shardRewrite) rewriteResults(ctx context.Context, next state.Shard) error {
	from := state.CompleteKey(r.owner, r.from.Import, r.shard.ID)
	there, err := objects.Exists(ctx, r.Store, from)
	if err != nil || !there || next.IsEmpty() {
		return err
	}
	header, err := state.ReadResultHeader(ctx, r.Store, from)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, one := range r.gone {
		if one.Record == "" {
			gone[one.Conversation] = true
		} else {
			gone[one.file+"\n"+one.record.Pointer] = true
		}
	}
	var candidates []byte
	hashes, stating := map[string]bool{}, 0
	err = eachCandidate(ctx, r.Store, from, func(line []byte, c normalize.Candidate) error {
		stated := len(c.Evidence) > 0
		c.Evidence = slices.DeleteFunc(c.Evidence, func(ev normalize.Evidence) bool {
			return gone[ev.Conversation] || ev.Conversation == "" && gone[ev.Member+"\n"+ev.Pointer]
		})
		if stated && len(c.Evidence) == 0 {
			return nil
		}
		if c.Act == "" {
			stating++
		}
		hashes[pamio.ContentHash(c.Content)] = true
		candidates = extract.AppendCandidate(candidates, &c)
		return nil
	})
	if err != nil {
		return err
	}
	header.Shard, header.Candidates = next.ID, min(header.Candidates, stating)
	if header.Vectors != "" {
		header.Vectors, err = r.rewriteLines(ctx, state.VectorsKey(r.owner, r.from.Import, header.Vectors), state.VectorsKey, func(line []byte) (bool, error) {
			l, err := embed.ParseLine(line)
			return hashes[l.Hash], err
		})
	}
	if err == nil && header.Rejects != "" {
		header.Rejects, err = r.rewriteLines(ctx, state.RejectsKey(r.owner, r.from.Import, header.Rejects), state.RejectsKey, func(line []byte) (bool, error) {
			for name := range gone {
				if bytes.Contains(line, []byte(name)) {
					return false, nil
				}
			}
			return true, nil
		})
	}
	if err != nil {
		return err
	}
	_, err = state.PutResult(ctx, r.Store, state.CompleteKey(r.owner, r.to.Import, next.ID), header, candidates)
	return err
}

// rewriteLines writes a side object with the lines that stay.
func (r *shardRewrite) rewriteLines(ctx context.Context, from string, to func(owner, id, digest string) string, stays func([]byte) (bool, error)) (string, error) {
	var lines []byte
	for line, err := range objects.ReadLines(ctx, r.Store, from) {
		if err != nil {
			return "", objects.Lost(from, err)
		}
		yes, err := stays(line)
		if err != nil {
			return "", objects.Damaged(from, err)
		}
		if yes {
			lines = append(append(lines, bytes.TrimSuffix(line, []byte("\n"))...), '\n')
		}
	}
	return state.PutLines(ctx, r.Store, func(digest string) string { return to(r.owner, r.to.Import, digest) }, lines)
}
