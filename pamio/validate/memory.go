package validate

import (
	"strings"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// memory checks one memory for itself (PAM §4–§11) and gives what must be known of it when all are
// seen.
func (e *element) memory() memoryFacts {
	m := e.root
	f := memoryFacts{index: e.index}
	f.id, _ = peekString(m.Get("id"))
	f.status, _ = peekString(m.Get("status"))
	if f.status == "" {
		f.status = "active"
	}
	e.content(m)
	e.validity(m, &f)
	e.origin(m, &f)
	f.embedding, _ = peekString(m.Get("embedding_ref"))
	e.emptyRef(m.Get("embedding_ref"), "/embedding_ref")
	exportable := m.Get("access").Get("exportable")
	if e.wrong(notExportable, exportable.Kind() == jsonscan.Bool && !exportable.True()) {
		e.find(notExportable, e.at("/access/exportable", exportable), "the memory is marked exportable: false and must not be in an export; "+
			"remove it, and what refers to it")
	}
	return f
}

func (e *element) content(m jsonscan.Node) {
	content, ok := peekString(m.Get("content"))
	if !ok || m.Get("content").Odd() {
		return
	}
	if e.wrong(contentBlank, isBlank(content)) {
		e.find(contentBlank, e.at("/content", m.Get("content")), "the content is white space only; remove the memory")
	}
	hash, ok := peekString(m.Get("content_hash"))
	if !ok || !strings.HasPrefix(hash, "sha256:") || len(hash) != len("sha256:")+64 {
		return // the schema says so
	}
	if e.wrong(contentHash, !pamio.HasContentHash(content, hash)) {
		e.find(contentHash, e.at("/content_hash", m.Get("content_hash")), "content_hash is not that of the content, which is %s; the content was "+
			"changed, or the hash was made by other rules than those of §6", pamio.ContentHash(content))
	}
}

// isBlank tells that a text is white space only. Nearly all texts show in their first letter that
// they are not.
func isBlank(s string) bool {
	if s == "" || s[0] > ' ' && s[0] < utf8.RuneSelf {
		return false
	}
	return pamio.NormalizeContent(s) == ""
}

// validity checks the times of a memory against each other, and its status.
func (e *element) validity(m jsonscan.Node, f *memoryFacts) {
	temporal := m.Get("temporal")
	created, updated := e.span(temporal)
	from := e.time(temporal, "/temporal", "valid_from")
	until := e.time(temporal, "/temporal", "valid_until")
	e.ordered(temporalOrder, from, until)
	e.ordered(temporalReinforced, created, e.time(m.Get("confidence"), "/confidence", "last_reinforced"))
	if f.changed = created; updated.ok {
		f.changed = updated
	}
	f.supersededBy, _ = peekString(temporal.Get("superseded_by"))
	e.emptyRef(temporal.Get("superseded_by"), "/temporal/superseded_by")
	superseded := f.status == "superseded"
	if e.wrong(statusConsistency, superseded != (f.supersededBy != "")) {
		if superseded {
			e.find(statusConsistency, e.at("/temporal", temporal), "status is superseded, but superseded_by does not say by what")
		} else {
			e.find(statusConsistency, e.at("/status", m.Get("status")), "superseded_by is given, but status is not superseded")
		}
	}
	if e.wrong(supersessionSelf, f.id != "" && f.supersededBy == f.id) {
		e.find(supersessionSelf, e.at("/temporal/superseded_by", temporal.Get("superseded_by")), "the memory is superseded by itself; name the one "+
			"that replaces it")
		f.supersededBy = ""
	}
}

func (e *element) origin(m jsonscan.Node, f *memoryFacts) {
	p := m.Get("provenance")
	e.platform(p.Get("platform"), "/provenance/platform")
	e.time(p, "/provenance", "extracted_at")
	f.conversation, _ = peekString(p.Get("conversation_ref"))
	f.message, _ = peekString(p.Get("message_ref"))
	e.emptyRef(p.Get("conversation_ref"), "/provenance/conversation_ref")
	e.emptyRef(p.Get("message_ref"), "/provenance/message_ref")
}

// relation checks one relation for itself (PAM §13).
func (e *element) relation() relationFacts {
	r := e.root
	f := relationFacts{index: e.index}
	f.id, _ = peekString(r.Get("id"))
	f.from, _ = peekString(r.Get("from"))
	f.to, _ = peekString(r.Get("to"))
	e.time(r, "", "created_at")
	if e.wrong(relationSelf, f.from != "" && f.from == f.to) {
		e.find(relationSelf, e.at("/to", r.Get("to")), "the relation goes from a memory to itself")
	}
	return f
}
