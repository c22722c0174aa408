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

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// CopyBundle writes what the owner's head names into folder: memory-store.json, its conversation
// files, and the assets that the imports of its input set brought, named by a message or not;
// nothing else. The folder is replaced as a whole: it has the old bundle or the new one, whatever
// happens in between. A folder that holds anything but a bundle is left alone. ready, if there is
// one, is called with the complete new bundle and its export just before it takes its place.
func CopyBundle(ctx context.Context, s blob.Store, owner, folder string, ready func(next, export string) error) error {
	head, _, err := state.ReadHead(ctx, s, owner)
	if err != nil {
		return err
	}
	if head.ExportID == "" {
		return fmt.Errorf("copy bundle of %s: there is no store yet: import an archive first", owner)
	}
	if err := checkBundleFolder(folder); err != nil {
		return err
	}
	parent := filepath.Dir(filepath.Clean(folder))
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fmt.Errorf("copy bundle to %s: %w", folder, err)
	}
	next, err := os.MkdirTemp(parent, "."+filepath.Base(folder)+".new-")
	if err != nil {
		return fmt.Errorf("copy bundle to %s: %w", folder, err)
	}
	defer func() { _ = os.RemoveAll(next) }() // hidden, and named as unfinished
	if err := fillBundle(ctx, s, owner, head, next); err != nil {
		return fmt.Errorf("copy bundle to %s: %w", folder, err)
	}
	if ready != nil {
		if err := ready(next, head.ExportID); err != nil {
			return err
		}
	}
	return replaceFolder(next, folder)
}

// CurrentExport is the id of the export that the owner's head names; "" when there is none yet.
func CurrentExport(ctx context.Context, s blob.Store, owner string) (string, error) {
	head, _, err := state.ReadHead(ctx, s, owner)
	return head.ExportID, err
}

// bundleNames are what a bundle may have at its root.
var bundleNames = map[string]bool{"memory-store.json": true, "embeddings.json": true, "conversations": true, "assets": true}

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

func fillBundle(ctx context.Context, s blob.Store, owner string, head state.Head, folder string) error {
	if err := os.Mkdir(filepath.Join(folder, "conversations"), 0o700); err != nil {
		return err
	}
	var creating sync.Mutex
	store := filepath.Join(folder, "memory-store.json")
	if err := copyObject(ctx, s, state.ExportKey(owner, head.ExportID, ".json"), head.Store, store, &creating); err != nil {
		return err
	}
	if head.Embeddings != "" {
		if err := copyObject(ctx, s, state.ExportKey(owner, head.ExportID, embeddingsSuffix), head.EmbeddingsFile, filepath.Join(folder, embeddingsCopy), &creating); err != nil {
			return err
		}
	}
	f, err := os.Open(store)
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
			return copyObject(gctx, s, state.OwnerKey(owner, ref), "", filepath.Join(folder, filepath.FromSlash(ref)), &creating)
		})
		return gctx.Err()
	}})
	if first := g.Wait(); first != nil {
		return first // the reading only stopped because of it
	}
	if err != nil {
		return err
	}
	return fillAssets(ctx, s, owner, head, folder, &creating)
}

// copyObject copies an object of a digest; "" stands for the digest in its name.
func copyObject(ctx context.Context, s blob.Store, key, digest, file string, creating *sync.Mutex) error {
	rc, err := objects.OpenVerified(ctx, s, key, digest)
	if err != nil {
		return objects.Lost(key, err)
	}
	defer rc.Close()
	creating.Lock() // one by one: threads that make files in one folder at the same time spin in the kernel
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	creating.Unlock()
	if err != nil {
		return err
	}
	_, err = io.Copy(f, rc)
	return errors.Join(err, f.Close())
}

// replaceFolder puts next in the place of folder. Between its two renames the name is free for an
// instant where the system cannot exchange folders.
func replaceFolder(next, folder string) error {
	if err := syncAll(next); err != nil {
		return fmt.Errorf("copy bundle to %s: %w", folder, err)
	}
	if err := exchangeFolders(next, folder); err == nil {
		return nil // next is the old folder now, and goes with the deferred removal
	}
	if err := os.Remove(folder); err == nil || errors.Is(err, os.ErrNotExist) {
		if err := os.Rename(next, folder); err != nil {
			return fmt.Errorf("copy bundle to %s: %w", folder, err)
		}
		return nil
	}
	old := next + ".old"
	if err := os.Rename(folder, old); err != nil {
		return fmt.Errorf("copy bundle to %s: %w", folder, err)
	}
	if err := os.Rename(next, folder); err != nil {
		return fmt.Errorf("copy bundle to %s: %w", folder, errors.Join(err, os.Rename(old, folder)))
	}
	return os.RemoveAll(old)
}
