package publish

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// inputs gives the assembler the accepted imports of one owner as they are in storage, and takes
// its files.
type inputs struct {
	Options
	owner string
	set   state.Inputs
	prior state.Head
	// accepted and past are the manifests of the input set, each ascending by import.
	accepted, past []state.Manifest
	edits          []assemble.Edit
	// vectors has the digests of the vectors of results, by key of the result.
	vectors map[string]string
	// written of at most expected conversations: for progress.
	written  atomic.Int64
	expected int64
}

// contractName is import_metadata.importer and exported_by: the contract of what is written, not
// the build, so a new build alone changes no document (PAM §3.2, §25.3).
const contractName = "pamline/1.0.0"

// Snapshots gives the lines of all packs.
func (in *inputs) Snapshots(ctx context.Context) iter.Seq2[assemble.Snapshot, error] {
	return func(yield func(assemble.Snapshot, error) bool) {
		for _, m := range in.accepted {
			for _, shard := range m.Shards {
				if shard.Snapshots > 0 && !in.yieldSnapshots(ctx, m, shard, yield) {
					return
				}
			}
		}
	}
}

func (in *inputs) yieldSnapshots(ctx context.Context, m state.Manifest, shard state.Shard, yield func(assemble.Snapshot, error) bool) bool {
	list, err := state.OpenShardList(ctx, in.Store, m, shard)
	if err != nil {
		return yield(assemble.Snapshot{}, err)
	}
	for line, err := range list.Lines {
		if err == nil && line.Record != "" {
			continue
		}
		snap, bad := in.snapshot(m, list.Pack, line)
		if !yield(snap, errors.Join(err, bad)) {
			return false
		}
	}
	return true
}

func (in *inputs) snapshot(m state.Manifest, pack string, l state.SnapshotLine) (assemble.Snapshot, error) {
	if l.Source < 0 || l.Source >= len(m.Sources) {
		return assemble.Snapshot{}, fault.Permanentf("import the drop again", "read import %s: a snapshot names source %d of %d", m.Import, l.Source, len(m.Sources))
	}
	src := m.Sources[l.Source]
	source := assemble.Source{
		File: src.File, Checksum: src.Checksum, ImportedAt: state.DocumentTime(m.Parts[src.Part].Newest),
		Importer: contractName, ImporterVersion: src.Importer,
	}
	if im := l.Import; im != nil {
		source = assemble.Source{
			File: im.SourceFile, Checksum: im.SourceChecksum, ImportedAt: im.ImportedAt, Importer: im.Importer, ImporterVersion: im.ImporterVersion,
		}
	}
	return assemble.Snapshot{
		Conversation: l.Conversation, Import: m.Import, Order: l.Order, Digest: l.Digest,
		Pack: m.Import + "/" + pack, Offset: l.Offset, Length: l.Length, Size: l.Size, Position: l.Position,
		Source:   source,
		Platform: l.Platform, Title: l.Title, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, Messages: l.Messages, Tags: l.Tags,
	}, nil
}

// packKey is the key of a pack that snapshot has named.
func (in *inputs) packKey(pack string) (string, error) {
	id, digest, ok := strings.Cut(pack, "/")
	if !ok {
		return "", fmt.Errorf("read pack: %q names none", pack)
	}
	return state.PackKey(in.owner, id, digest), nil
}

// Read gives one document with a ranged Get.
func (in *inputs) Read(ctx context.Context, snap assemble.Snapshot) ([]byte, error) {
	key, err := in.packKey(snap.Pack)
	if err != nil {
		return nil, err
	}
	rc, _, err := in.Store.Get(ctx, key, blob.Range{Offset: snap.Offset, Length: snap.Length})
	if err != nil {
		return nil, objects.Lost(key, err)
	}
	defer rc.Close()
	frame := make([]byte, snap.Length)
	if _, err := io.ReadFull(rc, frame); err != nil {
		return nil, objects.Damaged(key, err)
	}
	doc, err := state.UnpackFrame(nil, frame, snap.Size)
	if err != nil {
		return nil, objects.Damaged(key, err)
	}
	return doc, nil
}

// ReadPack gives many documents of one pack with one Get.
func (in *inputs) ReadPack(ctx context.Context, pack string, want []assemble.Snapshot, yield func(assemble.Snapshot, []byte) error) error {
	key, err := in.packKey(pack)
	if err != nil {
		return err
	}
	p, err := state.OpenDocuments(ctx, in.Store, key)
	if err != nil {
		return err
	}
	defer p.Close()
	for _, snap := range want {
		doc, err := p.Next(snap.Offset, snap.Length, snap.Size)
		if err != nil {
			return err
		}
		if err := yield(snap, doc); err != nil {
			return err
		}
	}
	return nil
}

// Edits are the person's own changes.
func (in *inputs) Edits(context.Context) iter.Seq2[assemble.Edit, error] {
	return func(yield func(assemble.Edit, error) bool) {
		for _, e := range in.edits {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Previous is the fold index of the head.
func (in *inputs) Previous(ctx context.Context) iter.Seq2[assemble.Folded, error] {
	return FoldIndex(ctx, in.Store, in.owner, in.prior)
}

// FoldIndex iterates over the conversations of the export of a head, ascending by id; over none if
// the head has no export. A head that was not read from storage may lack the digest.
func FoldIndex(ctx context.Context, s blob.Store, owner string, h state.Head) iter.Seq2[assemble.Folded, error] {
	return func(yield func(assemble.Folded, error) bool) {
		if h.ExportID == "" {
			return
		}
		key, sum := state.ExportKey(owner, h.ExportID, ".fold.zst"), sha256.New()
		for line, err := range objects.ReadLines(ctx, s, key) {
			var f assemble.Folded
			if err == nil {
				sum.Write(line)
				if f, err = assemble.ParseFolded(line); err != nil {
					err = objects.Damaged(key, err)
				}
			}
			if !yield(f, objects.Lost(key, err)) || err != nil {
				return
			}
		}
		if h.FoldIndex != "" && h.FoldIndex != pamio.Digest([sha256.Size]byte(sum.Sum(nil))) {
			yield(assemble.Folded{}, objects.Damaged(key, objects.ErrDamaged))
		}
	}
}

// Conversations stores new conversation files.
func (in *inputs) Conversations(ctx context.Context, files []assemble.File) error {
	items := make([]blob.Item, len(files))
	for i, f := range files {
		items[i] = blob.Item{Key: state.OwnerKey(in.owner, f.Name), Body: f.Body}
	}
	err := objects.PutNamed(ctx, in.Store, items)
	if err == nil {
		in.Observe.Tell(telemetry.Event{Stage: telemetry.StageAssemble, Owner: in.owner, Units: in.written.Add(int64(len(files))), Of: in.expected})
	}
	return err
}
