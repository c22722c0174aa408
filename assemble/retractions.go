package assemble

import (
	"bytes"
	"fmt"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// retractions meets what a person took back or ended with the memories that it is about. Both are
// filed under the keys of targets, in descending order of time.
type retractions struct {
	sorter      *extsort.Sorter
	enders      *extsort.Sorter // memory that ends others → its endings
	some, ended bool            // something was taken back; something was ended
	named       bool            // something is named by words of its content
	key         []byte
}

// The groups of keys.
const (
	takenBack = 'R' // retracted
	endedAt   = 'E' // superseded by a memory that ends it; endings that name a value or a name
	endedOnce = 'S' // the same of whole attributes, which end only what is older
)

// The kinds of record under a key: in descending order of time, one that comes before a component
// hits it.
const (
	retractionRecord = 0
	hitRecord        = 1
	strictRecord     = 2 // behind the components of the same time
)

// retract files a retraction. One whose time is not known takes nothing back, because nothing is
// known to be older.
func (in *intake) retract(c *normalize.Candidate) error {
	var s normalize.Slot
	if c.Slot != nil {
		s = foldSlot(*c.Slot)
	}
	content := memoryTypes[c.Type] && (c.Type == "custom") == (c.CustomType != "") && pamio.NormalizeContent(c.Content) != ""
	ends := tidyEndings(c.Ends)
	if s.Attribute == "" && !content && len(ends) == 0 {
		in.stats.drop("retraction-of-nothing")
		return nil
	}
	var keys [][]byte
	switch {
	case s.Attribute != "" && s.Value == "":
		keys = append(keys, attributeKey(nil, s.Attribute, false), attributeKey(nil, s.Attribute, true))
	case s.Attribute != "":
		keys = append(keys, valueKey(nil, &s, c.Negative))
	}
	if content {
		keys = append(keys, memoryIDKey(nil, uuid.MustParse(normalize.MemoryIDOf(c.Type, c.CustomType, c.Content))))
	}
	for i := range ends {
		more, precise := endingKeys(&ends[i])
		if !precise {
			more = append(more, attributeKey(nil, ends[i].Attribute, true))
		}
		keys = append(keys, more...)
		in.retractions.named = in.retractions.named || ends[i].Name != ""
	}
	until := c.ValidUntil
	tidyTime(&until, func() { in.stats.drop("field-valid-until") })
	for _, e := range c.Evidence {
		tidyEvidence(&e, in.stats.drop)
		if e.ObservedAt == "" {
			in.stats.drop("retraction-without-time")
			continue
		}
		said := appendEvidence(nil, &e)
		value := packString(packString(packString(nil, e.ObservedAt), string(said)), string(observed(until)))
		for _, key := range keys {
			in.retractions.some = true
			key = append(observed(e.ObservedAt).descending(append([]byte{takenBack}, key...)), retractionRecord)
			key = observed(until).ascending(key) // of several of one time, one without an end is the first
			if err := in.retractions.sorter.Add(append(key, said...), value); err != nil {
				return err
			}
		}
	}
	return nil
}

// end notes what a sighting ends, under the memory that it speaks for.
func (r *retractions) end(s *sighting, memory uuid.UUID) error {
	if s.past || len(s.candidate.Ends) == 0 || s.evidence.ObservedAt == "" {
		return nil
	}
	r.ended = true
	for i := range s.candidate.Ends {
		r.named = r.named || s.candidate.Ends[i].Name != ""
	}
	at := observed(s.evidence.ObservedAt)
	until := at
	if s.evidence.AsOf {
		at = at.asOf()
	}
	if from := observed(s.candidate.ValidFrom); from != "" {
		until = from
	}
	value := packStrings(packString(packString(nil, string(at)), string(until)), endingFields(s.candidate.Ends))
	return r.enders.Add(memory[:], value)
}

// ending is what one memory ends.
type ending struct {
	at, until when
	ends      []normalize.Ending
}

func (u *unpacker) ending() ending {
	e := ending{at: when(u.string()), until: when(u.string())}
	for f := u.strings(); len(f) >= 3; f = f[3:] {
		e.ends = append(e.ends, normalize.Ending{Attribute: f[0], Value: f[1], Name: f[2]})
	}
	return e
}

// fileEnding files the endings of a memory that stands for itself, or of the component that it
// belongs to.
func (r *retractions) fileEnding(e *ending, component uuid.UUID) error {
	value := append(packString(packString(nil, string(e.at)), string(e.until)), component[:]...)
	for i := range e.ends {
		keys, precise := endingKeys(&e.ends[i])
		group, kind := byte(endedOnce), byte(strictRecord)
		if precise {
			group, kind = endedAt, retractionRecord
		}
		for _, key := range keys {
			key = append(e.at.descending(append([]byte{group}, key...)), kind)
			for _, b := range component { // of several of one time, the smallest id is the last
				key = append(key, ^b)
			}
			if err := r.sorter.Add(append(key, e.until...), value); err != nil {
				return err
			}
		}
	}
	return nil
}

// meet files a memory of a component under all that a retraction or an ending may name. What
// happened is ended under its own attribute only.
func (r *retractions) meet(member *facts, component *facts) error {
	file := func(key []byte, groups ...byte) error {
		for _, group := range groups {
			r.key = append(append(append(r.key[:0], group), key...), component.latest.descending(nil)...)
			if err := r.sorter.Add(append(append(r.key, hitRecord), component.id[:]...), nil); err != nil {
				return err
			}
		}
		return nil
	}
	var groups []byte
	if r.some {
		groups = append(groups, takenBack)
	}
	ending := r.ended && !component.removed()
	if ending && !component.event {
		groups = append(groups, endedAt, endedOnce)
	}
	if ending && component.event && normalize.IsEvent(member.slot.Attribute) {
		var names []string
		if r.named {
			names = phrases(member.text)
		}
		err := slotKeys(&member.slot, member.negative, names, func(key []byte) error { return file(key, endedAt, endedOnce) })
		if err != nil {
			return err
		}
	}
	if len(groups) == 0 {
		return nil
	}
	return memoryKeys(member, r.named, func(key []byte) error { return file(key, groups...) })
}

// hits gives each component the earliest retraction and the earliest ending of another component
// that is not older than its last evidence; an ending of a whole attribute has to be newer.
func (r *retractions) hits(to *resolution) error {
	var about []byte
	var taken []byte       // the last retraction of the key
	var last, other []byte // the last ending of the key, and the last one of another component
	for rec, err := range r.sorter.Sorted() {
		if err != nil {
			return fmt.Errorf("sort retractions: %w", err)
		}
		what, _, rest, err := splitTarget(rec.Key)
		if err != nil {
			return err
		}
		if !bytes.Equal(what, about) {
			about, taken, last, other = append(about[:0], what...), nil, nil, nil
		}
		switch {
		case rest[0] != hitRecord && what[0] == takenBack:
			if !sameMoment(taken, rec.Value) { // of several of one time, the first in order
				taken = bytes.Clone(rec.Value)
			}
		case rest[0] != hitRecord:
			if last != nil && !bytes.Equal(ender(last), ender(rec.Value)) {
				other = last
			}
			last = bytes.Clone(rec.Value)
		case what[0] == takenBack:
			err = to.takenBack(rest[1:], taken)
		default:
			by := last
			if by != nil && bytes.Equal(ender(by), rest[1:]) {
				by = other
			}
			err = to.endedBy(rest[1:], by)
		}
		if err != nil {
			return fmt.Errorf("sort retractions: %w", err)
		}
	}
	return r.sorter.Close()
}

// ender is the component at the end of the record of an ending.
func ender(value []byte) []byte { return value[len(value)-idSize:] }

// sameMoment tells whether two retractions are of one time.
func sameMoment(a, b []byte) bool {
	if a == nil {
		return false
	}
	x, y := unpacker{left: a}, unpacker{left: b}
	return x.string() == y.string()
}

// takenBack notes that a component was taken back; said is nil when it was not.
func (r *resolution) takenBack(component, said []byte) error {
	if said == nil {
		return nil
	}
	u := unpacker{left: said}
	key := append(append(make([]byte, 0, 64), component...), retractedRecord)
	key = observed(u.string()).ascending(key)
	by, until := u.string(), when(u.string())
	if u.err != nil {
		return u.err
	}
	return r.findings.Add(append(until.ascending(key), by...), said)
}

// endedBy notes that a component was ended by another one.
func (r *resolution) endedBy(component, by []byte) error {
	if by == nil {
		return nil
	}
	u := unpacker{left: by}
	at, until, id := when(u.string()), when(u.string()), u.uuid()
	if u.err != nil {
		return u.err
	}
	key := append(append(make([]byte, 0, 64), component...), supersededRecord)
	key = append(at.ascending(key), id[:]...)
	value := packString(packString(packString(nil, string(until)), string(at)), endedReason)
	return r.findings.Add(append(key, string(until)...), append(append(value, flag(false)), id[:]...))
}

// splitTarget finds the parts of a key: what it is about with its group, the time, and the record.
func splitTarget(key []byte) (what, time, rest []byte, err error) {
	end := 0
	if len(key) > 2 {
		switch key[1] {
		case 'm':
			end = 2 + idSize
		case 'n':
			end = skipText(key, 2)
		case 'a':
			end = skipText(key, 3)
		case 'v':
			end = skipText(key, skipText(key, 2)) + 1
		case 'w', 'r', 'x':
			end = skipText(key, skipText(key, 2))
		}
	}
	if end == 0 || len(key) < end+whenSize+1 {
		return nil, nil, nil, fmt.Errorf("sort retractions: %w", errRecord)
	}
	return key[:end], key[end : end+whenSize], key[end+whenSize:], nil
}

// skipText gives the end of the text of a tuple that starts at a place of a key: beyond the key
// when it has no end.
func skipText(key []byte, at int) int {
	if at <= len(key) {
		if n := bytes.Index(key[at:], []byte{0, 1}); n >= 0 {
			return at + n + 2
		}
	}
	return len(key) + 1
}
