package assemble

import (
	"cmp"
	"math"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// sighting is one piece of evidence with what its candidate says: the unit in which memories are
// resolved.
type sighting struct {
	memory    string // id
	candidate normalize.Candidate
	evidence  normalize.Evidence
	known     bool // the conversation is in the index
	past      bool // the result it comes from was replaced
	hand      bool // it was added by hand
	listed    bool // it stands in a list of its provider
	// again is when it was last observed in the same place and words, if later than
	// evidence.ObservedAt: a provider keeps a record from export to export.
	again string
}

// place is what counts as one independent source: the conversation, or the member of a provider's
// archive that holds the record. Members of several providers may have one name.
func (s *sighting) place(dst []byte) []byte {
	dst = tupleString(dst, s.evidence.Conversation)
	if s.evidence.Conversation == "" {
		return tupleString(tupleString(dst, s.evidence.Member), s.candidate.Platform)
	}
	return tupleString(dst, "")
}

// kind is what counts as one kind of evidence: a rule or a model that reads what the person says,
// or what one provider keeps. One pattern that misreads a phrase misreads it in every conversation,
// so that repetition proves nothing.
func (s *sighting) kind(dst []byte) []byte {
	c := &s.candidate
	extractor, _, _ := strings.Cut(c.Extractor, "/")
	dst = append(dst, flag(s.hand), flag(s.evidence.Pointer != ""))
	if s.evidence.Pointer != "" {
		return tupleString(tupleString(dst, extractor), c.Platform)
	}
	return tupleString(tupleString(dst, extractor), c.Rule)
}

// spot is where in its place the evidence is. The member is left out for a conversation: the same
// message comes in the members of many archives.
func (s *sighting) spot(dst []byte) []byte {
	e := &s.evidence
	dst = tupleString(dst, e.Message)
	dst = tupleInt(tupleInt(dst, int64(e.Start)), int64(e.End))
	return tupleString(tupleString(dst, e.Pointer), e.Quote)
}

// sourceKey sorts by place, memory, whether it is past, spot, what was said, and then time, so that
// of equal sightings the earliest is first; of those of one time, that of the member whose name is
// first.
func (s *sighting) sourceKey(dst []byte) []byte {
	dst = s.spot(append(tupleString(s.place(dst), s.memory), flag(s.past)))
	return append(tupleString(s.said(dst), timeKey(s.evidence.ObservedAt)), s.evidence.Member...)
}

// said is what the candidate says beside its evidence. A known account comes before none.
func (s *sighting) said(dst []byte) []byte {
	c := &s.candidate
	dst = tupleString(dst, cmp.Or(s.evidence.AccountID, "\xFF"))
	for _, field := range [...]string{c.Content, c.Platform, c.Extractor, c.Method, c.Decay, c.Language} {
		dst = tupleString(dst, field)
	}
	// Higher confidence first.
	dst = tupleInt(dst, -int64(math.Float64bits(c.Confidence)))
	slot := s.slot()
	for _, field := range [...]string{slot.Attribute, slot.Value, c.Rule, c.EventTime, c.ValidFrom, c.ValidUntil, c.Sensitive} {
		dst = tupleString(dst, field)
	}
	dst = append(dst, flag(slot.One), flag(slot.Beside), flag(c.Negative), flag(c.Inferred), flag(c.Event), flag(s.evidence.AsOf), flag(s.hand), flag(s.listed))
	for _, list := range [...][]string{c.DerivedFrom, c.Tags, endingFields(c.Ends), entityFields(c.Entities)} {
		dst = tupleInt(dst, int64(len(list)))
		for _, t := range list {
			dst = tupleString(dst, t)
		}
	}
	return dst
}

func (s *sighting) slot() normalize.Slot {
	if s.candidate.Slot == nil {
		return normalize.Slot{}
	}
	return *s.candidate.Slot
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// memoryKey sorts by memory, behind its weights, then time, place and spot.
func (s *sighting) memoryKey(dst []byte) []byte {
	kind := byte(sightingRecord)
	if s.past {
		kind = pastSightingRecord
	}
	dst = append(tupleString(dst, s.memory), kind)
	dst = append(dst, timeKey(s.evidence.ObservedAt)...)
	return s.said(s.spot(s.place(dst)))
}

// timeKey is a time in a form that sorts; an unknown one is the latest.
func timeKey(t string) string {
	if t == "" {
		return "\xFF"
	}
	if len(t) == len(epoch) {
		return t[:len(t)-1] + ".000000Z"
	}
	return t
}

func (s *sighting) pack(dst []byte) []byte {
	c, e, slot := &s.candidate, &s.evidence, s.slot()
	for _, field := range [...]string{
		s.memory, c.Type, c.CustomType, c.Content, c.Decay, c.Language, c.Platform, c.Method, c.Extractor,
		c.Rule, c.EventTime, c.ValidFrom, c.ValidUntil, c.Sensitive, slot.Attribute, slot.Value,
		e.Conversation, e.Message, e.Quote, e.Member, e.Pointer, e.ObservedAt, e.AccountID, s.again,
	} {
		dst = packString(dst, field)
	}
	flags := int64(0)
	for i, b := range [...]bool{s.known, s.past, s.hand, s.listed, slot.One, slot.Beside, c.Negative, c.Inferred, c.Event, e.AsOf} {
		flags |= int64(flag(b)) << i
	}
	dst = packInt(packInt(packInt(dst, int64(e.Start)), int64(e.End)), flags)
	dst = packStrings(packStrings(packFloat(dst, c.Confidence), c.Tags), c.DerivedFrom)
	return packStrings(packStrings(dst, endingFields(c.Ends)), entityFields(c.Entities))
}

func (u *unpacker) sighting() sighting {
	var s sighting
	var slot normalize.Slot
	c, e := &s.candidate, &s.evidence
	for _, field := range [...]*string{
		&s.memory, &c.Type, &c.CustomType, &c.Content, &c.Decay, &c.Language, &c.Platform, &c.Method, &c.Extractor,
		&c.Rule, &c.EventTime, &c.ValidFrom, &c.ValidUntil, &c.Sensitive, &slot.Attribute, &slot.Value,
		&e.Conversation, &e.Message, &e.Quote, &e.Member, &e.Pointer, &e.ObservedAt, &e.AccountID, &s.again,
	} {
		*field = u.string()
	}
	e.Start, e.End = int(u.int()), int(u.int())
	flags := u.int()
	for i, b := range [...]*bool{&s.known, &s.past, &s.hand, &s.listed, &slot.One, &slot.Beside, &c.Negative, &c.Inferred, &c.Event, &e.AsOf} {
		*b = flags>>i&1 == 1
	}
	if slot.Attribute != "" {
		c.Slot = &slot
	}
	c.Confidence = u.float()
	c.Tags, c.DerivedFrom = u.strings(), u.strings()
	for f := u.strings(); len(f) >= 3; f = f[3:] {
		c.Ends = append(c.Ends, normalize.Ending{Attribute: f[0], Value: f[1], Name: f[2]})
	}
	for f := u.strings(); len(f) >= 2; f = f[2:] {
		c.Entities = append(c.Entities, normalize.Entity{Name: f[0], Relation: f[1]})
	}
	return s
}

// endingFields are the fields of endings, three of each.
func endingFields(all []normalize.Ending) (fields []string) {
	for _, e := range all {
		fields = append(fields, e.Attribute, e.Value, e.Name)
	}
	return fields
}

// entityFields are the fields of entities, two of each.
func entityFields(all []normalize.Entity) (fields []string) {
	for _, e := range all {
		fields = append(fields, e.Name, e.Relation)
	}
	return fields
}

// The kinds of record that resolving a memory reads, in this order. Past ones count only for a
// memory that has no others.
const (
	weightRecord       = 1 + iota // a kind of evidence for the memory, with a confidence
	sightingRecord                // a piece of evidence
	listingRecord                 // whether the newest list has it, and of what time that is
	editRecord                    // a change by hand
	pastWeightRecord              // the same as the first two, of replaced results
	pastSightingRecord            //
	accessRecord                  // what is said of access to it
)

// laterTime compares two times of the output form; "" is earlier than all.
func laterTime(a, b string) bool {
	if a == "" || b == "" {
		return b == "" && a != ""
	}
	return cmp.Compare(timeKey(a), timeKey(b)) > 0
}
