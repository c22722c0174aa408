package lmstudio

import (
	"path"
	"regexp"
	"strconv"

	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules that make ids. They are frozen: a better reader never renames what an older one made.

// fileID is the base name that LM Studio gives a conversation's file: the milliseconds since 1970
// at which it was begun.
var fileID = regexp.MustCompile(`^([0-9]{13})\.conversation\.json$`)

// name gives the conversation its id: the number in the name of its file, else its creation time
// and its name.
func name(b *lossless.Builder, member string) {
	if m := fileID.FindStringSubmatch(path.Base(member)); m != nil {
		b.IDIn(localapp.Space(app), m[1])
		return
	}
	created, title := b.Root().Get("createdAt"), b.Root().Get("name")
	if !created.Exists() {
		b.IDIn(localapp.Space(app), "")
		return
	}
	b.DerivedID(localapp.Space(app), string(created.Raw())+"\x00"+title.Str())
}

// messageID is the id of the answer in a version of the i-th message: m3, and m3.v1 for its second
// version, so that a first version keeps its id when others come. The thoughts, calls and results
// of a version have #0, #1 … behind it.
func messageID(message, version int) string {
	id := "m" + strconv.Itoa(message)
	if version > 0 {
		id += ".v" + strconv.Itoa(version)
	}
	return id
}
