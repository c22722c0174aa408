package pipeline

import (
	"context"
	"fmt"
	"iter"

	"github.com/pamline/pamline/blob"
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
		m, ok, err := readManifest(ctx, s, owner, id)
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

func packSnapshots(ctx context.Context, s blob.Store, m Manifest, shard Shard) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		if shard.Snapshots == 0 {
			return
		}
		p, err := openPack(ctx, s, packKey(m.Owner, m.Import, shard.Pack))
		if err != nil {
			yield(Snapshot{}, err)
			return
		}
		defer p.close()
		for line, err := range shardLines(ctx, s, m, shard) {
			if err == nil && line.Record != "" {
				continue
			}
			snap := Snapshot{Conversation: line.Conversation, Platform: line.Platform}
			if err == nil {
				snap.Importer = m.importerOf(line.Source)
				snap.Doc, err = p.next(line.Offset, line.Length, line.Size)
			}
			if !yield(snap, err) || err != nil {
				return
			}
		}
	}
}

func (m Manifest) importerOf(source int) string {
	if source < 0 || source >= len(m.Sources) {
		return ""
	}
	return m.Sources[source].Importer
}
