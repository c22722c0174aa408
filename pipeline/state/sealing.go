package state

import (
	"regexp"
	"strings"
)

// copied are the keys of copied archives and their records, below an owner's inbox.
var copied = regexp.MustCompile(`^[0-9a-f]{64}/(?:drop\.json|part-[0-9]{3,}(?:\.removed)?)$`)

// personal are the folders of owners whose objects have content of a person.
var personal = []string{"owners/", TakenRoot, FailedRoot}

// Sealed tells whose content an object has, for encryption at rest (sealed.Scope). What people put
// into the inbox of a bucket is theirs, and stays as it is. Objects below work/ have ids only.
func Sealed(key string) (owner string, ok bool) {
	for _, root := range personal {
		if rest, ok := strings.CutPrefix(key, root); ok {
			return folderOwner(rest)
		}
	}
	rest, ok := strings.CutPrefix(key, InboxRoot)
	if !ok {
		return "", false
	}
	if owner, ok = folderOwner(rest); !ok || !copied.MatchString(rest[len(owner)+1:]) {
		return "", false
	}
	return owner, true
}

func folderOwner(rest string) (string, bool) {
	owner, _, ok := strings.Cut(rest, "/")
	return owner, ok && (owner == Nobody || CheckOwner(owner) == nil)
}
