package publish

import (
	"context"
	"fmt"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// Snapshot is one conversation document as an import read it, before anything was folded into it.
type Snapshot struct {
	Conversation string
	Platform     string
	// Importer is the version that read it.
	Importer string
	// Doc is valid until the next one.
	Doc []byte
}

// Snapshots walks the documents of an import in the order of its archive.
func Snapshots(ctx context.Context, s blob.Store, owner, id string) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		m, ok, err := state.ReadManifest(ctx, s, owner, id)
		if err == nil && !ok {
			err = fmt.Errorf("read import %s: it has not been read to its end: run `pamline import` again", id)
		}
		if err != nil {
			yield(Snapshot{}, err)
			return
		}
		for _, shard := range m.Shards {
			for snap, err := range packSnapshots(ctx, s, m, shard) {
				if !yield(snap, err) || err != nil {
					return
				}
			}
		}
	}
}

func packSnapshots(ctx context.Context, s blob.Store, m state.Manifest, shard state.Shard) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		if shard.Snapshots == 0 {
			return
		}
		list, err := state.OpenShardList(ctx, s, m, shard)
		if err != nil {
			yield(Snapshot{}, err)
			return
		}
		p, err := state.OpenPack(ctx, s, state.PackKey(m.Owner, m.Import, list.Pack))
		if err != nil {
			yield(Snapshot{}, err)
			return
		}
		defer p.Close()
		for line, err := range list.Lines {
			if err == nil && line.Record != "" {
				continue
			}
			snap := Snapshot{Conversation: line.Conversation, Platform: line.Platform}
			if err == nil {
				snap.Importer = m.ImporterOf(line.Source)
				snap.Doc, err = p.Next(line.Offset, line.Length, line.Size)
			}
			if err != nil {
				err = p.Finish(err)
			}
			if !yield(snap, err) || err != nil {
				return
			}
		}
		if err := p.Finish(nil); err != nil {
			yield(Snapshot{}, err)
		}
	}
}
