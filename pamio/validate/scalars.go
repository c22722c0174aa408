package validate

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// supported is the version of the format that is checked.
const supportedMajor, supportedMinor = 1, 0

// version checks schema_version (PAM §22.3) and tells whether the document may have things that 1.0
// does not know.
func (e *element) version() (newer bool) {
	n := e.root.Get("schema_version")
	s, ok := text(n)
	if !ok {
		return false
	}
	s, _, _ = strings.Cut(s, "-")
	majorText, minorText, ok := strings.Cut(s, ".")
	major, err1 := strconv.Atoi(majorText)
	minor, err2 := strconv.Atoi(minorText)
	if !ok || err1 != nil || err2 != nil {
		return false // the schema says so
	}
	if e.wrong(schemaVersionMajor, major != supportedMajor) {
		e.find(schemaVersionMajor, e.at("/schema_version", n), "version %d.%d is not known, only version 1; a newer program may read it", major, minor)
		return false
	}
	newer = minor > supportedMinor
	if e.wrong(schemaVersionMinor, newer) {
		e.find(schemaVersionMinor, e.at("/schema_version", n), "version %d.%d is newer than 1.0 and is checked as far as 1.0 goes", major, minor)
	}
	return newer
}

// placeholders are owners that say nothing (PAM §3.1: the id persists across the exports of one
// person).
var placeholders = map[string]bool{"unknown": true, "user": true, "default": true, "anonymous": true, "none": true, "null": true, "undefined": true}

// scalars checks what a store says besides its collections, and gives its since.
func (e *element) scalars() (since instant) {
	r := e.root
	e.uri(r.Get("spec_uri"), "/spec_uri")
	e.uri(r.Get("type_registry"), "/type_registry")
	e.time(r, "", "export_date")
	owner := r.Get("owner")
	e.time(owner, "/owner", "created_at")
	if id, ok := text(owner.Get("id")); ok && e.wrong(ownerUnknown, placeholders[strings.ToLower(id)]) {
		e.find(ownerUnknown, e.at("/owner/id", owner.Get("id")), "owner.id is the placeholder %q; give each person an id that stays the same", id)
	}
	e.ownerDID()
	since = e.time(r, "", "since")
	if isIncremental(r) {
		for _, name := range []string{"base_export_id", "since"} {
			if e.wrong(incrementalFields, !given(r.Get(name)) || r.Get(name).Is("")) {
				e.find(incrementalFields, e.at("/"+name, r), "the export is incremental, but has no %s; a merge cannot tell what it builds on", name)
			}
		}
	}
	return since
}

func isIncremental(r jsonscan.Node) bool { return r.Get("export_type").Is("incremental") }
