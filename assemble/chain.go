package assemble

import (
	"bytes"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio/extsort"
)

// chained orders the values of each attribute that has one at a time. Values that contain each
// other lie in one place; a place is as new as its newest value, and each place takes the place of
// all values of the one before it. Places of one time are ordered by when they began, if all of
// them say so; else they contradict each other. Both sorters are closed.
func (r *resolution) chained(values, places *extsort.Sorter) error {
	ordered, err := r.byPlace(values, places)
	if err != nil {
		return err
	}
	var attribute, time []byte
	var place uuid.UUID
	// heads of the places: that of the newer time, the first one of the time being read, and that
	// of the place being read.
	var newer, head, here, c facts
	follows, begins := false, false
	for rec, err := range ordered.Sorted() {
		if err != nil {
			return err
		}
		end := bytes.Index(rec.Key, []byte{0, 1}) + 2
		u := unpacker{left: rec.Value}
		u.facts(&c)
		at := u.uuid()
		if u.err != nil {
			return u.err
		}
		sameAttribute := bytes.Equal(attribute, rec.Key[:end])
		sameTime := sameAttribute && bytes.Equal(time[:whenSize], rec.Key[end:end+whenSize])
		if !sameTime { // those that do not say when they began come first
			begins = rec.Key[end+whenSize] == 1
		}
		sameTime = sameTime && (!begins || bytes.Equal(time, rec.Key[end:end+timeSize]))
		switch {
		case !sameAttribute:
			newer, follows, head, here, place = facts{}, false, c, c, at
		case !sameTime:
			newer, follows, head, here, place = head, true, c, c, at
		case place != at:
			here, place = c, at
			if err := r.contradict(head.id, here.id); err != nil {
				return err
			}
		}
		attribute, time = append(attribute[:0], rec.Key[:end]...), append(time[:0], rec.Key[end:end+timeSize]...)
		if follows {
			if err := r.supersede(&newer, &c, newerValue); err != nil {
				return err
			}
		}
	}
	return ordered.Close()
}

// timeSize is the length of the time of a place in a key: when its newest value was last said,
// whether that says when it began, and when.
const timeSize = whenSize + 1 + whenSize

// appendTime appends the time of the place that a value is the newest of.
func (f *facts) appendTime(dst []byte) []byte {
	from := f.from
	if f.latest == "" {
		from = "" // it takes nothing's place
	}
	return from.descending(append(f.latest.descending(dst), flag(from != "")))
}

// byPlace sorts the values by attribute and by the time of their place, the newest first; places of
// one time by the id of their newest value; in a place, that one first.
func (r *resolution) byPlace(values, places *extsort.Sorter) (*extsort.Sorter, error) {
	grouped := r.sorter() // attribute, place, time from the newest, id
	var key []byte
	var c facts
	add := func(place, value []byte) error {
		u := unpacker{left: value}
		u.facts(&c)
		if u.err != nil {
			return u.err
		}
		key = append(tupleString(key[:0], c.slot.Attribute), place...)
		key = append(c.latest.descending(key), c.id[:]...)
		return grouped.Add(key, value)
	}
	if err := joinOuter(values.Sorted(), places.Sorted(), add); err != nil {
		return nil, err
	}
	ordered := r.sorter()
	var place, time []byte
	var newest uuid.UUID
	var value []byte
	for rec, err := range grouped.Sorted() {
		if err != nil {
			return nil, err
		}
		id := uuid.UUID(rec.Key[len(rec.Key)-idSize:])
		front := len(rec.Key) - idSize - whenSize
		attribute := rec.Key[:front-idSize]
		if !bytes.Equal(place, rec.Key[:front]) {
			u := unpacker{left: rec.Value}
			if u.facts(&c); u.err != nil {
				return nil, u.err
			}
			place, time, newest = append(place[:0], rec.Key[:front]...), c.appendTime(time[:0]), id
		}
		key = append(append(append(key[:0], attribute...), time...), newest[:]...)
		key = append(append(key, flag(id != newest)), id[:]...)
		value = append(append(value[:0], rec.Value...), newest[:]...)
		if err := ordered.Add(key, value); err != nil {
			return nil, err
		}
	}
	for _, s := range [...]*extsort.Sorter{values, places, grouped} {
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}
