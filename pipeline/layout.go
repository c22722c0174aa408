package pipeline

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
	hexForm   = regexp.MustCompile(`^[0-9a-f]{32,64}$`)
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

func checkHex(what, s string) error {
	if !hexForm.MatchString(s) {
		return fmt.Errorf("check %s: %q is not a digest", what, s)
	}
	return nil
}

func ownerKey(owner, rest string) string { return "owners/" + owner + "/" + rest }

func editsKey(owner string) string { return ownerKey(owner, "edits.jsonl") }

func headKey(owner string) string { return ownerKey(owner, "head.json") }

// exportKey is the immutable store of an export; its companion, the fold index, ends in .fold.zst.
func exportKey(owner, export, suffix string) string { return ownerKey(owner, "exports/"+export+suffix) }

func importKey(owner, id, rest string) string { return ownerKey(owner, "imports/"+id+"/"+rest) }

func packKey(owner, id string, n int) string { return importKey(owner, id, packName(n)+".s2") }

func packListKey(owner, id string, n int) string { return importKey(owner, id, packName(n)+".jsonl") }

func packName(n int) string { return fmt.Sprintf("snapshots/%06d", n) }

func candidatesKey(owner, id, shard string) string {
	return importKey(owner, id, "candidates/"+shard+".jsonl.zst")
}

// rejectsKey is where the candidates of a shard that a gate held back are listed: their places, without their words.
func rejectsKey(owner, id, shard string) string {
	return importKey(owner, id, "rejects/"+shard+".jsonl.zst")
}

func manifestKey(owner, id string) string { return importKey(owner, id, "manifest.json") }

func receiptKey(owner, id string) string { return importKey(owner, id, "receipt.json") }

func dropKey(owner, digest, rest string) string { return "inbox/" + owner + "/" + digest + "/" + rest }

// inboxRoot is the folder of all inboxes.
const inboxRoot = "inbox/"

func inboxPrefix(owner string) string { return "inbox/" + owner + "/" }

// nobody stands where an owner's name would: no owner is called so.
const nobody = "_"

const takenRoot = "drops/"

// takenKey is the small record of one thing that lay in an inbox; owner is "" for what lay in nobody's, or in the root.
func takenKey(owner, id string) string { return takenRoot + cmp.Or(owner, nobody) + "/" + id + ".json" }

// requestKey is where the record of a request without a name lies.
func requestKey(owner, drop string) string { return requestPrefix(owner) + drop + ".json" }

// askKey is where the record of the request of a name lies.
func askKey(owner, drop, ask string) string {
	if !askForm.MatchString(ask) {
		return requestKey(owner, drop)
	}
	return requestPrefix(owner) + drop + "." + ask + ".json"
}

func requestPrefix(owner string) string { return "work/" + owner + "/requests/" }

func workKey(owner, id, rest string) string { return "work/" + owner + "/" + id + "/" + rest }

func markerKey(owner, id, shard string) string { return workKey(owner, id, "markers/"+shard+".json") }

// OwnerFolder is the folder of an owner in a store that is a folder: it opens as a bundle.
func OwnerFolder(store, owner string) string {
	return filepath.Join(store, "owners", owner)
}

// ReceiptKey is where the receipt of an import lies.
func ReceiptKey(owner, id string) string { return receiptKey(owner, id) }

// StoreKey is where the copy of an owner's current store lies.
func StoreKey(owner string) string { return ownerKey(owner, "memory-store.json") }
