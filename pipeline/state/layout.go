package state

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
)

// Keys of the storage layout (DESIGN, ARCHITECTURE.md). All keys of one owner lie under inbox/<owner>/, owners/<owner>/
// and work/<owner>/; every part of a key is an owner, our own id or a digest.

var (
	ownerForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
	HexForm   = regexp.MustCompile(`^[0-9a-f]{32,64}$`)
	// askForm is that of a request's name (Deps.NewID); the names that older versions give have no hyphens.
	askForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// CheckOwner tells why a string cannot be an owner.
func CheckOwner(owner string) error {
	if !ownerForm.MatchString(owner) {
		return fmt.Errorf("check owner: %q is not an owner id: use 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit", owner)
	}
	return nil
}

// CheckHex tells why a string cannot be a digest; what names it in the error.
func CheckHex(what, s string) error {
	if !HexForm.MatchString(s) {
		return fmt.Errorf("check %s: %q is not a digest", what, s)
	}
	return nil
}

// OwnerKey is a key in an owner's folder.
func OwnerKey(owner, rest string) string { return "owners/" + owner + "/" + rest }

// EditsKey is where a person's own changes lie.
func EditsKey(owner string) string { return OwnerKey(owner, "edits.jsonl") }

// HeadKey is where an owner's head lies.
func HeadKey(owner string) string { return OwnerKey(owner, "head.json") }

// ExportKey is the immutable store of an export; its companion, the fold index, ends in .fold.zst.
func ExportKey(owner, export, suffix string) string { return OwnerKey(owner, "exports/"+export+suffix) }

// ImportKey is a key in the folder of an import.
func ImportKey(owner, id, rest string) string { return OwnerKey(owner, "imports/"+id+"/"+rest) }

// PackKey is where the documents of the n-th pack of an import lie.
func PackKey(owner, id string, n int) string { return ImportKey(owner, id, packName(n)+".s2") }

// PackListKey is where the list of the n-th pack of an import lies.
func PackListKey(owner, id string, n int) string { return ImportKey(owner, id, packName(n)+".jsonl") }

func packName(n int) string { return fmt.Sprintf("snapshots/%06d", n) }

// CandidatesKey is where the candidates of a shard lie.
func CandidatesKey(owner, id, shard string) string {
	return ImportKey(owner, id, "candidates/"+shard+".jsonl.zst")
}

// RejectsKey is where the candidates of a shard that a gate held back are listed: their places, without their words.
func RejectsKey(owner, id, shard string) string {
	return ImportKey(owner, id, "rejects/"+shard+".jsonl.zst")
}

// ManifestKey is where the manifest of an import lies.
func ManifestKey(owner, id string) string { return ImportKey(owner, id, "manifest.json") }

// OwnerFolder is the folder of an owner in a store that is a folder: it opens as a bundle.
func OwnerFolder(store, owner string) string {
	return filepath.Join(store, "owners", owner)
}

// ReceiptKey is where the receipt of an import lies.
func ReceiptKey(owner, id string) string { return ImportKey(owner, id, "receipt.json") }

// DropKey is a key in the folder of a drop that was copied into its owner's inbox.
func DropKey(owner, digest, rest string) string { return "inbox/" + owner + "/" + digest + "/" + rest }

// InboxRoot is the folder of all inboxes.
const InboxRoot = "inbox/"

// InboxPrefix is the folder of an owner's inbox.
func InboxPrefix(owner string) string { return "inbox/" + owner + "/" }

// Nobody stands where an owner's name would: no owner is called so.
const Nobody = "_"

const TakenRoot = "drops/"

// TakenKey is the small record of one thing that lay in an inbox; owner is "" for what lay in nobody's, or in the root.
func TakenKey(owner, id string) string { return TakenRoot + cmp.Or(owner, Nobody) + "/" + id + ".json" }

// RequestKey is where the record of a request without a name lies.
func RequestKey(owner, drop string) string { return RequestPrefix(owner) + drop + ".json" }

// AskKey is where the record of the request of a name lies.
func AskKey(owner, drop, ask string) string {
	if !askForm.MatchString(ask) {
		return RequestKey(owner, drop)
	}
	return RequestPrefix(owner) + drop + "." + ask + ".json"
}

// RequestPrefix is the folder of an owner's open requests.
func RequestPrefix(owner string) string { return "work/" + owner + "/requests/" }

// WorkKey is a key in the working folder of an import.
func WorkKey(owner, id, rest string) string { return "work/" + owner + "/" + id + "/" + rest }

// MarkerKey is where the marker of a shard lies.
func MarkerKey(owner, id, shard string) string { return WorkKey(owner, id, "markers/"+shard+".json") }

// StoreKey is where the copy of an owner's current store lies.
func StoreKey(owner string) string { return OwnerKey(owner, "memory-store.json") }
