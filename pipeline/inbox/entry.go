package inbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
)

// entry is what becomes one drop: an object, or the objects of a folder.
type entry struct {
	owner string // "" if it is nobody's
	key   string // of the object, or of the folder with its slash
	bad   error  // why no store can read an object of it
	// id names the small record. It changes with the content, and when the same content is put
	// again.
	id     string
	bytes  int64
	files  int
	marked bool // the folder has a marker
	// newest is when something in the entry changed last, skipped objects included.
	newest time.Time
	// objects are the first that count, as many as were asked for.
	objects []blob.Object
}

// name is what a person called the drop.
func (e entry) name() string { return path.Base(e.key) }

// recordOwner is whose records have that of the entry. Entries in the root of the inbox are listed
// in no order of owners, so the records of all of them have one place of their own.
func (e entry) recordOwner() string {
	if inRoot(e.key) {
		return ""
	}
	return e.owner
}

// isWhole tells whether the store shows the entry only when its last byte is there: a single object
// of a bucket. A file of a store that is a folder may be growing.
func (e entry) isWhole(r Rules) bool { return e.marked || !isFolder(e.key) && r.Bucket != "" }

// patience is how long to wait until an entry counts as complete; 0: it does. now is the time by
// the clock of the store.
func (r Rules) patience(e entry, now time.Time) time.Duration {
	if e.isWhole(r) || r.Quiet <= 0 {
		return 0
	}
	return min(r.Quiet, max(0, r.Quiet-now.Sub(e.newest)))
}

// entries lists what lies under a prefix of the inbox. Of each entry it holds the first keep
// objects.
func (r Rules) entries(ctx context.Context, s blob.Store, prefix string, keep int) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		var open *entryBuilder
		for o, err := range blob.ListAll(ctx, s, prefix) {
			if err != nil {
				yield(entry{}, fmt.Errorf("list inbox: %w", err))
				return
			}
			l := r.locate(o)
			if l.skipped && !l.busy {
				continue
			}
			if open != nil && open.e.key != l.entry {
				if e, ok := open.build(); ok && !yield(e, nil) {
					return
				}
				open = nil
			}
			if open == nil {
				open = newEntryBuilder(l, keep)
			}
			open.add(o, l)
		}
		if open != nil {
			if e, ok := open.build(); ok {
				yield(e, nil)
			}
		}
	}
}

// findEntry lists one entry again, with its objects; ok is false if it has gone.
func (r Rules) findEntry(ctx context.Context, s blob.Store, key string) (e entry, ok bool, err error) {
	for e, err := range r.entries(ctx, s, key, r.Parts+2) {
		if err != nil {
			return e, false, err
		}
		return e, e.key == key, nil
	}
	return e, false, nil
}

// entryBuilder sums up the objects of one entry in the order of the listing.
//
// The id is made of what a listing says, and never of what a HEAD says: some servers give times
// more exactly in the one than in the other. It holds the time because the same bytes, put again
// with other settings, have the same ETag.
type entryBuilder struct {
	e    entry
	sum  hash.Hash
	keep int
}

func newEntryBuilder(l location, keep int) *entryBuilder {
	return &entryBuilder{e: entry{owner: l.owner, key: l.entry}, sum: sha256.New(), keep: keep}
}

func (b *entryBuilder) add(o blob.Object, l location) {
	e := &b.e
	if o.ModTime.After(e.newest) {
		e.newest = o.ModTime
	}
	if l.skipped {
		return
	}
	if e.files == 0 && !e.marked {
		b.write(e.owner, e.key)
	}
	if e.owner != "" || !isFolder(e.key) { // of a folder that is no owner's, the name alone counts
		b.write(o.Key, o.ETag, strconv.FormatInt(o.ModTime.Unix(), 10))
	}
	if l.bad != nil {
		e.bad = l.bad
	}
	if l.isMarker() {
		e.marked = true
	} else {
		e.files++
		e.bytes += o.Size
	}
	if len(e.objects) < b.keep {
		e.objects = append(e.objects, o)
	}
}

// write adds words to the id, each with its length: names may hold anything.
func (b *entryBuilder) write(words ...string) {
	for _, w := range words {
		_, _ = fmt.Fprintf(b.sum, "%d:%s", len(w), w) // a hash takes everything
	}
}

// build gives the entry, if anything in it counts.
func (b *entryBuilder) build() (entry, bool) {
	b.e.id = hex.EncodeToString(b.sum.Sum(nil)[:recordIDLength/2])
	return b.e, b.e.files > 0 || b.e.marked
}

// content gives the objects of a folder without its marker, in the byte order of their names.
func (e entry) content() []blob.Object {
	out := slices.DeleteFunc(slices.Clone(e.objects), func(o blob.Object) bool { return o.Key == e.key+markerName })
	slices.SortFunc(out, func(a, b blob.Object) int { return strings.Compare(a.Key, b.Key) })
	return out
}
