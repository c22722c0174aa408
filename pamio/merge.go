package pamio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pamline/pamline/pamio/extsort"
)

// Errors of merging and of making deltas.
var (
	// ErrOtherOwner is wrapped when two exports are not of one owner.
	ErrOtherOwner = errors.New("the exports belong to different owners")
	// ErrUnknownBase is wrapped when a delta builds on an export that is not among the inputs
	// before it (PAM §16.3.1).
	ErrUnknownBase = errors.New("the delta builds on another export")
	// ErrNotDelta is wrapped when a full export stands where a delta belongs, or the other way
	// round.
	ErrNotDelta = errors.New("wrong export_type")
	// ErrDamaged is wrapped when the memories of an input are not those of its integrity block.
	ErrDamaged = errors.New("the memories do not have the checksum of the integrity block")
)

// MergeOptions set how exports are merged. The zero value is the default of everything.
type MergeOptions struct {
	Limits
	// AnyBase accepts deltas that build on an export which is not among the inputs.
	AnyBase bool
	// Check is called for each input, the base first, when all are read and before anything is
	// written; an error ends the merge. computed is the checksum of the memories: it is for
	// verifying signatures. Nil: none.
	Check func(input int, s *Scalars, computed string) error
}

// Tally counts the elements of one collection.
type Tally struct {
	Added     int64 `json:"added"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	// Removed are those that the first export has and the result does not.
	Removed int64 `json:"removed,omitempty"`
	// Total is the number in the result.
	Total int64 `json:"total"`
}

// MergeReport says what a merge did.
type MergeReport struct {
	// Scalars are those of the result.
	Scalars *Scalars `json:"-"`
	// Tallies are by collection: memories, relations, conversations_index.
	Tallies map[string]*Tally `json:"collections"`
	// Conflicts are the first of them by id, at most 1000; ConflictCount is how many there are.
	Conflicts     []Conflict `json:"conflicts"`
	ConflictCount int64      `json:"conflict_count"`
	// SignatureDropped tells that the base was signed, and that the signature does not hold for the
	// result.
	SignatureDropped bool `json:"signature_dropped"`
	// Withheld are memories that are marked exportable: false; neither they nor what refers to them
	// is in the result.
	Withheld Withheld `json:"-"`
}

// Merge applies deltas to a base, one after the other (PAM §16.3), and writes the result. An
// element of a delta takes the place of the one with its id, as it is written; all others stay as
// they are. Nothing is deleted, retracted memories included; only memories marked exportable: false
// are left out (PAM §21.1).
//
// The result has the base's members outside of the collections, replaced by those that the deltas
// have, and export_id and export_date of the last delta: export_id names a state of the store. So
// the next delta of a chain fits, and grouping the deltas in another way gives the same result. The
// base may itself be a delta; then the result is one delta in the place of several. The integrity
// block is computed. A signature stays if it holds for the result, and is dropped otherwise.
//
// Elements of the deltas are sorted in scratch files, and the base is streamed: memory does not
// grow with either.
func Merge(w io.Writer, base Source, deltas []Source, o MergeOptions) (report *MergeReport, err error) {
	m := &merge{o: o, names: []string{base.Name}, report: &MergeReport{Withheld: Withheld{}}}
	m.join = &join{primary: &base, limits: o.Limits, keys: storeKeys, sides: map[string]*extsort.Sorter{}, begin: m.begin, visit: m.visit}
	defer func() { err = errors.Join(err, m.close()) }()
	for _, c := range collections {
		m.join.sides[c] = o.sorter()
	}
	for i, d := range deltas {
		if err := m.load(i, d); err != nil {
			return nil, fmt.Errorf("merge: %w", err)
		}
	}
	rest, order, err := m.join.run()
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	scalars, err := parseScalars(rest)
	if err != nil {
		return nil, fmt.Errorf("merge: %s: %w", base.Name, err)
	}
	m.inputs = slices.Insert(m.inputs, 0, scalars)
	m.orders = append(m.orders, order...)
	if err := m.finish(w); err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	return m.report, nil
}

// merge is the work of one call of Merge.
type merge struct {
	o      MergeOptions
	join   *join
	names  []string
	inputs []*Scalars // those of the deltas; at the end the base's comes first
	orders []string   // collections that an input has
	report *MergeReport

	spools *spools
	sum    *asyncChecksum
	sums   []*asyncChecksum // of the inputs, the base first
}

func (m *merge) close() error {
	var errs []error
	for _, s := range m.join.sides {
		errs = append(errs, s.Close())
	}
	m.endSums()
	return errors.Join(append(errs, m.spools.close())...)
}

func (m *merge) endSums() {
	m.sum.close()
	for _, s := range m.sums {
		s.close()
	}
}

// load sorts the elements of a delta by id, behind those of the deltas before it.
func (m *merge) load(number int, d Source) error {
	var value []byte
	rest, order, err := d.scan(m.o.Limits, storeKeys, func(collection string, it item) error {
		value = append(binary.BigEndian.AppendUint32(value[:0], uint32(number)), it.raw...)
		return m.join.sides[collection].Add(it.key, value)
	})
	if err != nil {
		return err
	}
	scalars, err := parseScalars(rest)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	m.names, m.inputs, m.orders = append(m.names, d.Name), append(m.inputs, scalars), append(m.orders, order...)
	return nil
}

// begin makes everything that visit fills.
func (m *merge) begin() (err error) {
	if err := m.spools.close(); err != nil {
		return err
	}
	m.endSums()
	m.sum, m.sums, m.report.Withheld = newAsyncChecksum(), nil, Withheld{}
	for range len(m.inputs) + 1 {
		m.sums = append(m.sums, newAsyncChecksum())
	}
	m.report.Conflicts, m.report.ConflictCount, m.report.Tallies = nil, 0, map[string]*Tally{}
	for _, c := range collections {
		m.report.Tallies[c] = &Tally{}
	}
	m.spools, err = newSpools(m.o.Scratch, storeKeys)
	return err
}

// visit merges one element: the last delta that has it wins.
func (m *merge) visit(collection string, key []byte, it *item, records [][]byte) error {
	var now item
	if it != nil {
		now = *it
		if err := m.count(collection, 0, key, now); err != nil {
			return err
		}
	}
	changed, last := false, -1
	for _, r := range records {
		number := int(binary.BigEndian.Uint32(r))
		if number == last {
			return fmt.Errorf("%s of %s: %w", collection, m.names[number+1], ErrDuplicateID)
		}
		last = number
		next, err := itemOf(r[4:], "id", collection == memoriesKey)
		if err == nil {
			err = m.count(collection, number+1, key, next)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.names[number+1], err)
		}
		if now.raw == nil || string(now.canonical) != string(next.canonical) {
			changed = true
			if now.raw != nil && collection == memoriesKey {
				m.conflicts(string(key), number, now.raw, next.raw)
			}
			now = next
		}
	}
	tally := m.report.Tallies[collection]
	if collection == memoriesKey && isWithheld(now.raw) {
		m.report.Withheld[string(key)] = true
		if it != nil {
			tally.Removed++
		}
		return nil
	}
	switch {
	case it == nil:
		tally.Added++
	case changed:
		tally.Updated++
	default:
		tally.Unchanged++
	}
	tally.Total++
	if collection == memoriesKey {
		if err := m.sum.Add(key, now.canonical); err != nil {
			return err
		}
	}
	return m.spools.add(collection, now.raw)
}

// count adds a memory to the checksum of its input.
func (m *merge) count(collection string, input int, key []byte, it item) error {
	if collection != memoriesKey {
		return nil
	}
	return m.sums[input].Add(key, it.canonical)
}

// finish checks the inputs and writes the result.
func (m *merge) finish(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	if len(m.report.Withheld) > 0 {
		old := m.spools
		fresh, sum, err := m.report.Withheld.filter(old, m.o.Limits)
		m.sum.close()
		m.spools, m.sum = fresh, sum
		if err = errors.Join(err, old.close()); err != nil {
			return err
		}
		for _, c := range collections {
			m.report.Tallies[c].Total = fresh.files[c].count
		}
	}
	text, err := m.header()
	if err != nil {
		return err
	}
	wanted := func(collection string) bool {
		return collection == memoriesKey || slices.Contains(m.orders, collection)
	}
	return m.spools.write(w, text, collections, wanted)
}
