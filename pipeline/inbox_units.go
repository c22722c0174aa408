package pipeline

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"iter"
	"slices"
	"strconv"

	"github.com/pamline/pamline/blob"
)

// inboxUnits lists what lies under a prefix of the inbox as what it will be: one drop each. Of a folder it holds keep
// objects at most, whatever it has; keep 0 holds none.
//
// The id of a unit is made of what a listing says, and never of what a HEAD says: servers tell times more exactly in the
// one than in the other. It holds the time because the same bytes, put again with other settings, have the same ETag.
func inboxUnits(ctx context.Context, s blob.Store, in Inbox, prefix string, keep int) iter.Seq2[inboxUnit, error] {
	return func(yield func(inboxUnit, error) bool) {
		var open *unitMaker
		for o, err := range blob.ListAll(ctx, s, prefix) {
			if err != nil {
				yield(inboxUnit{}, fmt.Errorf("list inbox: %w", err))
				return
			}
			l := in.lies(o)
			if l.ignore && !l.busy {
				continue
			}
			if open != nil && open.u.unit != l.unit {
				if u, ok := open.done(); ok && !yield(u, nil) {
					return
				}
				open = nil
			}
			if open == nil {
				open = &unitMaker{u: inboxUnit{lying: l}, sum: sha256.New(), keep: keep}
				open.u.bad = nil
			}
			open.Add(o, l)
		}
		if open != nil {
			if u, ok := open.done(); ok {
				yield(u, nil)
			}
		}
	}
}

// unitMaker adds the objects of one unit up as the listing gives them.
type unitMaker struct {
	u    inboxUnit
	sum  hash.Hash
	keep int
}

func (m *unitMaker) Add(o blob.Object, l lying) {
	if o.ModTime.After(m.u.newest.ModTime) || m.u.newest.Key == "" {
		m.u.newest = o
	}
	if l.ignore {
		return
	}
	if m.u.files == 0 && !m.u.marked {
		m.write(m.u.owner, m.u.unit)
	}
	if m.u.owner != "" || !m.u.folder() { // of a folder that is no owner's, the name alone counts
		m.write(o.Key, o.ETag, strconv.FormatInt(o.ModTime.Unix(), 10))
	}
	if l.bad != nil {
		m.u.bad = l.bad
	}
	if l.marker() {
		m.u.marked = true
	} else {
		m.u.files++
		m.u.bytes += o.Size
	}
	if len(m.u.objects) < m.keep {
		m.u.objects = append(m.u.objects, o)
	}
}

// write takes words into the id, each with its length: names may hold anything.
func (m *unitMaker) write(words ...string) {
	for _, w := range words {
		_, _ = fmt.Fprintf(m.sum, "%d:%s", len(w), w) // a hash takes everything
	}
}

// done gives the unit, if anything in it counts.
func (m *unitMaker) done() (inboxUnit, bool) {
	m.u.id = shortID(m.sum.Sum(nil))
	m.u.inner, m.u.ignore, m.u.busy = "", false, false
	return m.u, m.u.files > 0 || m.u.marked
}

// lookUp lists one unit again, with its objects; ok is false when it has gone.
func lookUp(ctx context.Context, s blob.Store, in Inbox, unit string) (u inboxUnit, ok bool, err error) {
	for u, err := range inboxUnits(ctx, s, in, unit, in.parts()+2) {
		if err != nil {
			return u, false, err
		}
		return u, u.unit == unit, nil
	}
	return u, false, nil
}

// whole: a bucket shows an object when its last byte is there. In a folder as store, a file may be growing.
func (u inboxUnit) Whole(in Inbox) bool { return !u.folder() && in.Bucket != "" }

// sorted are the objects of a folder without its marker, in the byte order of their names.
func (u inboxUnit) sorted() []blob.Object {
	out := slices.DeleteFunc(slices.Clone(u.objects), func(o blob.Object) bool { return o.Key == u.unit+completeName })
	slices.SortFunc(out, func(a, b blob.Object) int { return compareKeys(a.Key, b.Key) })
	return out
}

func compareKeys(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
