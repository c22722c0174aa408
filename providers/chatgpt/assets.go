package chatgpt

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// assets are the files of an export and what its lists say of them. It does not change after Claim.
//
// The file of an id is, in this order: <id>.dat where conversation_asset_file_names.json names it;
// the file of that id in library_files.json; the file that assetsJson of chat.html gives for the
// pointer; and any file whose name is the id, or begins with it and a "-", "." or "_", in whatever
// folder. Of several the one in the same part of the drop, then the one with the shortest name,
// then the first by name.
type assets struct {
	byBase   map[string][]archive.Member // by the name without folders
	byPrefix map[string][]archive.Member // by each part of that name that may be an id
	names    map[string]string           // original name by key of the list: "<id>.dat"
	library  map[string]*libraryFile     // by file id and by library id
	paths    map[string]string           // path by pointer, of the page

	byMessage, byMessageName, byThreadName, byName map[string][]*libraryFile
}

// libraryFile is an entry of library_files.json.
type libraryFile struct{ id, name, mime, message, thread string }

// maxSameID bounds the files that are kept for one id.
const maxSameID = 16

// add makes a member known.
func (a *assets) add(m archive.Member) {
	if a.byBase == nil {
		a.byBase, a.byPrefix = map[string][]archive.Member{}, map[string][]archive.Member{}
	}
	base := path.Base(m.Name)
	put := func(in map[string][]archive.Member, key string) {
		if len(in[key]) < maxSameID {
			in[key] = append(in[key], m)
		}
	}
	put(a.byBase, base)
	put(a.byPrefix, base)
	for i := len(base) - 1; i > 0; i-- {
		if strings.IndexByte("-._", base[i]) >= 0 && len(base[:i]) > len("file-") {
			put(a.byPrefix, base[:i])
		}
	}
}

// table reads one of the lists.
func (a *assets) table(kind string, root jsonscan.Node) {
	if kind == "names" {
		a.names = map[string]string{}
		for k, v := range root.Fields() {
			if v.Kind() == jsonscan.String && !k.Odd() && !v.Odd() {
				a.names[k.Str()] = v.Str()
			}
		}
		return
	}
	if a.library == nil {
		a.library, a.byMessage, a.byMessageName = map[string]*libraryFile{}, map[string][]*libraryFile{}, map[string][]*libraryFile{}
		a.byThreadName, a.byName = map[string][]*libraryFile{}, map[string][]*libraryFile{}
	}
	for v := range root.Items() {
		if v.Odd() {
			continue // an id or a name that no document can hold leads nowhere
		}
		f := &libraryFile{
			id: v.Get("file_id").Str(), name: v.Get("file_name").Str(), mime: v.Get("mime_type").Str(),
			message: v.Get("origination_message_id").Str(), thread: v.Get("origination_thread_id").Str(),
		}
		if f.id == "" {
			continue
		}
		a.library[f.id] = f
		if own := v.Get("id").Get("id"); own.Kind() == jsonscan.String {
			a.library[own.Str()] = f
		}
		put := func(in map[string][]*libraryFile, key string) { in[key] = append(in[key], f) }
		put(a.byName, f.name)
		if f.message != "" {
			put(a.byMessage, f.message)
			put(a.byMessageName, f.message+"\x00"+f.name)
		}
		if f.thread != "" {
			put(a.byThreadName, f.thread+"\x00"+f.name)
		}
	}
}

// listed are the names of files that the lists give and that say nothing by themselves.
func (a *assets) listed() map[string]bool {
	out := map[string]bool{}
	for name := range a.names {
		out[path.Base(name)] = true
	}
	for _, p := range a.paths {
		out[path.Base(p)] = true
	}
	return out
}

// found is a file that an id leads to.
type found struct {
	member archive.Member
	ok     bool
	name   string // original name, "" when no list has it
	mime   string
}

// find resolves an id. part is that of the conversation in the drop.
func (a *assets) find(id string, part int) (f found) {
	if id == "" {
		return f
	}
	f.name = a.names[id+".dat"]
	if l := a.library[id]; l != nil {
		id = l.id
		f.name, f.mime = cmp.Or(f.name, a.names[id+".dat"], l.name), l.mime
	}
	if f.name != "" {
		if f.member, f.ok = best(a.byBase[id+".dat"], part); f.ok {
			return f
		}
	}
	for _, pointer := range []string{"sediment://" + id, "file-service://" + id, id} {
		if p, ok := a.paths[pointer]; ok {
			if f.member, f.ok = best(a.byBase[path.Base(p)], part); f.ok {
				return f
			}
		}
	}
	f.member, f.ok = best(a.byPrefix[id], part)
	return f
}

// best chooses one of several files.
func best(members []archive.Member, part int) (archive.Member, bool) {
	if len(members) == 0 {
		return archive.Member{}, false
	}
	away := func(m archive.Member) int {
		if m.Part == part {
			return 0
		}
		return 1
	}
	return slices.MinFunc(members, func(x, y archive.Member) int {
		return cmp.Or(away(x)-away(y), len(path.Base(x.Name))-len(path.Base(y.Name)), strings.Compare(x.Name, y.Name), x.Index-y.Index)
	}), true
}

// refer sets the reference of an attachment whose id leads to a file, and counts one that leads to
// none. Names are only put where the source has none that Restore would write back.
func (d *decoder) refer(a *pamio.Attachment, named bool, ids ...string) {
	if d.old {
		return
	}
	for _, id := range ids {
		d.joined = d.joined || id != ""
		f := d.assets.find(id, d.part)
		if !named {
			a.Name, a.MimeType = cmp.Or(a.Name, short(f.name)), cmp.Or(a.MimeType, short(f.mime))
		}
		if f.ok {
			a.Ref = importer.MemberRef(f.member)
			return
		}
	}
}

// short leaves out a text that is too long to be kept twice.
func short(s string) string {
	if len(s) > maxCopied {
		return ""
	}
	return s
}
