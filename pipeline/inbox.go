package pipeline

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// completeName is the object that says that its folder is whole.
const completeName = "_COMPLETE"

// lying is what a name in the inbox means.
type lying struct {
	// owner is that of the drop; "" when it is nobody's.
	owner string
	// unit is the key of the drop: an object, or a folder with its slash.
	unit string
	// inner is the name in the folder; "" for a drop of one object.
	inner string
	// ignore: it is no part of a drop. busy: but it shows that somebody is still at work on the folder.
	ignore, busy bool
	// bad says why no store can read it by this name; the name itself is not in it.
	bad error
}

func (l lying) folder() bool { return strings.HasSuffix(l.unit, "/") }

// marker: l says that its folder is whole.
func (l lying) marker() bool { return l.inner == completeName }

// badName tells what keeps a store from reading an object by its name.
func badName(key string) error {
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

var (
	errBadName     = errors.New("its name cannot be used: it holds a backslash, a control character, an empty part, \".\" or \"..\" as a part, or is too long")
	errGarbledName = errors.New("its name holds characters that the server cannot tell")
)

// inboxUnit is what will be one drop: an object, or the objects of a folder.
type inboxUnit struct {
	lying
	// id names its record. It changes with the content, and when the same content is put again.
	id     string
	bytes  int64
	files  int
	marked bool        // the marker of a folder is there
	newest blob.Object // what was changed last in a folder, ignored objects included
	// objects are the first of those that count, as many as were asked for.
	objects []blob.Object
}

// task asks for the unit to be taken.
func (u inboxUnit) task() TakeTask {
	t := TakeTask{V: state.MessageVersion, Owner: u.owner, Key: u.unit, Lane: Lane(u.bytes)}
	if u.bad != nil || u.owner == "" {
		t.Refuse = u.id
		t.Key = readable(t.Key)
	}
	return t
}

// readable makes a name fit for a message: text, and no other owner's.
func readable(key string) string { return strings.ToValidUTF8(key, "\uFFFD") }

// name is what a person called the drop.
func (u inboxUnit) name() string { return path.Base(u.unit) }

// record is the key of the unit's small record. What lies in the root of the inbox comes in no order of owners, so the
// records of all that have one place of their own.
func (u inboxUnit) Record() string {
	if u.folder() || strings.Contains(strings.TrimPrefix(u.unit, state.InboxRoot), "/") {
		return state.TakenKey(u.owner, u.id)
	}
	return state.TakenKey("", u.id)
}

func (u inboxUnit) String() string {
	return fmt.Sprintf("%d objects of %d bytes, record %s", u.files, u.bytes, u.id)
}

// shortID is 128 bits of a digest: enough to tell apart what one owner puts anywhere, ever.
func shortID(sum []byte) string { return hex.EncodeToString(sum[:16]) }
