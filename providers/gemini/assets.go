package gemini

import (
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// assets finds the copies of attached files. Their names are in the form of the system that made
// the archive, so that all are compared in one form.
type assets struct {
	byPath map[string]archive.Member   // folder and name
	byName map[string][]archive.Member // name
	byStem map[string][]archive.Member // folder and name without ending, or without the hex digits that Google adds
}

func newAssets() *assets {
	return &assets{byPath: map[string]archive.Member{}, byName: map[string][]archive.Member{}, byStem: map[string][]archive.Member{}}
}

func (a *assets) add(m archive.Member) {
	full := norm.NFC.String(m.Name)
	dir, base := path.Dir(full), path.Base(full)
	if _, twice := a.byPath[full]; twice {
		return // in several parts of one export
	}
	a.byPath[full] = m
	a.byName[base] = append(a.byName[base], m)
	stem := strings.TrimSuffix(base, path.Ext(base))
	a.byStem[dir+"/"+stem] = append(a.byStem[dir+"/"+stem], m)
	if h := hashed.FindStringSubmatch(base); h != nil {
		a.byStem[dir+"/"+h[1]+h[2]] = append(a.byStem[dir+"/"+h[1]+h[2]], m)
	}
}

// find gives the reference of the file that a log in this folder names. The ending may be another
// one on disk, and the hex digits may be missing in the name; only one file may fit then.
func (a *assets) find(dir, local string) (ref string, ok bool) {
	if a == nil {
		return "", false
	}
	dir = norm.NFC.String(dir)
	for _, name := range []string{local, unescaped(local)} {
		name = norm.NFC.String(path.Clean(name))
		if m, ok := a.byPath[path.Join(dir, name)]; ok {
			return importer.MemberRef(m), true
		}
		stem := strings.TrimSuffix(name, path.Ext(name))
		for _, fit := range [][]archive.Member{a.byName[path.Base(name)], a.byStem[dir+"/"+stem], a.byStem[dir+"/"+name]} {
			if len(fit) == 1 {
				return importer.MemberRef(fit[0]), true
			}
		}
	}
	return "", false
}

// belongs tells whether a member that lies beside a log is an attached file, by its name.
func belongs(name string) bool {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	if hashed.MatchString(base) {
		return true
	}
	if path.Dir(name) == "." {
		return false // beside a bare log may lie anything
	}
	return importer.NamedType(base) != "file" && ext != ".json" && ext != ".html" && ext != ".csv" && ext != ".txt" && ext != ".md"
}
