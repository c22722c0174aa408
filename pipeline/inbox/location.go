package inbox

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// markerName is the object that says that its folder is complete.
const markerName = "_COMPLETE"

// location is what the name of an object in the inbox means.
type location struct {
	// owner of the drop; "" if it is nobody's.
	owner string
	// entry is the key of the entry: an object, or a folder with its slash.
	entry string
	// inner is the name in the folder; "" for an entry of one object.
	inner string
	// skipped: the object is no part of a drop. busy: but it shows that the folder is being filled.
	skipped, busy bool
	// bad says why no store can read the object by this name. The name itself is not in it.
	bad error
}

func (l location) isMarker() bool { return l.inner == markerName }

func isFolder(entry string) bool { return strings.HasSuffix(entry, "/") }

// inRoot tells whether an entry lies in the inbox itself.
func inRoot(entry string) bool {
	return !strings.Contains(strings.TrimPrefix(entry, state.InboxRoot), "/")
}

// locate tells what an object is to the inbox, by its name and size alone.
//
//	inbox/<file>                    an entry of Rules.Owner, if there is one
//	inbox/<owner>/<file>            an entry of one object
//	inbox/<owner>/<folder>/<path>   part of the entry that is the folder
func (r Rules) locate(o blob.Object) location {
	rest := strings.TrimPrefix(o.Key, state.InboxRoot)
	first, below, deep := strings.Cut(rest, "/")
	l := location{bad: checkName(o.Key), skipped: strings.HasSuffix(o.Key, "/") && o.Size == 0 || isUnfinished(first)}
	switch {
	case !deep:
		l.owner, l.entry = r.Owner, o.Key
		return l
	case state.CheckOwner(first) != nil:
		l.entry = state.InboxRoot + first + "/" // one refusal for all of it
		return l
	}
	l.owner = first
	folder, inner, deep := strings.Cut(below, "/")
	if !deep {
		l.entry = o.Key
		l.skipped = l.skipped || isUnfinished(folder)
		return l
	}
	l.entry, l.inner = state.InboxPrefix(first)+folder+"/", inner
	switch {
	case l.skipped:
	case isOwnObject(folder, inner), isUnfinished(folder):
		l.skipped = true
	default:
		for name := range strings.SplitSeq(inner, "/") {
			l.skipped = l.skipped || isUnfinished(name) && name != "." && name != ".."
		}
		l.busy = l.skipped
	}
	return l
}

// unfinishedEndings are what programs append to names of files that they are still writing.
var unfinishedEndings = []string{".part", ".partial", ".crdownload", ".download", ".tmp", ".filepart", "~"}

// isUnfinished tells whether a name is hidden, or that of an unfinished upload.
func isUnfinished(name string) bool {
	if strings.HasPrefix(name, ".") {
		return true
	}
	for _, end := range unfinishedEndings {
		if strings.HasSuffix(strings.ToLower(name), end) {
			return true
		}
	}
	return false
}

// isOwnObject tells whether an object below a folder of an owner's inbox was put there by pamline:
// the record or a copied part of a drop. A person's folder that happens to be named by 64 hex
// digits is a folder like any other, except for such names.
func isOwnObject(folder, inner string) bool {
	if len(folder) != 64 || state.CheckDigest("drop", folder) != nil {
		return false
	}
	number, part := strings.CutPrefix(inner, "part-")
	return inner == "drop.json" || part && len(number) >= 3 && strings.Trim(number, "0123456789") == ""
}

var (
	errBadName     = errors.New("its name cannot be used: it holds a backslash, a control character, an empty part, \".\" or \"..\" as a part, or is too long")
	errGarbledName = errors.New("its name holds characters that the server cannot list")
)

// checkName tells what keeps a store from reading an object by its name.
func checkName(key string) error {
	if err := blob.ValidKey(key); err != nil {
		if errors.Is(err, blob.ErrKey) {
			return errBadName
		}
		return err
	}
	if strings.ContainsRune(key, utf8.RuneError) {
		return errGarbledName // what a server gives for a character that it cannot write
	}
	return nil
}

// refuseName says why an entry that was refused by its name alone cannot be taken by anybody.
func (r Rules) refuseName(key string) error {
	l := r.locate(blob.Object{Key: key, Size: 1})
	switch {
	case l.owner == "" && isFolder(l.entry):
		return fault.Permanentf("name the folder by an owner: 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit",
			"take drop: the folder in the inbox is not named by an owner id")
	case l.owner == "":
		return fault.Permanentf("put it into the folder of its owner, or set owner to whose the inbox's root is",
			"take drop: it lies in the inbox itself, which has no owner")
	case l.bad == nil:
		return refuseObject(errBadName)
	}
	return refuseObject(l.bad)
}

func refuseObject(why error) error {
	return fault.Permanentf("put it there again under a plain name, or packed into one zip", "take drop: an object of it cannot be read: %w", why)
}
