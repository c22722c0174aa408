package state

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// The assets of an import are files of its drop, in owners/<owner>/assets/ under the digest of
// their bytes. Members that were copied are listed in imports/<import>/assets/, files inside of
// units in the header of their pack's list. Both lists are written after the files are durable.

// AssetsFolder is where assets lie in a bundle.
const AssetsFolder = "assets"

// AssetList is a piece of the list of copied members, in the order of the claims. It is written
// once and is a checkpoint of an interrupted ingest.
type AssetList struct {
	V int `json:"v"`
	// Counts is what these members add to the import's account.
	Counts      Counts        `json:"counts"`
	Quarantined []Quarantined `json:"quarantined,omitempty"`
	Files       []AssetFile   `json:"files"`
}

// AssetFile is one file that was copied, or, without Ref, could not be.
type AssetFile struct {
	// Index and Member are its place in the archive; a file inside of a unit has neither.
	Index  int    `json:"index,omitempty"`
	Member string `json:"member,omitempty"`
	Ref    string `json:"ref,omitempty"` // assets/<sha256>.<ext>
	Size   int64  `json:"size"`
	Mime   string `json:"mime,omitempty"`
}

// AssetCount is the account of copied files. Equal files count each time, though they are stored
// once.
type AssetCount struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Add counts copied files and their bytes.
func (c *AssetCount) Add(files, bytes int64) {
	c.Files += files
	c.Bytes += bytes
}

// Codes of quarantined assets.
const (
	CodeAssetTooBig     = "asset_too_big"
	CodeAssetUnreadable = "asset_unreadable"
)

// IsAsset tells whether it is a file that could not be copied, not a unit.
func (q Quarantined) IsAsset() bool {
	return q.Code == CodeAssetTooBig || q.Code == CodeAssetUnreadable
}

// AssetListKey is the key of a list of copied files; name is that of its members (AssetListName).
func AssetListKey(owner, id, name string) string { return ImportKey(owner, id, "assets/"+name+".json") }

// AssetListName names a list by its members: a later run with the same members finds the list.
func AssetListName(members []AssetMember) string {
	var b strings.Builder
	for _, m := range members {
		fmt.Fprintf(&b, "%d %d %s %s\n", m.Member.Index, m.Member.Size, m.Importer, m.Member.Name)
	}
	return objects.Digest(b.String())[:32]
}

// AssetKey is where a copied file lies; ref is its name in a bundle.
func AssetKey(owner, ref string) string { return OwnerKey(owner, ref) }

// AssetMembers are the claimed members that are copied, in the order of the claims.
func AssetMembers(claims []providers.Detected) []AssetMember {
	var out []AssetMember
	for _, f := range claims {
		for _, m := range f.Claim.Members {
			if m.Role == importer.RoleAsset {
				out = append(out, AssetMember{m, f.Importer.Version()})
			}
		}
	}
	return out
}

// AssetMember is a member of an archive that is copied, with the importer that claims it.
type AssetMember struct {
	providers.ClaimedMember
	Importer string // version
}

// AssetRefs are the names of all assets of an import; one may come several times.
func AssetRefs(ctx context.Context, s blob.Store, m Manifest) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, named := range m.AssetLists {
			list, err := ReadAssetList(ctx, s, m, named)
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
			h, err := OpenShardList(ctx, s, m, shard)
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

// PutAssets stores files that are held in memory, each once.
func PutAssets(ctx context.Context, s blob.Store, items []blob.Item) error {
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
	if err := objects.PutNamed(ctx, s, once); err != nil {
		return fmt.Errorf("store %d assets: %w", len(once), err)
	}
	return nil
}

// NamedList names a list of copied files in a manifest.
type NamedList struct {
	Name   string `json:"name"`
	Digest string `json:"digest"` // SHA-256 of the list
}

// PutAssetList stores a list once, and gives the stored one.
func PutAssetList(ctx context.Context, s blob.Store, owner, id, name string, list AssetList) (AssetList, NamedList, error) {
	if _, err := objects.PutOnceJSON(ctx, s, AssetListKey(owner, id, name), list); err != nil {
		return list, NamedList{}, err
	}
	list, named, _, err := FindAssetList(ctx, s, owner, id, name)
	return list, named, err
}

// FindAssetList gives a list of an import by its name; ok is false if there is none.
func FindAssetList(ctx context.Context, s blob.Store, owner, id, name string) (list AssetList, named NamedList, ok bool, err error) {
	sum, err := objects.ReadJSONOf(ctx, s, AssetListKey(owner, id, name), "", &list)
	if objects.IsMissing(err) {
		return list, named, false, nil
	}
	return list, NamedList{name, sum}, err == nil, err
}

// ReadAssetList gives a list that a manifest names.
func ReadAssetList(ctx context.Context, s blob.Store, m Manifest, named NamedList) (list AssetList, err error) {
	key := AssetListKey(m.Owner, m.Import, named.Name)
	_, err = objects.ReadJSONOf(ctx, s, key, named.Digest, &list)
	return list, objects.Lost(key, err)
}
