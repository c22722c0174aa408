package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/sums"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish/folder"
	"github.com/pamline/pamline/pipeline/state"
)

// CopyOptions are what a caller does beside a copy. Each field may be nil.
type CopyOptions struct {
	// Ready is called with the complete new bundle and its export just before it takes its place.
	Ready func(next, export string) error
	// Copied is told how many of the conversation files are copied, one after the other.
	Copied func(done, of int64)
}

// CopyBundle writes what the owner's head names into a folder: memory-store.json, its conversation
// files, and the assets that the imports of its input set brought, named by a message or not, and
// SHA256SUMS, the list of their digests; nothing else. Files that the bundle there has already
// stay, if they have the content that their names say. The folder is replaced as a whole: it has
// the old bundle or the new one, whatever happens in between. A folder that holds anything but a
// bundle is left alone.
func CopyBundle(ctx context.Context, s blob.Store, owner, target string, o CopyOptions) error {
	head, _, err := state.ReadHead(ctx, s, owner)
	if err != nil {
		return err
	}
	if head.ExportID == "" {
		return fmt.Errorf("copy bundle of %s: there is no store yet: import an archive first", owner)
	}
	if err := checkBundleFolder(target); err != nil {
		return err
	}
	in, err := state.ReadInputs(ctx, s, owner, head)
	if err != nil {
		return err
	}
	parent := filepath.Dir(filepath.Clean(target))
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fmt.Errorf("copy bundle to %s: %w", target, err)
	}
	next, err := os.MkdirTemp(parent, "."+filepath.Base(target)+".new-")
	if err != nil {
		return fmt.Errorf("copy bundle to %s: %w", target, err)
	}
	defer func() { _ = os.RemoveAll(next) }() // hidden, and named as unfinished
	synced, err := folder.OpenSync(next)
	if err != nil {
		return fmt.Errorf("copy bundle to %s: %w", target, err)
	}
	defer synced.Close()
	b := &bundleWriter{store: s, owner: owner, folder: next, earlier: target, list: sums.NewList(""), copied: o.Copied, of: head.ConversationCount}
	b.writeback.SetLimit(1)
	b.synced = synced
	if err := errors.Join(b.fill(ctx, head, in), b.writeback.Wait(), b.list.Close()); err != nil {
		return fmt.Errorf("copy bundle to %s: %w", target, err)
	}
	if o.Ready != nil {
		if err := o.Ready(next, head.ExportID); err != nil {
			return err
		}
	}
	if err := synced.Finish(); err != nil {
		return fmt.Errorf("copy bundle to %s: %w", target, err)
	}
	if err := folder.ReplaceFolder(next, target); err != nil {
		return fmt.Errorf("copy bundle: %w", err)
	}
	return nil
}

// CurrentExport is the id of the export that the owner's head names; "" when there is none yet.
func CurrentExport(ctx context.Context, s blob.Store, owner string) (string, error) {
	head, _, err := state.ReadHead(ctx, s, owner)
	return head.ExportID, err
}

// bundleNames are what a bundle may have at its root.
var bundleNames = map[string]bool{"memory-store.json": true, "embeddings.json": true, "conversations": true, "assets": true, sums.File: true, sums.SignatureFile: true}

func checkBundleFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("copy bundle to %s: %w: choose a folder", folder, err)
	}
	for _, e := range entries {
		if !bundleNames[e.Name()] {
			return fmt.Errorf("copy bundle to %s: the folder holds %q, which is no part of a bundle and would be lost: choose an empty or new folder", folder, e.Name())
		}
	}
	return nil
}

// bundleWriter fills the folder of a bundle.
type bundleWriter struct {
	store         blob.Store
	owner, folder string
	earlier       string // the bundle that is replaced
	list          *sums.List
	creating      sync.Mutex
	copied        func(done, of int64)
	counting      sync.Mutex
	done, of      int64

	synced    *folder.Sync // nil: the folder need not last
	writeback errgroup.Group
	unsynced  atomic.Int64 // bytes written since the last early sync
}

// syncEarly is how many bytes are written between two early syncs.
const syncEarly = 32 << 20

// wrote starts the writing back of what was copied while more is being copied: at the end little is
// left to wait for.
func (b *bundleWriter) wrote(n int64) {
	if b.synced == nil || b.unsynced.Add(n) < syncEarly {
		return
	}
	b.unsynced.Store(0)
	b.writeback.TryGo(b.synced.WriteBack)
}

func (b *bundleWriter) fill(ctx context.Context, head state.Head, in state.Inputs) error {
	if err := os.Mkdir(filepath.Join(b.folder, "conversations"), 0o700); err != nil {
		return err
	}
	if err := b.copyObject(ctx, state.ExportKey(b.owner, head.ExportID, ".json"), head.Store, storeCopy); err != nil {
		return err
	}
	if head.Embeddings != "" {
		if err := b.copyObject(ctx, state.ExportKey(b.owner, head.ExportID, embeddingsSuffix), head.EmbeddingsFile, embeddingsCopy); err != nil {
			return err
		}
	}
	if err := b.fillConversations(ctx); err != nil {
		return err
	}
	if err := b.fillAssets(ctx, in); err != nil {
		return err
	}
	return b.writeSums()
}

// fillConversations copies the conversation files that the index of the store names.
func (b *bundleWriter) fillConversations(ctx context.Context) error {
	f, err := os.Open(filepath.Join(b.folder, storeCopy))
	if err != nil {
		return err
	}
	defer f.Close()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2 * runtime.GOMAXPROCS(0))
	err = pamio.ReadStore(f, pamio.Visitor{IndexEntry: func(e pamio.Element) error {
		entry, err := pamio.ParseIndexEntry(e.Raw)
		if err != nil {
			return err
		}
		if entry.Storage == nil || entry.Storage.Type != "file" {
			return nil
		}
		ref := entry.Storage.Ref
		if !filepath.IsLocal(filepath.FromSlash(ref)) || !strings.HasPrefix(ref, "conversations/") {
			return fmt.Errorf("the index names %q, which is outside the bundle", ref)
		}
		g.Go(func() error {
			err := b.addObject(gctx, state.OwnerKey(b.owner, ref), ref)
			if err == nil {
				b.tellCopied()
			}
			return err
		})
		return gctx.Err()
	}})
	if first := g.Wait(); first != nil {
		return first // the reading only stopped because of it
	}
	return err
}

// tellCopied counts a conversation file, and tells how many there are now.
func (b *bundleWriter) tellCopied() {
	if b.copied == nil {
		return
	}
	b.counting.Lock()
	defer b.counting.Unlock()
	b.done++
	b.copied(b.done, b.of)
}

// copyObject copies an object of a digest, "" for the digest in its name, to a file of the bundle.
func (b *bundleWriter) copyObject(ctx context.Context, key, digest, name string) error {
	rc, err := objects.OpenVerified(ctx, b.store, key, digest)
	if err != nil {
		return objects.Lost(key, err)
	}
	defer rc.Close()
	f, err := b.createFile(name)
	if err != nil {
		return err
	}
	buffer := copyBuffers.Get().(*[]byte) //nolint:errcheck,forcetypeassert // the pool holds nothing else
	n, err := io.CopyBuffer(struct{ io.Writer }{f}, struct{ io.Reader }{rc}, *buffer)
	copyBuffers.Put(buffer)
	b.wrote(n)
	return errors.Join(err, f.Close(), b.list.Add(name, rc.Digest()))
}

// copyBuffers take nearly every conversation in one piece.
var copyBuffers = sync.Pool{New: func() any {
	b := make([]byte, 128<<10)
	return &b
}}

// createFile makes files one by one: threads that do so in one folder at the same time spin in the
// kernel.
func (b *bundleWriter) createFile(name string) (*os.File, error) {
	b.creating.Lock()
	defer b.creating.Unlock()
	return os.OpenFile(filepath.Join(b.folder, filepath.FromSlash(name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, folder.FileMode)
}

// writeSums writes the list of the digests of all files.
func (b *bundleWriter) writeSums() error {
	f, err := b.createFile(sums.File)
	if err != nil {
		return err
	}
	_, err = b.list.Write(f)
	return errors.Join(err, f.Close())
}
