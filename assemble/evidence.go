package assemble

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// sighting is one piece of evidence with what its candidate says: the unit in which memories are resolved.
type sighting struct {
	memory    string // id
	candidate normalize.Candidate
	evidence  normalize.Evidence
	known     bool // the conversation is in the index
}

// sortCandidates takes the candidates apart into sightings, by the conversation (or else the member) they come from.
func sortCandidates(ctx context.Context, in Input, s *extsort.Sorter, stats *Stats) error {
	dropped := func(reason string) {
		if stats.Dropped == nil {
			stats.Dropped = map[string]int64{}
		}
		stats.Dropped[reason]++
	}
	var key, value []byte
	for c, err := range in.Candidates(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("read candidates: %w", err)
		}
		stats.Candidates++
		if reason := refuse(&c); reason != "" {
			dropped(reason)
			continue
		}
		tidy(&c, dropped)
		one := sighting{memory: normalize.MemoryID(c.Type, c.CustomType, pamio.ContentHash(c.Content)), candidate: c}
		for _, e := range c.Evidence {
			tidyEvidence(&e, dropped)
			one.evidence = e
			key, value = one.sourceKey(key[:0]), one.pack(value[:0])
			if err := s.Add(key, value); err != nil {
				return fmt.Errorf("sort candidates: %w", err)
			}
		}
	}
	return nil
}

// place is what counts as one independent source: the conversation, or the member of a provider's archive that holds the
// record. Members of several providers may have one name.
func (s *sighting) place(dst []byte) []byte {
	dst = tupleString(dst, s.evidence.Conversation)
	if s.evidence.Conversation == "" {
		return tupleString(tupleString(dst, s.evidence.Member), s.candidate.Platform)
	}
	return tupleString(dst, "")
}

// spot is where in its place the evidence is. The member is left out for a conversation: the same message comes in the
// members of many archives.
func (s *sighting) spot(dst []byte) []byte {
	e := &s.evidence
	dst = tupleString(dst, e.Message)
	dst = tupleInt(tupleInt(dst, int64(e.Start)), int64(e.End))
	return tupleString(tupleString(dst, e.Pointer), e.Quote)
}

// sourceKey sorts by place, memory, spot, what was said, and then time, so that of equal sightings the earliest is first;
// of those of one time, that of the member whose name is first.
func (s *sighting) sourceKey(dst []byte) []byte {
	dst = s.spot(tupleString(s.place(dst), s.memory))
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
	for _, t := range c.Tags {
		dst = tupleString(dst, t)
	}
	return dst
}

// memoryKey sorts by memory, behind its weights, then time, place and spot.
func (s *sighting) memoryKey(dst []byte) []byte {
	dst = append(tupleString(dst, s.memory), sightingRecord)
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
	c, e := &s.candidate, &s.evidence
	for _, field := range [...]string{
		s.memory, c.Type, c.CustomType, c.Content, c.Decay, c.Language, c.Platform, c.Method, c.Extractor,
		e.Conversation, e.Message, e.Quote, e.Member, e.Pointer, e.ObservedAt, e.AccountID,
	} {
		dst = packString(dst, field)
	}
	known := int64(0)
	if s.known {
		known = 1
	}
	dst = packInt(packInt(packInt(dst, int64(e.Start)), int64(e.End)), known)
	return packStrings(packFloat(dst, c.Confidence), c.Tags)
}

func (u *unpacker) sighting() sighting {
	var s sighting
	c, e := &s.candidate, &s.evidence
	for _, field := range [...]*string{
		&s.memory, &c.Type, &c.CustomType, &c.Content, &c.Decay, &c.Language, &c.Platform, &c.Method, &c.Extractor,
		&e.Conversation, &e.Message, &e.Quote, &e.Member, &e.Pointer, &e.ObservedAt, &e.AccountID,
	} {
		*field = u.string()
	}
	e.Start, e.End = int(u.int()), int(u.int())
	s.known = u.int() == 1
	c.Confidence = u.float()
	c.Tags = u.strings()
	return s
}

// The kinds of record that resolving a memory reads, in this order.
const (
	weightRecord   = 1 // a place that supports the memory, with the best confidence there
	sightingRecord = 2
)

// joinEvidence removes repetitions, looks up the conversations, and sorts what is left by memory. A memory is supported
// once by each place, however often it says so.
func joinEvidence(sorted *extsort.Sorter, entries iter.Seq2[entry, error], to *extsort.Sorter, stats *Stats) error {
	index := newMerger(entries, func(e entry) string { return e.Conversation })
	defer index.stop()
	var key, value, place, lastPlace, same, lastSame []byte
	var best float64
	var memory string
	weigh := func() error {
		if memory == "" {
			return nil
		}
		key = append(append(tupleString(key[:0], memory), weightRecord), lastPlace...)
		return to.Add(key, packFloat(value[:0], best))
	}
	for r, err := range sorted.Sorted() {
		if err != nil {
			return fmt.Errorf("sort candidates: %w", err)
		}
		u := unpacker{left: r.Value}
		s := u.sighting()
		if u.err != nil {
			return fmt.Errorf("sort candidates: %w", u.err)
		}
		place = s.place(place[:0])
		if s.memory != memory || !bytes.Equal(place, lastPlace) {
			if err := weigh(); err != nil {
				return fmt.Errorf("sort evidence: %w", err)
			}
			memory, best = s.memory, 0
			lastPlace = append(lastPlace[:0], place...)
			lastSame = lastSame[:0]
		}
		best = max(best, s.candidate.Confidence)
		if same = s.said(s.spot(same[:0])); bytes.Equal(same, lastSame) {
			continue
		}
		lastSame = append(lastSame[:0], same...)
		if s.evidence.Conversation != "" {
			if _, s.known, err = index.find(s.evidence.Conversation); err != nil {
				return fmt.Errorf("join evidence: %w", err)
			}
			if !s.known {
				stats.Dangling++
			}
		}
		stats.Evidence++
		key, value = s.memoryKey(key[:0]), s.pack(value[:0])
		if err := to.Add(key, value); err != nil {
			return fmt.Errorf("sort evidence: %w", err)
		}
	}
	if err := weigh(); err != nil {
		return fmt.Errorf("sort evidence: %w", err)
	}
	return nil
}

// laterTime compares two times of the output form; "" is earlier than all.
func laterTime(a, b string) bool {
	if a == "" || b == "" {
		return b == "" && a != ""
	}
	return cmp.Compare(timeKey(a), timeKey(b)) > 0
}
