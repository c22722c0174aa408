package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// A list of assets has at most so many files and declared bytes: an interrupted ingest copies them
// again.
const (
	assetListFiles = 500
	assetListBytes = 256 << 20
)

// Files up to SmallAsset bytes are held in memory and written together, up to assetBatch bytes at a
// time.
const (
	SmallAsset = 1 << 20
	assetBatch = 8 << 20
)

// copyAssets copies the claimed files and fills in.assets, which tells what each member became.
// Lists of an earlier run are taken over.
func (in *archiveRun) copyAssets(ctx context.Context) error {
	in.assets = map[int]string{}
	members := state.AssetMembers(in.claims)
	for len(members) > 0 {
		piece := nextPiece(members)
		members = members[len(piece):]
		name := state.AssetListName(piece)
		list, named, err := in.assetList(ctx, name, piece)
		if err != nil {
			return err
		}
		in.m.AssetLists = append(in.m.AssetLists, named)
		in.m.Counts.Add(list.Counts)
		for _, f := range list.Files {
			if f.Ref != "" {
				in.assets[f.Index] = f.Ref
			}
		}
		in.Observe.Tell(telemetry.Event{Stage: telemetry.StageIngest, Owner: in.m.Owner, Drop: in.m.Drop, Import: in.m.Import, Bytes: in.read.Load(), Total: in.total})
	}
	return nil
}

// assetList gives the list of some members: the stored one, or else one of copies made now.
func (in *archiveRun) assetList(ctx context.Context, name string, members []state.AssetMember) (state.AssetList, state.NamedList, error) {
	list, named, ok, err := state.FindAssetList(ctx, in.Store, in.m.Owner, in.m.Import, name)
	if err != nil || ok {
		return list, named, err
	}
	if list, err = in.copyPiece(ctx, members); err != nil {
		return list, named, err
	}
	return state.PutAssetList(ctx, in.Store, in.m.Owner, in.m.Import, name, list)
}

// nextPiece gives the members of the next list.
func nextPiece(members []state.AssetMember) []state.AssetMember {
	var size int64
	for i, m := range members {
		size += max(m.Member.Size, 0)
		if i+1 == assetListFiles || size >= assetListBytes {
			return members[:i+1]
		}
	}
	return members
}

// copyPiece copies members, Workers at a time, and accounts for them in their order.
func (in *archiveRun) copyPiece(ctx context.Context, members []state.AssetMember) (state.AssetList, error) {
	list := state.AssetList{V: 1, Files: make([]state.AssetFile, len(members))}
	bad := make([]*providers.UnitError, len(members))
	batch := &assetBatcher{store: in.Store, owner: in.m.Owner}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(in.Workers)
	for i, m := range members {
		g.Go(func() error {
			return fault.Recovered("copy asset", func() (err error) {
				list.Files[i], bad[i], err = in.copyAsset(gctx, m.Member, batch)
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		return list, fmt.Errorf("copy assets of drop %s: %w", in.m.Drop, err)
	}
	if err := batch.flush(ctx); err != nil {
		return list, err
	}
	for i, m := range members {
		f, c := list.Files[i], &list.Counts
		if bad[i] != nil {
			c.Quarantined++
			list.Quarantined = append(list.Quarantined, state.Quarantined{Archive: in.rec.Parts[m.Member.Part].Name, UnitError: *bad[i]})
			continue
		}
		if f.Ref == "" {
			c.Skip(ledger.CodeErased, ledger.ReasonErased, 1)
			continue
		}
		c.Assets.Add(1, f.Size)
		c.By(m.Importer, state.ImporterCount{Assets: 1})
	}
	return list, nil
}

// copyAsset copies one member. What is wrong with the member itself is a *UnitError.
func (in *archiveRun) copyAsset(ctx context.Context, m archive.Member, batch *assetBatcher) (f state.AssetFile, bad *providers.UnitError, err error) {
	f = state.AssetFile{Index: m.Index, Member: m.Name}
	limit := in.Limits.AssetLimit()
	if m.Size > limit {
		return f, tooBig(m, m.Size, limit), nil
	}
	sp, err := spoolAsset(ctx, m, limit, in.Scratch)
	if err != nil {
		return f, unreadableAsset(m, err), in.readFault(ctx, err)
	}
	if sp.size > limit {
		return f, tooBig(m, sp.size, limit), sp.Close()
	}
	if in.erased.Has(ledger.Asset, sp.ref) {
		return f, nil, sp.Close()
	}
	f.Ref, f.Size, f.Mime = sp.ref, sp.size, sp.mime
	if sp.file == nil {
		return f, nil, batch.Add(ctx, blob.Item{Key: state.AssetKey(in.m.Owner, f.Ref), Body: sp.head})
	}
	return f, nil, errors.Join(in.putBig(ctx, sp), sp.Close())
}

// putBig stores a spooled file unless it is there already, undamaged.
func (in *archiveRun) putBig(ctx context.Context, sp *spooled) error {
	key := state.AssetKey(in.m.Owner, sp.ref)
	there, err := objects.IsWhole(ctx, in.Store, key, "")
	if err != nil || there {
		return err
	}
	_, err = in.Store.Put(ctx, key, sp.file, blob.PutOptions{})
	return err
}

// readFault gives the error of reading a member if it is not the member's own.
func (in *archiveRun) readFault(ctx context.Context, err error) error {
	var bad *archive.Error
	switch storage := in.fault.get(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case storage != nil:
		return storage
	case errors.As(err, &bad):
		return nil
	}
	return err
}

func tooBig(m archive.Member, size, limit int64) *providers.UnitError {
	return &providers.UnitError{Member: m.Name, Size: size, Code: state.CodeAssetTooBig, Reason: reasonTooBig(limit)}
}

func reasonTooBig(limit int64) string {
	return fmt.Sprintf("the file has more than the %d bytes of limits.max_asset; the messages that name it are kept without it", limit)
}

func unreadableAsset(m archive.Member, err error) *providers.UnitError {
	u := &providers.UnitError{Member: m.Name, Size: max(m.Size, 0), Code: state.CodeAssetUnreadable, Reason: "the file cannot be read"}
	var bad *archive.Error
	if errors.As(err, &bad) {
		u.Offset, u.Reason = bad.Offset, "the file cannot be read: "+bad.Reason
	}
	return u
}

// assetBatcher gathers small files and writes them together. It is used by several goroutines.
type assetBatcher struct {
	store blob.Store
	owner string
	mu    sync.Mutex
	items []blob.Item
	bytes int
}

// Add takes a file; body is kept until it is written.
func (b *assetBatcher) Add(ctx context.Context, it blob.Item) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cap(it.Body) > 2*len(it.Body) {
		it.Body = bytes.Clone(it.Body) // the size of the file was not known
	}
	b.items = append(b.items, it)
	if b.bytes += len(it.Body); b.bytes < assetBatch {
		return nil
	}
	return b.write(ctx)
}

func (b *assetBatcher) flush(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.write(ctx)
}

func (b *assetBatcher) write(ctx context.Context) error {
	err := state.PutAssets(ctx, b.store, b.items)
	b.items, b.bytes = nil, 0
	return err
}
