package known

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sync"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

const (
	// maxImports is how many earlier imports are asked for elements, and maxJobs how many of the
	// newest jobs are looked at for them.
	maxImports = 4
	maxJobs    = 16
	// maxElements is how many elements are known at a time. Each takes up to 40 bytes.
	maxElements = 1 << 20
	// maxLoaded is how many packs are held, and maxPack the largest of them, in bytes of documents:
	// elements of larger packs are decoded again.
	maxLoaded = 2
	maxPack   = 16 << 20
	// readAhead is how many packs are looked at side by side.
	readAhead = 8
)

// Reader reads the known elements of an owner.
type Reader struct {
	Store blob.Store
	Owner string
	// Reading names what decides what becomes of an element (Header).
	Reading string
	Log     *zap.Logger
}

// Elements are the elements that earlier imports of an owner have read. What cannot be used is as
// if it were not known.
type Elements struct {
	Reader
	most int // maxElements

	mu     sync.Mutex
	packs  []*pack
	places map[uint64]place // by the beginning of the digest
	loaded []*pack          // the last used first
	loads  int
}

// place is where an element lies: a pack, and its number among the known elements of the pack.
type place struct{ pack, element uint32 }

// Document is a known element with its document.
type Document struct {
	Element
	Line state.SnapshotLine
	// Frame is the document in the pack, and must not be changed.
	Frame []byte
}

// Open finds the elements of the newest accepted imports that were read alike.
func (r Reader) Open(ctx context.Context) *Elements {
	e := &Elements{Reader: r, most: maxElements, places: map[uint64]place{}}
	if err := e.addImports(ctx); err != nil {
		r.report("earlier imports cannot be looked at; all elements are decoded", "", err)
	}
	return e
}

// report logs why known elements are not used. It is no failure of the import.
func (r Reader) report(what, id string, err error) {
	if objects.IsMissing(err) {
		return // the import is older than the cache, or was written again by an erasure
	}
	r.Log.Info(what, zap.String("owner", r.Owner), zap.String("import", id), zap.Error(err))
}

func (e *Elements) addImports(ctx context.Context) error {
	head, _, err := state.ReadHead(ctx, e.Store, e.Owner)
	if err != nil || head.Inputs == "" {
		return err
	}
	inputs, err := state.ReadInputs(ctx, e.Store, e.Owner, head)
	if err != nil {
		return err
	}
	var jobs []state.JobObject
	for j, err := range state.ListJobs(ctx, e.Store, e.Owner, "") {
		if err != nil {
			return err
		}
		if inputs.Drops[j.Drop].Import != "" {
			jobs = append(jobs, j)
		}
	}
	slices.SortStableFunc(jobs, func(a, b state.JobObject) int { return b.ModTime.Compare(a.ModTime) })
	imports := 0
	for _, j := range jobs[:min(len(jobs), maxJobs)] {
		id := inputs.Drops[j.Drop].Import
		added, err := e.addImport(ctx, id, inputs.Contents[id].Manifest)
		if err != nil {
			e.report("the known elements of an import cannot be used; they are decoded", id, err)
		}
		if added > 0 {
			imports++
		}
		if imports == maxImports || len(e.places) >= e.most {
			break
		}
	}
	return nil
}

// addImport adds the elements of an import that was read alike, and gives how many are new. digest
// is that of its manifest.
func (e *Elements) addImport(ctx context.Context, id, digest string) (added int, err error) {
	m, _, err := state.ReadManifestOf(ctx, e.Store, e.Owner, id, digest)
	if err != nil {
		return 0, err
	}
	shards := slices.DeleteFunc(slices.Clone(m.Shards), func(s state.Shard) bool { return s.IsEmpty() || s.Bytes > maxPack })
	for some := range slices.Chunk(shards, readAhead) {
		digests := make([][]uint64, len(some))
		var g errgroup.Group
		for i, shard := range some {
			g.Go(func() error {
				digests[i] = e.readDigests(ctx, m, shard)
				return nil
			})
		}
		_ = g.Wait() // what cannot be read is reported
		before := added
		for i, shard := range some {
			added += e.addPack(&pack{manifest: &m, shard: shard}, digests[i])
		}
		if added == before { // full, read in another way, or older than the cache
			break
		}
	}
	return added, nil
}

// readDigests gives the beginnings of the digests of the known elements of a pack; none if they
// cannot be used.
func (e *Elements) readDigests(ctx context.Context, m state.Manifest, shard state.Shard) (digests []uint64) {
	h, elements, err := Read(ctx, e.Store, Key(m.Owner, m.Import, shard.Pack))
	if err != nil {
		e.report("the known elements of a pack cannot be used; they are decoded", m.Import, err)
		return nil
	}
	if h.Reading != e.Reading || h.Shard != shard.ID {
		return nil
	}
	for _, one := range elements {
		prefix, _ := digestPrefix(one.Digest)
		digests = append(digests, prefix)
	}
	return digests
}

// addPack adds the elements of a pack, as long as there is room, and gives how many are new.
func (e *Elements) addPack(p *pack, digests []uint64) (added int) {
	if len(digests) == 0 {
		return 0
	}
	number := uint32(len(e.packs)) //nolint:gosec // there are fewer packs than elements
	e.packs = append(e.packs, p)
	for n, prefix := range digests {
		if _, known := e.places[prefix]; !known && len(e.places) < e.most {
			e.places[prefix] = place{number, uint32(n)} //nolint:gosec // as above
			added++
		}
	}
	return added
}

// digestPrefix is the first 8 bytes of a digest in hex.
func digestPrefix(digest string) (uint64, bool) {
	b, err := hex.DecodeString(digest)
	if err != nil || len(b) < 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), true
}

// Find gives the document of an element of a digest that an importer of this version has read.
func (e *Elements) Find(ctx context.Context, digest, importer string) (d Document, ok bool) {
	prefix, _ := digestPrefix(digest)
	e.mu.Lock()
	defer e.mu.Unlock()
	at, ok := e.places[prefix]
	if !ok || !e.load(ctx, e.packs[at.pack]) {
		return d, false
	}
	if d, ok = e.packs[at.pack].document(int(at.element), importer); !ok || d.Digest != digest {
		return Document{}, false
	}
	return d, true
}

// load makes a pack one of those that are held. Archives have their elements mostly in the order of
// earlier ones. For an archive in another order, packs would be loaded again and again, so their
// number is bounded.
func (e *Elements) load(ctx context.Context, p *pack) bool {
	if at := slices.Index(e.loaded, p); at >= 0 {
		e.loaded = slices.Insert(slices.Delete(e.loaded, at, at+1), 0, p)
		return true
	}
	if p.unusable || e.loads >= 2*len(e.packs)+maxLoaded {
		return false
	}
	e.loads++
	if err := p.load(ctx, e.Store); err != nil {
		p.unusable = true
		e.report("a pack of an earlier import cannot be used; its elements are decoded", p.manifest.Import, err)
		return false
	}
	e.loaded = slices.Insert(e.loaded, 0, p)
	if len(e.loaded) > maxLoaded {
		e.loaded[maxLoaded].unload()
		e.loaded = slices.Delete(e.loaded, maxLoaded, len(e.loaded))
	}
	return true
}
