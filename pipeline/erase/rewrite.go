package erase

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

type storage = blob.Store

// holdsErased tells whether an import holds something that the ledger has.
func (e *eraser) holdsErased(ctx context.Context, id string) (holds bool, err error) {
	err = e.eachOf(ctx, id, func(_ state.Manifest, one element) error {
		holds = holds || e.isErased(one)
		return nil
	})
	return holds, err
}

// rewritten is the id of what an import becomes without what the ledger has.
func (e *rewriter) rewritten(id string) string {
	tag := ""
	for _, entry := range e.ledger.Entries {
		tag += entry.At + strings.Join(entry.Keys, " ") + "\n"
	}
	return objects.Digest("pamline-erasure/1\n" + id + "\n" + tag)[:state.ImportIDLength]
}

// rewriteImport writes an import without what the ledger has, and gives its id; "" if nothing is
// left of it.
func (e *rewriter) rewriteImport(ctx context.Context, id string) (string, error) {
	m, ok, err := state.ReadManifest(ctx, e.Store, e.owner, id)
	if err != nil || !ok {
		return "", err
	}
	next := m
	next.Import, next.Shards, next.AssetLists = e.rewritten(id), nil, nil
	next.Counts = state.Counts{}
	next.Counts.Add(m.Counts)
	assets, err := e.assetsOf(ctx, id, e.isErased)
	if err != nil {
		return "", err
	}
	for _, shard := range m.Shards {
		r := &shardRewrite{eraser: e.eraser, from: m, to: &next, shard: shard, assets: assets}
		if err := r.run(ctx); err != nil {
			return "", fmt.Errorf("rewrite import %s: %w", id, err)
		}
	}
	for _, named := range m.AssetLists {
		if err := e.rewriteAssets(ctx, m, &next, named, assets); err != nil {
			return "", fmt.Errorf("rewrite import %s: %w", id, err)
		}
	}
	if !next.Counts.Kept() {
		return "", nil
	}
	// What was refused, not read or noted may be told in words of the archive, and by its names.
	next.Refused, next.Unread, next.Notes = nil, nil, nil
	if err := ledger.BlankNames(ctx, e.Store, &next); err != nil {
		return "", err
	}
	body, err := state.EncodeManifest(next)
	if err == nil {
		_, err = objects.PutOnce(ctx, e.Store, state.ManifestKey(e.owner, next.Import), body)
	}
	e.receipt.Rewritten["imports"]++
	return next.Import, err
}

// assetsOf gives the files of an import: true if only elements that go name it.
func (e *eraser) assetsOf(ctx context.Context, id string, goes func(element) bool) (map[string]bool, error) {
	m, ok, err := state.ReadManifest(ctx, e.Store, e.owner, id)
	if err != nil || !ok {
		return nil, err
	}
	refs := map[string]bool{}
	for ref, err := range state.AssetRefs(ctx, e.Store, m) {
		if err != nil {
			return nil, err
		}
		refs[ref] = false
	}
	named := map[string]bool{} // by what stays
	for _, shard := range m.Shards {
		if shard.IsEmpty() {
			continue
		}
		list, err := state.OpenShardList(ctx, e.Store, m, shard)
		if err != nil {
			return nil, err
		}
		err = e.eachElement(ctx, list, m, len(refs) > 0, func(one element) error {
			gone := goes(one)
			for ref := range refs {
				if len(one.doc) == 0 || !bytes.Contains(one.doc, []byte(ref)) {
					continue
				}
				if gone {
					refs[ref] = true
				} else {
					named[ref] = true
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for ref := range named {
		refs[ref] = false
	}
	return refs, nil
}

// rewriteAssets writes a list of copied files without those that go.
func (e *rewriter) rewriteAssets(ctx context.Context, m state.Manifest, next *state.Manifest, named state.NamedList, gone map[string]bool) error {
	list, err := state.ReadAssetList(ctx, e.Store, m, named)
	if err != nil {
		return err
	}
	list.Files = slices.DeleteFunc(slices.Clone(list.Files), func(f state.AssetFile) bool {
		if gone[f.Ref] {
			next.Counts.Assets.Add(-1, -f.Size)
		}
		return gone[f.Ref]
	})
	_, named, err = state.PutAssetList(ctx, e.Store, e.owner, next.Import, named.Name, list)
	next.AssetLists = append(next.AssetLists, named)
	return err
}

// shardRewrite writes a shard without what is erased.
type shardRewrite struct {
	*eraser
	from   state.Manifest
	to     *state.Manifest
	shard  state.Shard
	assets map[string]bool

	header state.PackHeader
	lines  []state.SnapshotLine
	frames []byte
	gone   []element
}

func (r *shardRewrite) run(ctx context.Context) error {
	list, err := state.OpenShardList(ctx, r.Store, r.from, r.shard)
	if err != nil {
		return err
	}
	r.header = list.PackHeader
	c := &r.header.Counts
	r.header.Counts = state.Counts{}
	r.header.Counts.Add(list.Counts)
	if !r.shard.IsEmpty() {
		if err := r.eachElement(ctx, list, r.from, true, r.add); err != nil {
			return err
		}
	}
	r.header.Assets = slices.DeleteFunc(slices.Clone(list.Assets), func(f state.AssetFile) bool {
		if r.assets[f.Ref] {
			c.Assets.Add(-1, -f.Size)
			r.to.Counts.Assets.Add(-1, -f.Size)
		}
		return r.assets[f.Ref]
	})
	for _, one := range r.gone {
		r.uncount(c, one)
		r.uncount(&r.to.Counts, one)
	}
	// What was quarantined may be told in words of the archive.
	r.header.Quarantined = nil
	ledger.BlankFiles(&r.header, r.lines)
	h := &r.header
	h.Count, h.Shard, h.Pack = len(r.lines), state.ShardID(r.shard.Pack, r.lines, r.from.Extractors), ""
	if len(r.lines) > 0 {
		sum := sha256.Sum256(r.frames)
		h.Pack = hex.EncodeToString(sum[:])
		if err := objects.PutNamed(ctx, r.Store, []blob.Item{{Key: state.PackKey(r.owner, r.to.Import, h.Pack), Body: r.frames}}); err != nil {
			return err
		}
	}
	key := state.PackListKey(r.owner, r.to.Import, r.shard.Pack)
	body, err := state.EncodePackList(key, *h, r.lines)
	if err != nil {
		return err
	}
	if _, err := objects.PutOnce(ctx, r.Store, key, body); err != nil {
		return err
	}
	next := state.Shard{ID: h.Shard, Pack: r.shard.Pack, List: objects.Digest(string(body)), Snapshots: h.Count - h.Records, Records: h.Records, Assets: len(h.Assets), Bytes: h.Bytes}
	r.to.Shards = append(r.to.Shards, next)
	return r.rewriteResults(ctx, next)
}

// add takes over an element that stays.
func (r *shardRewrite) add(one element) error {
	if r.isErased(one) {
		one.doc = nil
		r.gone = append(r.gone, one)
		r.header.Bytes -= one.Size
		if one.Record != "" {
			r.header.Records--
		}
		return nil
	}
	line, at := one.SnapshotLine, len(r.frames)
	r.frames = state.PackFrame(r.frames, one.doc)
	line.Offset, line.Length = int64(at), int64(len(r.frames)-at)
	r.lines = append(r.lines, line)
	return nil
}

// uncount takes an erased element out of an account.
func (r *shardRewrite) uncount(c *state.Counts, one element) {
	c.Skip(ledger.CodeErased, ledger.ReasonErased, 1)
	version := r.from.ImporterOf(one.Source)
	if one.Record != "" {
		c.Record(one.Record, -1)
		if c.Records[one.Record] == 0 {
			delete(c.Records, one.Record)
		}
		c.By(version, state.ImporterCount{Records: -1})
		return
	}
	c.Conversations--
	c.Messages -= one.Messages
	c.By(version, state.ImporterCount{Conversations: -1})
}
