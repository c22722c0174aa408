package validate

import (
	"time"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// instant is a time field: where it stands, and what it says if that could be read.
type instant struct {
	prefix string // pointer of its object inside of the element
	key    string
	node   jsonscan.Node
	time   time.Time
	ok     bool
}

// name is its pointer inside of the element.
func (in instant) name() string { return in.prefix + "/" + in.key }

// time reads a time field. One without an offset is read as UTC.
func (e *element) time(parent jsonscan.Node, prefix, name string) instant {
	in := instant{prefix: prefix, key: name, node: parent.Get(name)}
	s, ok := peekString(in.node)
	if !ok {
		return in
	}
	t, err := pamio.ParseTime(s)
	local := false
	if err != nil {
		t, err = pamio.ParseTime(s + "Z")
		local = err == nil
	}
	if e.wrong(formatDateTime, err != nil) {
		e.find(formatDateTime, e.at(in.name(), in.node), "%s is not an RFC 3339 date-time; write it like 2026-01-31T23:59:59Z", token(s))
		return in
	}
	if e.wrong(formatDateOffset, local) {
		e.find(formatDateOffset, e.at(in.name(), in.node), "%s has no offset and is read as UTC; write it with Z or an offset such as +02:00", token(s))
	}
	in.time, in.ok = t, true
	return in
}

// ordered checks that one time does not lie before another.
func (e *element) ordered(c check, earlier, later instant) {
	if !earlier.ok || !later.ok {
		return
	}
	if e.wrong(c, later.time.Before(earlier.time)) {
		e.find(c, e.at(later.name(), later.node), "%s lies before %s; one of the two is wrong", later.name()[1:], earlier.name()[1:])
	}
}

// span checks the created_at and updated_at of a conversation, an index entry or a memory.
func (e *element) span(temporal jsonscan.Node) (created, updated instant) {
	created = e.time(temporal, "/temporal", "created_at")
	updated = e.time(temporal, "/temporal", "updated_at")
	e.ordered(temporalOrder, created, updated)
	return created, updated
}
