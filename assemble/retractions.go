package assemble

import (
	"bytes"
	"fmt"

	"github.com/google/uuid"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// retractions meets what a person took back with the memories that it is about. Both are filed under what they may have in
// common, in descending order of time: of a value, of all values of an attribute, of a memory.
type retractions struct {
	sorter *extsort.Sorter
	some   bool
	key    []byte
}

const (
	retractionRecord = 0 // before the components of the same time, which it hits
	hitRecord        = 1
)

func valueKey(dst []byte, s *normalize.Slot, negative bool) []byte {
	dst = tupleString(tupleString(append(dst, 'v'), s.Attribute), s.Value)
	if negative {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func attributeKey(dst []byte, attribute string) []byte {
	return tupleString(append(dst, 'a'), attribute)
}

func memoryIDKey(dst []byte, id uuid.UUID) []byte { return append(append(dst, 'm'), id[:]...) }

// retract files a retraction. One whose time is not known takes nothing back, because nothing is known to be older.
func (in *intake) retract(c *normalize.Candidate) error {
	var s normalize.Slot
	if c.Slot != nil {
		s = foldSlot(*c.Slot)
	}
	content := memoryTypes[c.Type] && (c.Type == "custom") == (c.CustomType != "") && pamio.NormalizeContent(c.Content) != ""
	if s.Attribute == "" && !content {
		in.stats.drop("retraction-of-nothing")
		return nil
	}
	for _, e := range c.Evidence {
		tidyEvidence(&e, in.stats.drop)
		if e.ObservedAt == "" {
			in.stats.drop("retraction-without-time")
			continue
		}
		said := appendEvidence(nil, &e)
		var keys [2][]byte
		switch {
		case s.Attribute != "" && s.Value == "":
			keys[0] = attributeKey(nil, s.Attribute)
		case s.Attribute != "":
			keys[0] = valueKey(nil, &s, c.Negative)
		}
		if content {
			keys[1] = memoryIDKey(nil, uuid.MustParse(normalize.MemoryID(c.Type, c.CustomType, pamio.ContentHash(c.Content))))
		}
		for _, key := range keys {
			if key == nil {
				continue
			}
			in.retractions.some = true
			key = append(observed(e.ObservedAt).descending(key), retractionRecord)
			if err := in.retractions.sorter.Add(append(key, said...), packString(packString(nil, e.ObservedAt), string(said))); err != nil {
				return err
			}
		}
	}
	return nil
}

// meet files a memory of a component under all that a retraction may name.
func (r *retractions) meet(member *facts, component uuid.UUID, latest when) error {
	add := func(key []byte) error {
		r.key = append(append(latest.descending(key), hitRecord), component[:]...)
		return r.sorter.Add(r.key, nil)
	}
	if err := add(memoryIDKey(r.key[:0], member.id)); err != nil || member.slot.Attribute == "" {
		return err
	}
	if err := add(attributeKey(r.key[:0], member.slot.Attribute)); err != nil {
		return err
	}
	return add(valueKey(r.key[:0], &member.slot, member.negative))
}

// hits gives each component the earliest retraction that is not older than its last evidence.
func (r *retractions) hits(to *extsort.Sorter) error {
	var about, at, said, value []byte
	for rec, err := range r.sorter.Sorted() {
		if err != nil {
			return fmt.Errorf("sort retractions: %w", err)
		}
		what, time, rest, err := splitRetraction(rec.Key)
		if err != nil {
			return err
		}
		if !bytes.Equal(what, about) {
			about, at, said = append(about[:0], what...), at[:0], said[:0]
		}
		if rest[0] == retractionRecord {
			if !bytes.Equal(time, at) { // of several of one time, the first in order
				at, said = append(at[:0], time...), append(said[:0], rec.Value...)
			}
			continue
		}
		if len(said) == 0 {
			continue
		}
		u := unpacker{left: said}
		when := observed(u.string())
		value = append(value[:0], said...)
		key := append(append([]byte{}, rest[1:]...), retractedRecord)
		if err := to.Add(when.ascending(key), value); err != nil {
			return fmt.Errorf("sort retractions: %w", err)
		}
	}
	return r.sorter.Close()
}

// splitRetraction finds the parts of a key: what it is about, the time, and the record.
func splitRetraction(key []byte) (what, time, rest []byte, err error) {
	end := 0
	if len(key) > 0 {
		switch key[0] {
		case 'm':
			end = 1 + idSize
		case 'a':
			end = skipText(key, 1)
		case 'v':
			end = skipText(key, skipText(key, 1)) + 1
		}
	}
	if end == 0 || len(key) < end+whenSize+1 {
		return nil, nil, nil, fmt.Errorf("sort retractions: %w", errRecord)
	}
	return key[:end], key[end : end+whenSize], key[end+whenSize:], nil
}

// skipText gives the end of the text of a tuple that starts at a place of a key: beyond the key when it has no end.
func skipText(key []byte, at int) int {
	if at <= len(key) {
		if n := bytes.Index(key[at:], []byte{0, 1}); n >= 0 {
			return at + n + 2
		}
	}
	return len(key) + 1
}
