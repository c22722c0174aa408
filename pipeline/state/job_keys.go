package state

import (
	"fmt"
	"strconv"
	"strings"
)

// OwnerJob is the name of the owner-level job in the place of a drop's digest: of edits and of
// signatures.
const OwnerJob = "owner"

// Prefixes of the objects of all owners.
const (
	OpenRoot   = "work/open/"
	FailedRoot = "failed/"
	BegunRoot  = "work/begun/"
)

// CheckDigest tells why a string cannot be the digest of the named thing.
func CheckDigest(what, s string) error {
	if !hexForm.MatchString(s) {
		return fmt.Errorf("check %s: %q is not a digest", what, s)
	}
	return nil
}

// EditKey is the key of the n-th edit of an owner, from 1.
func EditKey(owner string, n int) string { return OwnerKey(owner, fmt.Sprintf("edits/%d.json", n)) }

// JobKey is the key of the job record of a drop, or of the owner for [OwnerJob].
func JobKey(owner, drop string) string {
	if drop == OwnerJob {
		return OwnerKey(owner, "job.json")
	}
	return OwnerKey(owner, "jobs/"+drop+".json")
}

// ReceiptPrefix is the prefix of the receipts of a drop.
func ReceiptPrefix(owner, drop string) string { return OwnerKey(owner, "receipts/"+drop+"/") }

// ReceiptKey is the key of the receipt of an accepted generation.
func ReceiptKey(owner, drop string, gen int) string {
	return ReceiptPrefix(owner, drop) + strconv.Itoa(gen) + ".json"
}

// ResultPrefix is the prefix of all results of an import.
func ResultPrefix(owner, id string) string { return ImportKey(owner, id, "candidates/") }

// CompleteKey is the key of the complete result of a shard.
func CompleteKey(owner, id, shard string) string { return ResultPrefix(owner, id) + shard + ".zst" }

// PartialKey is the key of the partial result of a shard, made in a generation.
func PartialKey(owner, id, shard string, gen int) string {
	return ResultPrefix(owner, id) + shard + "." + strconv.Itoa(gen) + ".zst"
}

// ParseResult splits the key of a result below its [ResultPrefix]; gen is 0 for a complete result.
func ParseResult(name string) (shard string, gen int, ok bool) {
	name, ok = strings.CutSuffix(name, ".zst")
	if !ok {
		return "", 0, false
	}
	shard, number, partial := strings.Cut(name, ".")
	if partial {
		gen, ok = parseGen(number)
	}
	return shard, gen, ok && shard != ""
}

// OpenPrefix is the prefix of the hints of a job.
func OpenPrefix(owner, drop string) string { return OpenRoot + owner + "/" + drop + "." }

// OpenKey is the key of the hint of a generation.
func OpenKey(owner, drop string, gen int) string { return OpenPrefix(owner, drop) + strconv.Itoa(gen) }

// FailedPrefix is the prefix of the failed objects of a generation; gen 0 stands for all.
func FailedPrefix(owner, drop string, gen int) string {
	return FailedRoot + generationPrefix(owner, drop, gen)
}

// FailedKey is the key of the failed object of a unit.
func FailedKey(owner, drop string, gen int, unit string) string {
	return FailedPrefix(owner, drop, gen) + unit + ".json"
}

// BegunPrefix is the prefix of the crash marks of a generation; gen 0 stands for all.
func BegunPrefix(owner, drop string, gen int) string {
	return BegunRoot + generationPrefix(owner, drop, gen)
}

// BegunKey is the key of one crash mark of a unit.
func BegunKey(owner, drop string, gen int, unit, id string) string {
	return BegunPrefix(owner, drop, gen) + unit + "/" + id
}

func generationPrefix(owner, drop string, gen int) string {
	if gen == 0 {
		return owner + "/" + drop + "."
	}
	return owner + "/" + drop + "." + strconv.Itoa(gen) + "/"
}

// ParseGeneration splits a key below one of the three roots into owner, drop and generation; rest
// is what follows the generation, without its slash. Keys of another form are not ok.
func ParseGeneration(root, key string) (owner, drop string, gen int, rest string, ok bool) {
	key, ok = strings.CutPrefix(key, root)
	owner, key, found := strings.Cut(key, "/")
	key, rest, _ = strings.Cut(key, "/")
	drop, number, dot := strings.Cut(key, ".")
	gen, numbered := parseGen(number)
	return owner, drop, gen, rest, ok && found && dot && numbered && CheckOwner(owner) == nil &&
		(drop == OwnerJob || CheckDigest("drop", drop) == nil)
}

func parseGen(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && strconv.Itoa(n) == s
}
