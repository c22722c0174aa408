package textgen

import (
	"path"
	"regexp"
	"strconv"

	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules that make ids. They are frozen: a better reader never renames what an older one made.

// fileID is the base name that the program gives a chat: when it was begun, on the person's clock.
var fileID = regexp.MustCompile(`^([0-9]{8}-[0-9]{2}-[0-9]{2}-[0-9]{2})\.json$`)

// name gives the conversation its id: the name of its file; else time and text of the first thing
// that the person said; else the digest of all of it.
func name(b *lossless.Builder, member string, pairs []pair) {
	if m := fileID.FindStringSubmatch(path.Base(member)); m != nil {
		b.IDIn(localapp.Space(app), m[1])
		return
	}
	for _, p := range pairs {
		if p.said {
			b.DerivedID(localapp.Space(app), "first\x00"+p.user.Get("timestamp").Str()+"\x00"+p.question.Str())
			return
		}
	}
	b.IDIn(localapp.Space(app), "")
}

// messageID is the id of a version of a message of the i-th pair: u3 or a3, and a3.v1 for the
// second version, so that a first version keeps its id when others come.
func messageID(side string, i, version int) string {
	id := side + strconv.Itoa(i)
	if version > 0 {
		id += ".v" + strconv.Itoa(version)
	}
	return id
}
