package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// The assets of an import are files of its drop that lie in owners/<owner>/assets/ under the digest of their bytes. Which
// ones they are is written down in two places: imports/<import>/assets/<n>.json lists members that were copied, and the
// header of a pack's list those that stood inside the units of the pack. Both are written after the files are durable, so
// that whoever reads a list finds what it names.

// assetsFolder is where assets lie in a bundle.
const assetsFolder = "assets"

// assetList is a piece of the list of copied members, in the order of the claims. It is a checkpoint of an interrupted
// ingest.
type assetList struct {
	V int `json:"v"`
	// Counts is what these members add to the import's account.
	Counts      Counts        `json:"counts"`
	Quarantined []Quarantined `json:"quarantined,omitempty"`
	Files       []assetFile   `json:"files"`
}

// assetFile is one file that was copied, or, without Ref, could not be.
type assetFile struct {
	// Index and Member are its place in the archive; neither is there for a file that stood inside a unit.
	Index  int    `json:"index,omitempty"`
	Member string `json:"member,omitempty"`
	Ref    string `json:"ref,omitempty"` // assets/<sha256>.<ext>
	Size   int64  `json:"size"`
	Mime   string `json:"mime,omitempty"`
}

// AssetCount is the account of copied files. Equal files count each time, though they are stored once.
type AssetCount struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

func (c *AssetCount) add(files, bytes int64) {
	c.Files += files
	c.Bytes += bytes
}

// Codes of quarantined assets.
const (
	codeAssetTooBig     = "asset_too_big"
	codeAssetUnreadable = "asset_unreadable"
)

// IsAsset tells whether it is a file that could not be copied, not a unit.
func (q Quarantined) IsAsset() bool {
	return q.Code == codeAssetTooBig || q.Code == codeAssetUnreadable
}

// DefaultMaxAsset is the largest file that is copied when no limit is set, in bytes.
const DefaultMaxAsset = 2 << 30

func (l Limits) maxAsset() int64 {
	if l.MaxAsset <= 0 {
		return DefaultMaxAsset
	}
	return l.MaxAsset
}

func assetListKey(owner, id string, n int) string {
	return importKey(owner, id, fmt.Sprintf("assets/%06d.json", n))
}

func assetKey(owner, ref string) string { return ownerKey(owner, ref) }

// assetMembers are the claimed members that are copied, in the order of the claims.
func assetMembers(claims []providers.Detected) []assetMember {
	var out []assetMember
	for _, f := range claims {
		for _, m := range f.Claim.Members {
			if m.Role == importer.RoleAsset {
				out = append(out, assetMember{m, f.Importer.Version()})
			}
		}
	}
	return out
}

type assetMember struct {
	providers.ClaimedMember
	importer string // version
}

// assetRefs are the names of all assets of an import; one may come several times.
func assetRefs(ctx context.Context, s blob.Store, m Manifest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for n := range m.AssetLists {
			var list assetList
			_, err := readJSON(ctx, s, assetListKey(m.Owner, m.Import, n), &list)
			if err != nil {
				yield("", fmt.Errorf("read assets of import %s: %w", m.Import, err))
				return
			}
			for _, f := range list.Files {
				if f.Ref != "" && !yield(f.Ref, nil) {
					return
				}
			}
		}
		for _, shard := range m.Shards {
			if shard.Assets == 0 {
				continue
			}
			h, err := readPackHeader(ctx, s, packListKey(m.Owner, m.Import, shard.Pack))
			if err != nil {
				yield("", fmt.Errorf("read assets of import %s: %w", m.Import, err))
				return
			}
			for _, f := range h.Assets {
				if !yield(f.Ref, nil) {
					return
				}
			}
		}
	}
}

// putAssets stores files that are held in memory, each once.
func putAssets(ctx context.Context, s blob.Store, items []blob.Item) error {
	seen := make(map[string]bool, len(items))
	once := items[:0:0]
	for _, it := range items {
		if !seen[it.Key] {
			seen[it.Key] = true
			once = append(once, it)
		}
	}
	if len(once) == 0 {
		return nil
	}
	if _, err := blob.PutAbsentAll(ctx, s, once); err != nil {
		return fmt.Errorf("store %d assets: %w", len(once), err)
	}
	return nil
}

// readAssetList gives the n-th list of an import; ok is false when there is none.
func readAssetList(ctx context.Context, s blob.Store, owner, id string, n int) (list assetList, ok bool, err error) {
	_, err = readJSON(ctx, s, assetListKey(owner, id, n), &list)
	if errors.Is(err, blob.ErrNotExist) {
		return list, false, nil
	}
	return list, err == nil, err
}
