package assemble

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/pamline/pamline/pamio/extsort"
)

// joinEvidence removes repetitions, looks up the conversations, and sorts what is left by memory. A
// memory is supported once by each kind of evidence, however often it comes.
func joinEvidence(sorted *extsort.Sorter, entries iter.Seq2[entry, error], to *extsort.Sorter, stats *Stats) error {
	index := newMerger(entries, func(e entry) string { return e.Conversation })
	defer index.stop()
	j := evidenceJoin{index: index, to: to, stats: stats}
	forbidden := "" // the conversation of which nothing is to be remembered
	for r, err := range sorted.Sorted() {
		if err != nil {
			return fmt.Errorf("sort candidates: %w", err)
		}
		u := unpacker{left: r.Value}
		s := u.sighting()
		if u.err != nil {
			return fmt.Errorf("sort candidates: %w", u.err)
		}
		if s.memory == "" {
			forbidden = s.evidence.Conversation
			continue
		}
		if forbidden != "" && s.evidence.Conversation == forbidden {
			stats.drop("do-not-remember")
			continue
		}
		if err := j.add(s); err != nil {
			return fmt.Errorf("join evidence: %w", err)
		}
	}
	if err := j.finish(); err != nil {
		return fmt.Errorf("join evidence: %w", err)
	}
	return nil
}

// evidenceJoin holds the sighting that may come again.
type evidenceJoin struct {
	index *merger[entry]
	to    *extsort.Sorter
	stats *Stats

	held              sighting // memory "" for none
	place, same       []byte   // its own
	key, value, other []byte
}

func (j *evidenceJoin) add(s sighting) error {
	j.other = s.place(j.other[:0])
	samePlace := s.memory == j.held.memory && s.past == j.held.past && bytes.Equal(j.other, j.place)
	j.other = s.said(s.spot(j.other[:0]))
	if err := j.weigh(&s); err != nil {
		return err
	}
	if samePlace && bytes.Equal(j.other, j.same) {
		if at := s.evidence.ObservedAt; at != "" { // they come in order of time
			j.held.again = at
		}
		return nil
	}
	if err := j.put(); err != nil {
		return err
	}
	if !samePlace {
		j.place = s.place(j.place[:0])
	}
	j.held, j.same = s, append(j.same[:0], j.other...)
	return nil
}

func (j *evidenceJoin) finish() error { return j.put() }

// weigh files the kind of a sighting with its confidence.
func (j *evidenceJoin) weigh(s *sighting) error {
	record := byte(weightRecord)
	if s.past {
		record = pastWeightRecord
	}
	j.key = s.kind(append(tupleString(j.key[:0], s.memory), record))
	return j.to.Add(j.key, packFloat(j.value[:0], s.candidate.Confidence))
}

// put files the sighting that was read.
func (j *evidenceJoin) put() (err error) {
	s := &j.held
	if s.memory == "" {
		return nil
	}
	if s.evidence.Conversation != "" {
		if _, s.known, err = j.index.find(s.evidence.Conversation); err != nil {
			return err
		}
		if !s.known && !s.past {
			j.stats.Dangling++
		}
	}
	if !s.past {
		j.stats.Evidence++
	}
	j.key, j.value = s.memoryKey(j.key[:0]), s.pack(j.value[:0])
	return j.to.Add(j.key, j.value)
}

// observed gives the first and the last time.
func (s *sighting) observed() (first, last when) {
	first = observed(s.evidence.ObservedAt)
	if s.hand && first != "" {
		first = byHand(s.evidence.ObservedAt)
	}
	if last = max(first, observed(s.again)); s.evidence.AsOf {
		return first.asOf(), last.asOf()
	}
	return first, last
}
