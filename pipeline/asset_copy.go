package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/providers"
)

// A piece of the list of assets has at most so many files and, when they are declared to be that large, bytes: what an
// interrupted ingest copies again.
const (
	assetListFiles = 500
	assetListBytes = 256 << 20
)

// Files up to smallAsset bytes are held in memory and written together, up to assetBatch bytes at a time.
const (
	smallAsset = 1 << 20
	assetBatch = 8 << 20
)

// copyAssets copies the claimed files and fills in.assets, which says what each member became. It takes over what an
// earlier run has listed.
func (in *ingest) copyAssets(ctx context.Context) error {
	in.assets = map[int]string{}
	members := assetMembers(in.claims)
	resuming := true
	for len(members) > 0 {
		n := in.m.AssetLists
		var list assetList
		var err error
		if resuming {
			list, resuming, err = readAssetList(ctx, in.Store, in.m.Owner, in.m.Import, n)
			if err != nil {
				return err
			}
			resuming = resuming && list.isOf(members)
		}
		if !resuming {
			if list, err = in.copySome(ctx, pieceOf(members)); err != nil {
				return err
			}
			if err := putJSON(ctx, in.Store, assetListKey(in.m.Owner, in.m.Import, n), list); err != nil {
				return err
			}
		}
		in.m.AssetLists++
		in.m.Counts.add(list.Counts)
		for _, f := range list.Files {
			if f.Ref != "" {
				in.assets[f.Index] = f.Ref
			}
		}
		members = members[len(list.Files):]
		in.Observe.tell(Event{Stage: StageIngest, Owner: in.m.Owner, Drop: in.m.Drop, Import: in.m.Import, Bytes: in.read.Load(), Total: in.total})
	}
	return nil
}

// isOf tells whether the list is one of the first members.
func (l assetList) isOf(members []assetMember) bool {
	if len(l.Files) == 0 || len(l.Files) > len(members) {
		return false
	}
	for i, f := range l.Files {
		if f.Index != members[i].Member.Index {
			return false
		}
	}
	return true
}

// pieceOf gives the members of the next list.
func pieceOf(members []assetMember) []assetMember {
	var size int64
	for i, m := range members {
		size += max(m.Member.Size, 0)
		if i+1 == assetListFiles || size >= assetListBytes {
			return members[:i+1]
		}
	}
	return members
}

// copySome copies members, Workers at a time, and accounts for them in their order.
func (in *ingest) copySome(ctx context.Context, members []assetMember) (assetList, error) {
	list := assetList{V: 1, Files: make([]assetFile, len(members))}
	bad := make([]*providers.UnitError, len(members))
	batch := &assetBatcher{store: in.Store, owner: in.m.Owner}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(in.Workers)
	for i, m := range members {
		g.Go(func() error {
			return recovered("copy asset", func() (err error) {
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
			list.Quarantined = append(list.Quarantined, Quarantined{Archive: in.rec.Parts[m.Member.Part].Name, UnitError: *bad[i]})
			continue
		}
		c.Assets.add(1, f.Size)
		c.by(m.importer, ImporterCount{Assets: 1})
	}
	return list, nil
}

// copyAsset copies one member. What is wrong with the member itself is a *UnitError.
func (in *ingest) copyAsset(ctx context.Context, m archive.Member, batch *assetBatcher) (f assetFile, bad *providers.UnitError, err error) {
	f = assetFile{Index: m.Index, Member: m.Name}
	limit := in.Limits.maxAsset()
	if m.Size > limit {
		return f, tooBig(m, m.Size, limit), nil
	}
	sp, err := spoolAsset(ctx, m, limit, in.Scratch)
	if err != nil {
		return f, unreadable(m, err), in.readFault(ctx, err)
	}
	if sp.size > limit {
		return f, tooBig(m, sp.size, limit), sp.close()
	}
	f.Ref, f.Size, f.Mime = sp.ref, sp.size, sp.mime
	if sp.file == nil {
		return f, nil, batch.add(ctx, blob.Item{Key: assetKey(in.m.Owner, f.Ref), Body: sp.head})
	}
	return f, nil, errors.Join(in.putBig(ctx, sp), sp.close())
}

// putBig stores a spooled file unless it is there already.
func (in *ingest) putBig(ctx context.Context, sp *spooled) error {
	key := assetKey(in.m.Owner, sp.ref)
	if there, err := exists(ctx, in.Store, key); err != nil || there {
		return err
	}
	_, err := in.Store.Put(ctx, key, sp.file, blob.PutOptions{IfAbsent: true})
	if errors.Is(err, blob.ErrPrecondition) {
		return nil // its name says that it is the same
	}
	return err
}

// readFault gives the error of reading a member when it is not the member's own.
func (in *ingest) readFault(ctx context.Context, err error) error {
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
	return &providers.UnitError{Member: m.Name, Size: size, Code: codeAssetTooBig, Reason: reasonTooBig(limit)}
}

func reasonTooBig(limit int64) string {
	return fmt.Sprintf("the file has more than the %d bytes of limits.max_asset; the messages that name it are kept without it", limit)
}

func unreadable(m archive.Member, err error) *providers.UnitError {
	u := &providers.UnitError{Member: m.Name, Size: max(m.Size, 0), Code: codeAssetUnreadable, Reason: "the file cannot be read"}
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

// add takes a file; body is kept until it is written.
func (b *assetBatcher) add(ctx context.Context, it blob.Item) error {
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
	err := putAssets(ctx, b.store, b.items)
	b.items, b.bytes = nil, 0
	return err
}
