package pamio

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pamline/pamline/pamio/extsort"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// DeltaOptions set how a delta is made. The zero value is the default of everything.
type DeltaOptions struct {
	Limits
	// Check is called for the base (0) and for the next export (1), as in [MergeOptions].
	Check func(input int, s *Scalars, computed string) error
}

// DeltaReport says what is in a delta.
type DeltaReport struct {
	// Scalars are those of the delta.
	Scalars *Scalars          `json:"-"`
	Tallies map[string]*Tally `json:"collections"`
	// Removed are the ids, by collection and at most 1000 of each, of the elements of the base that
	// the next export does not have, or must not give away. A delta cannot say that they are gone:
	// a merge keeps them.
	Removed map[string][]string `json:"removed,omitempty"`
	// Withheld are memories of the next export that are marked exportable: false.
	Withheld Withheld `json:"-"`
}

// Delta writes the difference between two full exports of one owner as an incremental export (PAM
// §16): the elements of next that base does not have with the same value. Merge(base, delta) is
// next, but for elements that next no longer has: PAM has no way to say that something is gone.
//
// The delta has the members of next outside of the collections, export_id and export_date included:
// it is another form of the same export. base_export_id is the export_id of base. since is the
// export_date of base, or one second before the earliest change of a memory in the delta if that is
// earlier: memories that were found in an old archive have old times. So every memory of the delta
// changed after since, as §16.2 demands; since does not say that all memories with a later time are
// in the delta. Signatures are left out, for they cover other memories.
func Delta(w io.Writer, base, next Source, o DeltaOptions) (report *DeltaReport, err error) {
	d := &delta{o: o, report: &DeltaReport{Withheld: Withheld{}}}
	d.join = &join{primary: &next, limits: o.Limits, keys: storeKeys, sides: map[string]*extsort.Sorter{}, begin: d.begin, visit: d.visit}
	for _, c := range collections {
		d.join.sides[c] = o.sorter()
	}
	defer func() { err = errors.Join(err, d.close()) }()
	old, computed, err := d.load(base)
	if err != nil {
		return nil, fmt.Errorf("make delta: %w", err)
	}
	rest, order, err := d.join.run()
	if err != nil {
		return nil, fmt.Errorf("make delta: %w", err)
	}
	scalars, err := parseScalars(rest)
	if err != nil {
		return nil, fmt.Errorf("make delta: %s: %w", next.Name, err)
	}
	err = d.check([]checked{{base.Name, old, computed}, {next.Name, scalars, d.whole.Integrity()}})
	if err != nil {
		return nil, fmt.Errorf("make delta: %w", err)
	}
	if err := d.write(w, old, scalars, order); err != nil {
		return nil, fmt.Errorf("make delta: %w", err)
	}
	return d.report, nil
}

type checked struct {
	name     string
	scalars  *Scalars
	computed Integrity
}

// delta is the work of one call of Delta.
type delta struct {
	o      DeltaOptions
	join   *join
	report *DeltaReport

	spools   *spools
	sum      *asyncChecksum // of the delta
	whole    *asyncChecksum // of next
	earliest time.Time
}

func (d *delta) close() error {
	var errs []error
	for _, s := range d.join.sides {
		errs = append(errs, s.Close())
	}
	d.sum.close()
	d.whole.close()
	return errors.Join(append(errs, d.spools.close())...)
}

// load keeps a digest of each element of the base.
func (d *delta) load(base Source) (*Scalars, Integrity, error) {
	var sum Checksummer
	unsorted := false
	scalars, err := scanStore(base, d.o.Limits, func(collection string, it item) error {
		if collection == memoriesKey && !unsorted {
			err := sum.Add(string(it.key), it.canonical)
			if unsorted = errors.Is(err, ErrUnsorted); err != nil && !unsorted {
				return err
			}
		}
		digest := sha256.Sum256(it.canonical)
		return d.join.sides[collection].Add(it.key, digest[:])
	})
	if err != nil {
		return nil, Integrity{}, err
	}
	if unsorted {
		in, _, err := ReadIntegrity(base, d.o.Limits)
		return scalars, in, err
	}
	return scalars, sum.Integrity(), nil
}

func (d *delta) begin() (err error) {
	if err := d.spools.close(); err != nil {
		return err
	}
	d.sum.close()
	d.whole.close()
	d.sum, d.whole, d.earliest, d.report.Withheld = newAsyncChecksum(), newAsyncChecksum(), time.Time{}, Withheld{}
	d.report.Tallies, d.report.Removed = map[string]*Tally{}, map[string][]string{}
	for _, c := range collections {
		d.report.Tallies[c] = &Tally{}
	}
	d.spools, err = newSpools(d.o.Scratch, storeKeys)
	return err
}

func (d *delta) visit(collection string, key []byte, it *item, records [][]byte) error {
	if len(records) > 1 {
		return fmt.Errorf("base: %s: %w", collection, ErrDuplicateID)
	}
	tally := d.report.Tallies[collection]
	if it != nil && collection == memoriesKey {
		if err := d.whole.Add(key, it.canonical); err != nil {
			return err
		}
		if isWithheld(it.raw) {
			d.report.Withheld[string(key)] = true
			it = nil
		}
	}
	it, err := d.shown(collection, it)
	if err != nil {
		return err
	}
	if it == nil {
		if len(records) > 0 {
			tally.Removed++
			if list := d.report.Removed[collection]; len(list) < maxListed {
				d.report.Removed[collection] = append(list, string(key))
			}
		}
		return nil
	}
	if len(records) > 0 {
		if digest := sha256.Sum256(it.canonical); string(digest[:]) == string(records[0]) {
			tally.Unchanged++
			return nil
		}
		tally.Updated++
	} else {
		tally.Added++
	}
	tally.Total++
	if collection == memoriesKey {
		if err := d.sum.Add(key, it.canonical); err != nil {
			return err
		}
		if m, err := ParseMemory(it.raw); err == nil {
			if t, ok := lastChange(m); ok && (d.earliest.IsZero() || t.Before(d.earliest)) {
				d.earliest = t
			}
		}
	}
	return d.spools.add(collection, it.raw)
}

// shown is an element as it is given away: without references to withheld memories, nil if nothing
// is left of it. The base was given away so, too: only then can the two be compared. All memories
// come before the other collections.
func (d *delta) shown(collection string, it *item) (*item, error) {
	if it == nil || collection == memoriesKey || len(d.report.Withheld) == 0 {
		return it, nil
	}
	raw, keep, err := d.report.Withheld.without(collection, it.raw)
	if err != nil || !keep {
		return nil, err
	}
	if len(raw) == len(it.raw) {
		return it, nil
	}
	shown, err := itemOf(raw, "id", false)
	return &shown, err
}

func (d *delta) check(both []checked) error {
	for i, c := range both {
		if err := checkIntegrity(c.scalars, c.computed); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if c.scalars.ExportType == "incremental" {
			return fmt.Errorf("%s: %w: it is a delta; merge it with its base first", c.name, ErrNotDelta)
		}
		if d.o.Check != nil {
			if err := d.o.Check(i, c.scalars, c.computed.Checksum); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	base, next := both[0].scalars, both[1].scalars
	switch {
	case base.Owner.ID != next.Owner.ID:
		return fmt.Errorf("%w: %q and %q", ErrOtherOwner, base.Owner.ID, next.Owner.ID)
	case base.ExportID == "":
		return fmt.Errorf("%s has no export_id, so a delta could not say what it builds on", both[0].name)
	}
	return nil
}

// write writes the delta.
func (d *delta) write(w io.Writer, base, next *Scalars, order []string) error {
	if len(d.report.Withheld) > 0 {
		old := d.spools
		fresh, sum, err := d.report.Withheld.filter(old, d.o.Limits)
		d.sum.close()
		d.spools, d.sum = fresh, sum
		if err = errors.Join(err, old.close()); err != nil {
			return err
		}
	}
	result := *next
	result.ExportType, result.BaseExportID, result.Since, result.Signature = "incremental", base.ExportID, d.since(base), nil
	in := d.sum.Integrity()
	h := newHead(next)
	h.setText("export_type", result.ExportType)
	h.setText("base_export_id", result.BaseExportID)
	h.remove("since")
	if result.Since != "" {
		h.setText("since", result.Since)
	}
	h.remove("signature")
	h.setIntegrity(next.Integrity, in)
	result.Integrity, d.report.Scalars = &in, &result
	text, err := h.append(nil)
	if err != nil {
		return err
	}
	// Members of the base that next does not have would survive a merge; null says that they are
	// gone.
	text, err = appendGone(text, base, next)
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, c := range order {
		has[c] = true
	}
	return d.spools.write(w, text, collections, func(c string) bool { return c == memoriesKey || has[c] })
}

// nullable are the members of a store that may be null (PAM §3.2).
var nullable = []string{"spec_uri", "export_id", "exported_by", "type_registry"}

func appendGone(dst []byte, base, next *Scalars) ([]byte, error) {
	b, err := jsonscan.Parse(base.Raw, maxDepth)
	if err != nil {
		return nil, err
	}
	n, err := jsonscan.Parse(next.Raw, maxDepth)
	if err != nil {
		return nil, err
	}
	for _, key := range nullable {
		if was := b.Root().Get(key); was.Exists() && !was.IsNull() && !n.Root().Get(key).Exists() {
			dst = append(appendKey(dst, key), "null"...)
		}
	}
	return dst, nil
}

// since is the time that all memories of the delta changed after; "" if no time is known.
func (d *delta) since(base *Scalars) string {
	exported, err := ParseTime(base.ExportDate)
	switch {
	case d.earliest.IsZero() && err != nil:
		return ""
	case d.earliest.IsZero():
		return FormatTime(exported)
	case err != nil || !d.earliest.After(exported):
		return FormatTime(d.earliest.Add(-time.Second).Truncate(time.Second))
	}
	return FormatTime(exported)
}
