package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// An assembly reads the manifest, the lists and the candidates of every import of its owner: small objects, and with each
// drop more of them. Owners with many imports have copies of them in one object, gathered.zst. It decides nothing. Each
// copy has the ETag of the object it was read from, and counts only while a listing of the imports, made anew by each
// assembly, shows that very tag, so what was changed or removed since is read where it lies. Whoever assembles may write the
// object, at any time and over that of anybody else; when it is lost, stale or damaged, everything is read as if it had never been.

const (
	// GatherFrom is how many imports an owner has before their small objects are gathered; for fewer, a listing costs more.
	GatherFrom = 16
	// gatherAt is how many small objects were read one by one before they are gathered, too.
	gatherAt = 24
	// GatherEach and gatherMost bound what is copied, in bytes: a larger object is worth a request of its own.
	GatherEach = 64 << 10
	GatherMost = 64 << 20
)

// GatheredKey is where the copies of an owner's small objects lie.
func GatheredKey(owner string) string { return state.OwnerKey(owner, "gathered.zst") }

// gathered is a store whose small objects of an owner's imports may come from their copies. What it reads itself it keeps
// for the next assembly. The copies lie in a scratch file; memory holds their names and places, about 200 bytes each.
type gathered struct {
	blob.Store
	owner string
	log   *zap.Logger

	mu     sync.Mutex
	file   *os.File // nil: nothing is gathered
	End    int64
	Copies map[string]*copied // by key below owners/<owner>/imports/
	Alone  int                // how many of them are new
}

// copied is an object as it was read: its ETag, "" when there was none, and where its bytes are in the file.
type copied struct {
	tag      string
	At, Size int64
	// used: this assembly needs it, and so will the next.
	used bool
}

var (
	_ blob.Store   = (*gathered)(nil)
	_ blob.Batcher = (*gathered)(nil)
)

// OpenGathered prepares for reading so many imports.
func OpenGathered(ctx context.Context, d Options, owner string, imports int) (*gathered, error) {
	g := &gathered{Store: d.Store, owner: owner, log: d.Log, Copies: map[string]*copied{}}
	if imports < GatherFrom {
		return g, nil
	}
	var err error
	if g.file, err = os.CreateTemp(d.Scratch, "gathered-*"); err != nil {
		return nil, fmt.Errorf("gather objects of %s: %w", owner, err)
	}
	if err = g.load(ctx); err == nil {
		err = g.Check(ctx)
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

func (g *gathered) Close() {
	if g.file == nil {
		return
	}
	// Scratch is emptied at the next start.
	_ = g.file.Close()
	_ = os.Remove(g.file.Name())
}

// Check forgets the copies of objects that are not any more what they were.
func (g *gathered) Check(ctx context.Context) error {
	if len(g.Copies) == 0 {
		return nil
	}
	prefix := state.OwnerKey(g.owner, "imports/")
	same := make(map[string]*copied, len(g.Copies))
	for o, err := range g.Store.List(ctx, prefix) {
		if err != nil {
			return fmt.Errorf("list imports of %s: %w", g.owner, err)
		}
		name := strings.TrimPrefix(o.Key, prefix)
		c, ok := g.Copies[name]
		if ok && c.tag != "" && c.tag == o.ETag {
			same[name] = c
		}
		delete(g.Copies, name)
	}
	for name, c := range g.Copies { // these are not there
		if c.tag == "" {
			same[name] = c
		}
	}
	g.Copies = same
	return nil
}

// name tells what an object is called among the copies, if it is one of those that assemblies read whole each time.
func (g *gathered) name(key string, r blob.Range) (string, bool) {
	if g.file == nil || r != (blob.Range{}) || strings.HasSuffix(key, ".s2") {
		return "", false
	}
	return strings.CutPrefix(key, state.OwnerKey(g.owner, "imports/"))
}

// Get gives the copy of an object; of a copy, Object has no time.
func (g *gathered) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	name, ok := g.name(key, r)
	if !ok {
		return g.Store.Get(ctx, key, r)
	}
	g.mu.Lock()
	c := g.Copies[name]
	if c != nil {
		c.used = true
	}
	g.mu.Unlock()
	switch {
	case c == nil:
		return g.read(ctx, key, name)
	case c.tag == "":
		return nil, blob.Object{}, fmt.Errorf("get %s: %w", key, blob.ErrNotExist)
	}
	body := io.NopCloser(io.NewSectionReader(g.file, c.At, c.Size))
	return body, blob.Object{Key: key, Size: c.Size, ETag: c.tag}, nil
}

// read reads an object where it lies, and keeps a copy of a small one, or that there is none.
func (g *gathered) read(ctx context.Context, key, name string) (io.ReadCloser, blob.Object, error) {
	rc, o, err := g.Store.Get(ctx, key, blob.Range{})
	if errors.Is(err, blob.ErrNotExist) {
		return nil, o, state.FirstError(g.Add(name, "", nil), err)
	}
	if err != nil || o.Size > GatherEach || o.ETag == "" {
		return rc, o, err
	}
	body := make([]byte, o.Size)
	_, err = io.ReadFull(rc, body)
	if err = errors.Join(err, rc.Close()); err != nil {
		return nil, o, fmt.Errorf("read %s: %w", key, err)
	}
	return io.NopCloser(bytes.NewReader(body)), o, g.Add(name, o.ETag, body)
}

// Add keeps a copy. What would make the object too large is left out.
func (g *gathered) Add(name, tag string, body []byte) error {
	size := int64(len(body))
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.End+size > GatherMost {
		return nil
	}
	if _, err := g.file.WriteAt(body, g.End); err != nil {
		return fmt.Errorf("gather objects of %s: %w", g.owner, err)
	}
	g.Copies[name] = &copied{tag: tag, At: g.End, Size: size, used: true}
	g.End += size
	g.Alone++
	return nil
}

// PutAbsent keeps the batch of the store below.
func (g *gathered) PutAbsent(ctx context.Context, items []blob.Item) (int, error) {
	return blob.PutAbsentAll(ctx, g.Store, items)
}
