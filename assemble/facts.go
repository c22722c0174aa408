package assemble

import (
	"cmp"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
)

// facts are what of a memory decides how it stands to others; of a component, what its memories say
// together.
type facts struct {
	id                    uuid.UUID // of a component, its representative
	typ, custom, language string
	negative              bool
	current               bool   // there is evidence that was not replaced, or the person said by hand that it holds
	unlisted, fresh       bool   // it has evidence outside of lists; the newest of a list has it
	listed                when   // of what time the newest list is that it ever stood in
	first, latest         when   // observations
	text                  string // the content
	slot                  normalize.Slot
	entities              []string // whom the content names: relation and name of each
	event                 bool     // it is something that happened, which nothing ends
	from, until           when     // what bounds the time in which it holds
	sensitive             string
	edit                  lastEdit
	weights               weights
	affirmed              bool // the person said by hand that it holds
	access                access
}

// see takes the next sighting, in order of time.
func (f *facts) see(s *sighting) {
	c := &s.candidate
	from, to := s.observed()
	f.typ, f.custom = c.Type, c.CustomType
	f.language = cmp.Or(f.language, c.Language)
	f.negative = f.negative || c.Negative
	f.unlisted = f.unlisted || !s.listed
	f.first, f.latest = first(f.first, from), max(f.latest, to)
	f.text = cmp.Or(f.text, c.Content)
	f.sensitive = cmp.Or(f.sensitive, c.Sensitive)
	f.joinSlot(s.slot())
	f.event = f.event || c.Event
	for _, e := range c.Entities {
		f.entities = append(f.entities, e.Relation, normalize.FoldValue(e.Name))
	}
	f.bound(observed(c.ValidFrom), observed(c.ValidUntil))
}

// joinSlot takes the first slot that is told. A value that was once said to be the only one is not
// beside others.
func (f *facts) joinSlot(s normalize.Slot) {
	switch {
	case f.slot.Attribute == "":
		f.slot = s
	case f.slot.Attribute == s.Attribute && f.slot.Value == s.Value:
		f.slot.Beside = f.slot.Beside && s.Beside
	}
}

// bound takes the bounds of what says so last: they come in order of time.
func (f *facts) bound(from, until when) {
	f.from = first(f.from, from)
	f.until = max(f.until, until)
}

// list takes what is known of a list that the memory stood in.
func (f *facts) list(record []byte) {
	f.fresh = f.fresh || record[0] == 1
	at := make([]byte, whenSize)
	for i, c := range record[1:] {
		at[i] = ^c
	}
	if at[0] != 0 {
		f.listed = max(f.listed, when(at))
	}
}

// change takes an edit.
func (f *facts) change(e lastEdit) {
	if f.edit.action == "" || e.after(&f.edit) {
		f.edit = e
	}
	if e.affirms() {
		f.unlisted, f.affirmed = true, true
		f.first, f.latest = first(f.first, e.at), max(f.latest, e.at)
	}
}

// join takes the facts of another memory of the component, in the order in which its memories come.
func (f *facts) join(o *facts) {
	f.unlisted, f.fresh = f.unlisted || o.unlisted, f.fresh || o.fresh
	f.listed, f.first, f.latest = max(f.listed, o.listed), first(f.first, o.first), max(f.latest, o.latest)
	f.sensitive = cmp.Or(f.sensitive, o.sensitive)
	f.joinSlot(o.slot)
	f.weights.join(&o.weights)
	f.event, f.affirmed = f.event || o.event, f.affirmed || o.affirmed
	f.bound(o.from, o.until)
	f.access.restrict(&o.access)
	if o.edit.action != "" && (f.edit.action == "" || o.edit.after(&f.edit)) {
		f.edit = o.edit
	}
}

// isSure tells whether there is evidence enough for it to be active. What is not takes the place of
// nothing.
func (f *facts) isSure() bool { return f.affirmed || f.weights.confidence() >= sure }

// removed tells whether the person took it away by hand.
func (f *facts) removed() bool { return f.edit.holdsAgainst(f.latest) }

// past tells whether it was told as what had been from one time to another: that remains true.
func (f *facts) past() bool {
	return f.from != "" && f.until != "" && f.until.known() <= f.first.known()
}

// vanished tells whether nothing speaks for it but lists that have it no more.
func (f *facts) vanished() bool { return f.current && !f.unlisted && !f.fresh }

// rank sorts the memories of a component, the representative first: what the person replaced last,
// then by the earliest observation, then by id.
func (f *facts) rank(dst []byte) []byte {
	dst = append(dst, flag(f.edit.action == EditReplace && f.removed()))
	return append(f.first.earliest(dst), f.id[:]...)
}

// pack writes the facts; the text is left out of those that are compared no more.
func (f *facts) pack(dst []byte, withText bool) []byte {
	dst = append(dst, f.id[:]...)
	flags := int64(0)
	for i, b := range [...]bool{f.negative, f.current, f.unlisted, f.fresh, f.slot.One, f.slot.Beside, f.event, f.affirmed} {
		flags |= int64(flag(b)) << i
	}
	dst = packInt(dst, flags)
	for _, s := range [...]string{f.typ, f.custom, f.language, string(f.listed), string(f.first), string(f.latest), string(f.from), string(f.until),
		f.slot.Attribute, f.slot.Value, f.sensitive} {
		dst = packString(dst, s)
	}
	dst = f.access.pack(f.edit.pack(f.weights.pack(packStrings(dst, f.entities))))
	if withText {
		return packString(dst, f.text)
	}
	return packString(dst, "")
}

// facts reads facts into some that may be like them.
func (u *unpacker) facts(f *facts) {
	f.id = u.uuid()
	flags := u.int()
	for i, b := range [...]*bool{&f.negative, &f.current, &f.unlisted, &f.fresh, &f.slot.One, &f.slot.Beside, &f.event, &f.affirmed} {
		*b = flags>>i&1 == 1
	}
	for _, s := range [...]*string{
		&f.typ, &f.custom, &f.language, (*string)(&f.listed), (*string)(&f.first), (*string)(&f.latest), (*string)(&f.from), (*string)(&f.until),
		&f.slot.Attribute, &f.slot.Value, &f.sensitive,
	} {
		u.again(s)
	}
	f.entities = u.strings()
	f.weights = u.weights()
	u.edit(&f.edit)
	u.access(&f.access)
	u.again(&f.text)
}
