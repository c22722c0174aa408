package assemble

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/extsort"
)

// intake reads candidates and edits and files what they say.
type intake struct {
	sightings   *extsort.Sorter // by place
	evidence    *extsort.Sorter // by memory
	listings    *extsort.Sorter // by listing
	retractions *retractions
	adoption    *adoption
	stats       *Stats
	key, value  []byte
}

// take reads all that is to be resolved.
func (in *intake) take(ctx context.Context, source Input) error {
	if err := in.takeCandidates(ctx, source.Candidates(ctx), false); err != nil {
		return err
	}
	if err := in.takeCandidates(ctx, source.Past(ctx), true); err != nil {
		return err
	}
	if err := in.adoption.choose(in); err != nil {
		return err
	}
	if err := in.takeEdits(ctx, source); err != nil {
		return err
	}
	return in.freshness()
}

func (in *intake) takeCandidates(ctx context.Context, candidates iter.Seq2[normalize.Candidate, error], past bool) error {
	for c, err := range candidates {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("read candidates: %w", err)
		}
		if past && c.Act != "" {
			continue
		}
		if !past {
			in.stats.Candidates++
		}
		if err := in.candidate(&c, past); err != nil {
			return fmt.Errorf("sort candidates: %w", err)
		}
	}
	return nil
}

func (in *intake) candidate(c *normalize.Candidate, past bool) error {
	switch c.Act {
	case "":
		return in.statement(c, past)
	case normalize.ActListing:
		for _, e := range c.Evidence {
			tidyEvidence(&e, in.stats.drop)
			if err := in.list(&e, ""); err != nil {
				return err
			}
		}
		return nil
	case normalize.ActRetract:
		return in.retract(c)
	case normalize.ActForbid:
		return in.forbid(c)
	case normalize.ActAdopt:
		return in.adoption.add(c, in.stats.drop)
	}
	in.stats.drop("unknown-act")
	return nil
}

// statement takes a candidate apart into sightings.
func (in *intake) statement(c *normalize.Candidate, past bool) error {
	drop := in.stats.drop
	if past {
		drop = func(string) {} // it was counted when it was new
	}
	if reason := refuse(c); reason != "" {
		drop(reason)
		return nil
	}
	tidy(c, drop)
	one := sighting{memory: normalize.MemoryIDOf(c.Type, c.CustomType, c.Content), candidate: *c, past: past}
	for _, e := range c.Evidence {
		tidyEvidence(&e, drop)
		one.evidence, one.listed = e, e.Listing != ""
		if err := in.see(one); err != nil {
			return err
		}
		if !past {
			if err := in.list(&e, one.memory); err != nil {
				return err
			}
		}
	}
	return nil
}

// forbid notes that nothing is to be remembered of a conversation: a sighting of no memory, which
// comes before all others there.
func (in *intake) forbid(c *normalize.Candidate) error {
	for _, e := range c.Evidence {
		tidyEvidence(&e, in.stats.drop)
		if e.Conversation == "" {
			continue
		}
		if err := in.see(sighting{evidence: normalize.Evidence{Conversation: e.Conversation}}); err != nil {
			return err
		}
	}
	return nil
}

func (in *intake) see(s sighting) error {
	in.key, in.value = s.sourceKey(in.key[:0]), s.pack(in.value[:0])
	return in.sightings.Add(in.key, in.value)
}

// list notes that a list was seen at a time, and the memory that stood in it, "" for none.
func (in *intake) list(e *normalize.Evidence, memory string) error {
	if e.Listing == "" {
		return nil
	}
	at, whole := e.ListedAt, []byte{1}
	if at == "" && memory != "" { // added to the list at that time, which says nothing of what else is in it
		at, whole = e.ObservedAt, []byte{0}
	}
	in.key = observed(at).descending(tupleString(in.key[:0], e.Listing))
	return in.listings.Add(append(in.key, memory...), whole)
}

// freshness tells each memory that stands in a list whether the newest one of its name has it.
func (in *intake) freshness() error {
	var list []byte
	unknown := when("").descending(nil)
	at := unknown
	for r, err := range in.listings.Sorted() {
		if err != nil {
			return fmt.Errorf("sort listings: %w", err)
		}
		end := bytes.Index(r.Key, []byte{0, 1}) + 2
		name, time, memory := r.Key[:end], r.Key[end:end+whenSize], r.Key[end+whenSize:]
		if !bytes.Equal(name, list) {
			list, at = append(list[:0], name...), unknown
		}
		if whole := r.Value[0] == 1; whole && bytes.Equal(at, unknown) {
			at = bytes.Clone(time)
		}
		if len(memory) == 0 {
			continue
		}
		fresh := byte(0)
		// No whole list is newer; or the time is not known, and with it not whether it was the
		// newest.
		if bytes.Equal(at, unknown) || bytes.Equal(time, at) || time[0] == 0xFF {
			fresh = 1
		}
		key := append(tupleString(in.key[:0], string(memory)), listingRecord)
		if err := in.evidence.Add(key, append([]byte{fresh}, at...)); err != nil {
			return fmt.Errorf("sort evidence: %w", err)
		}
	}
	return in.listings.Close()
}
