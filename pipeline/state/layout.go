package state

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
)

// Keys of the storage layout (ARCHITECTURE.md). Every part of a key is an owner, an id of ours, a
// number or a digest.

var (
	ownerForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
	hexForm   = regexp.MustCompile(`^[0-9a-f]{32,64}$`)
)

// CheckOwner tells why a string cannot be an owner.
func CheckOwner(owner string) error {
	if !ownerForm.MatchString(owner) {
		return fmt.Errorf("check owner: %q is not an owner id: use 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit", owner)
	}
	return nil
}

// OwnerKey is a key in an owner's folder.
func OwnerKey(owner, rest string) string { return "owners/" + owner + "/" + rest }

// HeadKey is the key of an owner's head.
func HeadKey(owner string) string { return OwnerKey(owner, "head.json") }

// ExportKey is the key of an object of an export: ".json" is the store, ".embeddings.json" its
// vectors, ".fold.zst" the fold index.
func ExportKey(owner, export, suffix string) string { return OwnerKey(owner, "exports/"+export+suffix) }

// ChangeKey is the key of the figures of an export: what it changed.
func ChangeKey(owner, export string) string { return ExportKey(owner, export, ".change.json") }

// ImportKey is a key in the folder of an import.
func ImportKey(owner, id, rest string) string { return OwnerKey(owner, "imports/"+id+"/"+rest) }

// PackKey is the key of the documents of a pack, by the digest of the object.
func PackKey(owner, id, digest string) string {
	return ImportKey(owner, id, "snapshots/"+digest+".s2")
}

// PackListKey is the key of the list of the n-th pack of an import.
func PackListKey(owner, id string, n int) string {
	return ImportKey(owner, id, fmt.Sprintf("snapshots/%06d.jsonl", n))
}

// ManifestKey is the key of the manifest of an import.
func ManifestKey(owner, id string) string { return ImportKey(owner, id, "manifest.json") }

// OwnerFolder is the folder of an owner in a store that is a folder: it opens as a bundle.
func OwnerFolder(store, owner string) string {
	return filepath.Join(store, "owners", owner)
}

// DropKey is a key in the folder of a drop that was copied into its owner's inbox.
func DropKey(owner, digest, rest string) string { return "inbox/" + owner + "/" + digest + "/" + rest }

// RemovedMark is the key of an empty object which tells that the copy of an archive was removed on
// purpose.
func RemovedMark(part string) string { return part + ".removed" }

// InboxRoot is the folder of all inboxes.
const InboxRoot = "inbox/"

// InboxPrefix is the folder of an owner's inbox.
func InboxPrefix(owner string) string { return "inbox/" + owner + "/" }

// Nobody stands in the place of an owner: no owner has this name.
const Nobody = "_"

// TakenRoot is the prefix of the records of what lay in inboxes.
const TakenRoot = "drops/"

// TakenKey is the small record of one thing that lay in an inbox; owner is "" for what lay in
// nobody's, or in the root.
func TakenKey(owner, id string) string { return TakenRoot + cmp.Or(owner, Nobody) + "/" + id + ".json" }

// StoreKey is where the copy of an owner's current store lies.
func StoreKey(owner string) string { return OwnerKey(owner, "memory-store.json") }
