package chatgpt

import (
	"path"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// checkManifest compares the manifest's list with the archive, in whatever folder of it the export
// lies.
func (j *joined) checkManifest(members []archive.Member) {
	if len(j.listed) == 0 {
		return
	}
	byBase := make(map[string][]archive.Member, len(members))
	for _, m := range members {
		byBase[path.Base(m.Name)] = append(byBase[path.Base(m.Name)], m)
	}
	slices.SortStableFunc(j.listed, func(a, b listed) int { return strings.Compare(a.path, b.path) })
	for _, f := range j.listed {
		found, whole := false, false
		for _, m := range byBase[path.Base(f.path)] {
			if m.Name == f.path || strings.HasSuffix(m.Name, "/"+f.path) {
				found = true
				whole = whole || f.size < 0 || m.Size < 0 || m.Size == f.size
			}
		}
		gap := f.path
		if found && !whole {
			gap += " (of another size)"
		}
		if n := len(j.missing); !whole && (n == 0 || j.missing[n-1] != gap) {
			j.missing = append(j.missing, gap)
		}
	}
}

// feedbackOf gives the feedback on a conversation: on its messages, by node key as a JSON list, and
// the rest, comma-joined.
func (j *joined) feedbackOf(conversation string, d *decoder) (own map[string][]byte, rest []byte) {
	records := j.feedback[conversation]
	if len(records) == 0 {
		return nil, nil
	}
	keys := make(map[string]string, len(d.nodes)) // by message id, then by node key, which goes before
	for i := range d.nodes {
		if id := d.nodes[i].has.id; id.Kind() == jsonscan.String {
			keys[id.Str()] = d.nodes[i].key
		}
	}
	for i := range d.nodes {
		if d.nodes[i].message.Exists() {
			keys[d.nodes[i].key] = d.nodes[i].key
		}
	}
	own = map[string][]byte{}
	for _, f := range records {
		key, ok := keys[f.id]
		if !ok {
			if len(rest) > 0 {
				rest = append(rest, ',')
			}
			rest = append(rest, f.text...)
			continue
		}
		list := own[key]
		if len(list) == 0 {
			list = append(list, '[')
		} else {
			list[len(list)-1] = ','
		}
		own[key] = append(append(list, f.text...), ']')
	}
	return own, rest
}

// maxNamed bounds how many missing files a report names.
const maxNamed = 10

// skips gives the account of what a unit other than a conversation leaves out.
func (j *joined) skips(u importer.Unit) []importer.Item {
	skip := func(code, reason string, count int) []importer.Item {
		return []importer.Item{{Skip: &importer.Skip{Code: code, Reason: reason, Count: count}}}
	}
	switch u.Role {
	case roleTwin:
		return skip("duplicate-of-json", "the page repeats the conversations of the JSON files", 1)
	case roleFile:
		return skip("asset-not-imported", "files of conversations are named in them and not copied", j.assets)
	case roleReport:
		if u.Raw != nil {
			return skip("wrapper-not-imported", "keys beside the list of conversations", wrapperKeys(u.Raw))
		}
		shown := j.missing[:min(len(j.missing), maxNamed)]
		return skip("manifest-missing", "files that the export lists are not in the archive, or not as listed: "+strings.Join(shown, ", "), len(j.missing))
	}
	var items []importer.Item
	if p, ok := j.profiles[u.Member.Index]; ok {
		items = append(items, importer.Item{Record: &p})
	}
	if n, ok := j.notes[u.Member.Index]; ok {
		items = append(items, skip(n.code, n.reason, n.count)...)
	}
	return items
}

func wrapperKeys(raw []byte) int {
	doc, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return 1
	}
	return doc.Root().Len()
}
