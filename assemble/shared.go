package assemble

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio/extsort"
)

// shareEvidence copies the evidence of duplicates to the memories that stand for them.
func shareEvidence(evidence, members, to *extsort.Sorter) error {
	if members.Len() == 0 {
		return nil
	}
	representatives := newCursor(members)
	defer representatives.stop()
	var at, standsFor string
	var said bool // there is evidence that was not replaced
	var key []byte
	for rec, err := range evidence.Sorted() {
		if err != nil {
			return fmt.Errorf("share evidence: %w", err)
		}
		id, kind, err := splitMemoryKey(rec.Key)
		if err != nil {
			return err
		}
		if id != at {
			at, standsFor, said = id, "", false
			own, err := uuid.Parse(id)
			if err != nil {
				return errRecord
			}
			representative, ok, err := representatives.find(own)
			if err != nil {
				return fmt.Errorf("share evidence: %w", err)
			}
			if ok && !bytes.Equal(representative, own[:]) {
				standsFor = uuid.UUID(representative).String()
			}
		}
		said = said || kind == sightingRecord
		switch {
		case standsFor == "" || kind == listingRecord || kind == accessRecord:
			continue
		case kind == pastWeightRecord || kind == pastSightingRecord:
			if said {
				continue
			}
			kind -= pastWeightRecord - weightRecord // the person said by hand that it holds
		}
		key = append(append(tupleString(key[:0], standsFor), kind), rec.Key[len(id)+3:]...)
		if err := to.Add(key, rec.Value); err != nil {
			return fmt.Errorf("share evidence: %w", err)
		}
	}
	return nil
}

// merged gives the records of two sorters in one order.
func merged(a, b *extsort.Sorter) iter.Seq2[extsort.Record, error] {
	if b.Len() == 0 {
		return a.Sorted()
	}
	return func(yield func(extsort.Record, error) bool) {
		next, stop := iter.Pull2(b.Sorted())
		defer stop()
		other, bad, more := next()
		for r, err := range a.Sorted() {
			for err == nil && bad == nil && more && bytes.Compare(other.Key, r.Key) < 0 {
				if !yield(other, nil) {
					return
				}
				other, bad, more = next()
			}
			if err == nil {
				err = bad
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
		for more || bad != nil {
			if !yield(other, bad) || bad != nil {
				return
			}
			other, bad, more = next()
		}
	}
}
