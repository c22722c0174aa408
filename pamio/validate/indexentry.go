package validate

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// entry checks one entry of conversations_index for itself (PAM §14).
func (e *element) entry() entryFacts {
	n := e.root
	f := entryFacts{Index: e.index}
	f.ID, _ = text(n.Get("id"))
	f.Platform, _ = text(n.Get("platform"))
	e.platform(n.Get("platform"), "/platform")
	if title, ok := text(n.Get("title")); ok {
		f.Title = &title
	}
	if count := n.Get("message_count"); count.Kind() == jsonscan.Number {
		v, err := strconv.ParseFloat(string(count.Raw()), 64)
		i := int64(tooMany)
		switch {
		case v > 1<<53: // infinite, too
			f.Messages = &i
		case err == nil && v >= 0 && v == float64(int64(v)):
			i = int64(v)
			f.Messages = &i
		}
	}
	e.span(n.Get("temporal"))
	f.CreatedAt, _ = text(n.Get("temporal").Get("created_at"))
	f.UpdatedAt, _ = text(n.Get("temporal").Get("updated_at"))
	f.Tags, f.HasTags = tags(n.Get("tags"))
	for v := range n.Get("derived_memories").Items() {
		id, _ := text(v)
		f.derived = append(f.derived, id)
	}
	f.path = e.storage(n.Get("storage"))
	return f
}

// tooMany stands for a number of messages that no file has.
const tooMany = math.MaxInt64

// storage gives the path of the conversation file that an entry names, if it is a file inside of
// the bundle (PAM §14.2).
func (e *element) storage(n jsonscan.Node) string {
	ref, ok := text(n.Get("ref"))
	if !ok || ref == "" || !n.Get("type").Is("file") {
		return ""
	}
	p := path.Clean(ref)
	climbs := slices.Contains(strings.Split(ref, "/"), "..")
	foreign := strings.ContainsAny(ref, "\\\x00") || strings.HasPrefix(ref, "/") || strings.Contains(ref, "://") || hasDrive(ref)
	bad := climbs || foreign || p == "." || !fs.ValidPath(p)
	if e.wrong(storageEscape, bad) {
		e.find(storageEscape, e.at("/storage/ref", n.Get("ref")), "%s is not a path inside of the bundle; write one relative to the store, like "+
			"conversations/<id>.json", quote(ref))
		return ""
	}
	return p
}

// hasDrive tells whether a path starts with a Windows drive, as in C:/.
func hasDrive(ref string) bool {
	return len(ref) > 1 && ref[1] == ':' && (ref[0]|0x20 >= 'a' && ref[0]|0x20 <= 'z')
}

func tags(n jsonscan.Node) (list []string, ok bool) {
	for v := range n.Items() {
		s, _ := text(v)
		list = append(list, s)
	}
	return list, n.Kind() == jsonscan.Array
}
