package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/publish/folder"
)

// addObject puts an object whose name says its digest into the bundle: the file of the bundle that
// is replaced, if it has the same content, else a copy.
func (b *bundleWriter) addObject(ctx context.Context, key, name string) error {
	switch sum, err := b.linkFile(name, objects.DigestInName(key)); {
	case err != nil:
		return err
	case sum != "":
		return b.list.Add(name, sum)
	}
	return b.copyObject(ctx, key, "", name)
}

// linkFile makes a file of the earlier bundle one of the new bundle, and gives its digest; "" if
// there is none of this content. If the new bundle has a file of the name, the error is
// fs.ErrExist.
func (b *bundleWriter) linkFile(name, digest string) (sum string, err error) {
	if b.earlier == "" || digest == "" {
		return "", nil
	}
	name = filepath.FromSlash(name)
	next, old := filepath.Join(b.folder, name), filepath.Join(b.earlier, name)
	if parent, err := os.Lstat(filepath.Dir(old)); err != nil || !parent.IsDir() {
		return "", nil // a folder elsewhere, by a symbolic link
	}
	b.creating.Lock() // as in createFile
	err = os.Link(old, next)
	b.creating.Unlock()
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", err
	case err != nil: // there is none, or the file system has no links
		return "", nil
	}
	buffer := copyBuffers.Get().(*[]byte) //nolint:errcheck,forcetypeassert // the pool holds nothing else
	defer copyBuffers.Put(buffer)
	return folder.VerifyLinked(next, digest, *buffer)
}
