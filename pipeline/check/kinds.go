package check

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/sealed"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/known"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// kind is a kind of object in the storage layout (ARCHITECTURE.md).
type kind struct {
	name string
	form func() *regexp.Regexp // of the key, with * in the place of the owner
	// verify reads an object by itself, and gives its digest.
	verify func(ctx context.Context, s blob.Store, key string) (string, error)
	// consequence of damage, if nothing that names the object says more.
	consequence string
	// repair makes the object again; nil: it cannot be derived from others.
	repair func(r *repairer, ctx context.Context, d Damage) error
	// stage orders the repairs: those of a stage need the objects of the stages before.
	stage int
	// advice for damage that cannot be repaired.
	advice string
}

const (
	fromBackup = "restore it from a backup"
	nothing    = "nothing that is needed now: it belongs to an earlier state"
	reimport   = "import the same archive again, which stores it again"
)

// The stages of repair, in their order.
const (
	stageHead = iota
	stageInputs
	stageDrops
	stageImports
	stageResults
	stageStore
	stageRest
)

// kinds is the table of the layout, filled by init: the repairs use the table themselves.
var kinds []*kind

func init() {
	digest, id, formatEnd := `[0-9a-f]{32,64}`, `[0-9a-f-]{36}`, `\.(mem\.zip|mif\.json)`
	add := func(k kind, form string) *kind {
		k.form = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + form + `$`) })
		kinds = append(kinds, &k)
		return &k
	}
	add(kind{"head", nil, verifySealed, "the log of heads stands in for it", (*repairer).repairHead, stageHead, fromBackup}, `owners/\*/head\.json`)
	add(kind{"logged head", nil, verifySealed, nothing, (*repairer).repairLoggedHead, stageHead, fromBackup}, `owners/\*/heads/\d{12}\.json`)
	add(kind{"input set", nil, verifyWhole, nothing, (*repairer).repairInputs, stageInputs, fromBackup}, `owners/\*/inputs/`+digest+`\.json`)
	add(kind{"edit", nil, verifySealed, "a change by hand is lost, and nothing can be published for this owner", nil, 0, fromBackup}, `owners/\*/edits/\d+\.json`)
	kindManifest = add(kind{"manifest", nil, verifySealed, nothing, (*repairer).repairImport, stageImports, fromBackup + ", or put the archive back into the inbox: it is read again then"}, `owners/\*/imports/`+digest+`/manifest\.json`)
	add(kind{"list of a pack", nil, verifyList, nothing, (*repairer).repairImport, stageImports, reimport}, `owners/\*/imports/`+digest+`/snapshots/\d{6}\.jsonl`)
	add(kind{"pack", nil, verifyWhole, nothing, (*repairer).repairImport, stageImports, reimport}, `owners/\*/imports/`+digest+`/snapshots/`+digest+`\.s2`)
	add(kind{"known elements", nil, verifyKnown, "elements of the next archive that this import has read already are decoded again", (*repairer).removeObject, stageRest, "remove it"}, `owners/\*/imports/`+digest+`/known/\d{6}\.zst`)
	add(kind{"list of files", nil, verifySealed, nothing, (*repairer).repairImport, stageImports, reimport}, `owners/\*/imports/`+digest+`/assets/`+digest+`\.json`)
	add(kind{"file of an export", nil, verifyWhole, nothing, (*repairer).repairImport, stageImports, reimport}, `owners/\*/assets/`+digest+`\.[^/]+`)
	add(kind{"result", nil, verifyLines, nothing, (*repairer).repairResult, stageResults, fromBackup}, `owners/\*/imports/`+digest+`/candidates/`+digest+`(\.\d+)?\.zst`)
	add(kind{"rejects", nil, verifyLines, "`pamline status --rejects` cannot list what was held back", (*repairer).repairResult, stageResults, fromBackup}, `owners/\*/imports/`+digest+`/rejects/`+digest+`\.zst`)
	add(kind{"vectors of a result", nil, verifyLines, nothing, (*repairer).repairResult, stageResults, fromBackup}, `owners/\*/imports/`+digest+`/vectors/`+digest+`\.zst`)
	add(kind{"cost of an import", nil, verifySealed, "what asking a model has cost is not known", (*repairer).removeObject, stageRest, "remove it: costs are counted from nothing then"}, `owners/\*/imports/`+digest+`/spent\.json`)
	add(kind{"ledger of erasures", nil, verifySealed, "what was erased comes back with the next import of an old archive, and nothing can be imported before", nil, 0, fromBackup}, `owners/\*/erasures\.json`)
	add(kind{"receipt of an erasure", nil, verifySealed, "the report of an erasure is lost", nil, 0, fromBackup}, `owners/\*/erasures/\d{6}\.json`)
	add(kind{"answer of a service", nil, verifySealed, "the shards that asked it cannot be extracted again", nil, 0, fromBackup + ", or remove it: the service is asked again"}, `owners/\*/answers/(batch-)?`+digest+`\.json`)
	add(kind{"export", nil, verifyWhole, nothing, (*repairer).repairStore, stageStore, fromBackup}, `owners/\*/exports/`+id+`(\.embeddings)?\.json`)
	add(kind{"export in another format", nil, verifyWhole, nothing, (*repairer).repairStore, stageStore, "import anything: the next export has the format again"}, `owners/\*/exports/`+id+formatEnd)
	add(kind{"fold index", nil, verifyLines, nothing, (*repairer).repairStore, stageStore, fromBackup}, `owners/\*/exports/`+id+`\.fold\.zst`)
	add(kind{"figures of an export", nil, verifySealed, "a report that is not written yet lacks what changed", (*repairer).removeObject, stageRest, "remove it"}, `owners/\*/exports/`+id+`\.change\.json`)
	add(kind{"moment of an export", nil, verifySealed, "the export cannot be computed again with its date", (*repairer).repairMoment, stageRest, "remove it: the store itself is complete"}, `owners/\*/moments/`+digest+`-[0-9a-f]{16}\.json`)
	add(kind{"conversation", nil, verifyWhole, nothing, (*repairer).repairStore, stageStore, fromBackup}, `owners/\*/conversations/[^/]+\.[0-9a-f]{16}\.json`)
	add(kind{"copy of the store", nil, verifyWhole, "other tools that open the folder as a bundle read a wrong or an old store", (*repairer).repairCopies, stageRest, "import anything: the copy is written again"}, `owners/\*/((memory-store|embeddings)\.json|memories`+formatEnd+`)`)
	add(kind{"cache", nil, verifyLines, "imports are slower until it is written again", (*repairer).removeObject, stageRest, "remove it"}, `owners/\*/cache\.zst`)
	kindJob = add(kind{"job record", nil, verifySealed, "the drop cannot be imported, replayed or erased", (*repairer).repairJob, stageRest, fromBackup}, `owners/\*/(jobs/`+digest+`|job)\.json`)
	kindReceipt = add(kind{"receipt", nil, verifySealed, "the report of an import is lost; the store is not affected", (*repairer).repairReceipt, stageRest, fromBackup}, `owners/\*/receipts/(`+digest+`|owner)/\d+\.json`)
	kindDrop = add(kind{"drop record", nil, verifySealed, "the archive cannot be read again (replay, repair); the store is not affected", (*repairer).repairDrop, stageDrops, reimport}, `inbox/\*/`+digest+`/drop\.json`)
	kindPart = add(kind{"archive", nil, nil, "the archive cannot be read again (replay, repair); the store is not affected", nil, 0, reimport}, `inbox/(\*/)?.+`)
	add(kind{"record of an upload", nil, verifySealed, "the upload is looked at again", (*repairer).removeObject, stageRest, "remove it"}, `drops/(\*|_)/`+digest+`(\.refused)?\.json`)
	add(kind{"failed object", nil, verifySealed, "why work has failed is not known any more", (*repairer).repairFailed, stageRest, "remove it, and redrive or replay the drop"}, `failed/\*/(`+digest+`|owner)\.\d+/.+\.json`)
	kindKeys = add(kind{"data keys", nil, nil, "the copy beside it stands in for it; without either nothing of the owner can be read", (*repairer).repairKeys, stageHead, fromBackup}, `keys/owners/\*(\.copy)?\.json`)
}

// Kinds that other code names.
var kindKeys, kindManifest, kindJob, kindReceipt, kindDrop, kindPart *kind

// Kinds are the names of all kinds of objects of an owner.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// KindOf is the name of the kind of an object of an owner, "" for an object that is not of the
// layout.
func KindOf(owner, key string) string {
	if k := kindOf(owner, key); k != unknown {
		return k.name
	}
	return ""
}

// unknown is the kind of objects that are not of the layout.
var unknown = &kind{name: "unknown object", consequence: "none", advice: "pamline did not write it: remove it if you did not put it there"}

// kindOf gives the kind of an object of an owner.
func kindOf(owner, key string) *kind {
	root, rest, _ := strings.Cut(key, "/")
	if after, ok := strings.CutPrefix(rest, owner+"/"); ok {
		key = root + "/*/" + after
	}
	if after, ok := strings.CutPrefix(key, sealed.KeyPrefix(owner)); ok {
		key = sealed.KeyPrefix("*") + after
	}
	for _, k := range kinds {
		if k.form().MatchString(key) {
			return k
		}
	}
	return unknown
}

func verifySealed(ctx context.Context, s blob.Store, key string) (string, error) {
	var v map[string]json.RawMessage
	return objects.ReadJSONOf(ctx, s, key, "", &v)
}

// verifyWhole reads an object that has the digest in its name, or in an object that names it.
func verifyWhole(ctx context.Context, s blob.Store, key string) (string, error) {
	rc, err := objects.OpenVerified(ctx, s, key, "")
	if err != nil {
		return "", err
	}
	err = errors.Join(rc.Finish(nil), rc.Close())
	return rc.Digest(), err
}

func verifyLines(ctx context.Context, s blob.Store, key string) (sum string, err error) {
	sum = objects.DigestInName(key)
	for _, err := range objects.ReadVerifiedLines(ctx, s, key, &sum) {
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

func verifyKnown(ctx context.Context, s blob.Store, key string) (string, error) {
	_, _, err := known.Read(ctx, s, key)
	return "", err
}

func verifyList(ctx context.Context, s blob.Store, key string) (string, error) {
	l, err := state.OpenPackList(ctx, s, key)
	if err != nil {
		return "", err
	}
	for _, err := range l.Lines {
		if err != nil {
			return l.Digest, err
		}
	}
	return l.Digest, nil
}

// isDamage tells whether an error is about the object, and not about storage.
func isDamage(err error) bool {
	return errors.Is(err, objects.ErrDamaged) || objects.IsMissing(err) || fault.Of(err) == fault.Permanent
}
