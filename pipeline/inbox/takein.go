package inbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// TakeIn copies files and folders from this machine into the owner's inbox as one drop. Taking the
// same content in again is cheap and changes nothing. scratch holds packed folders meanwhile.
func TakeIn(ctx context.Context, s blob.Store, owner string, paths []string, scratch string) (state.DropRecord, error) {
	s = objects.ClassedStore{Store: s}
	rec := state.DropRecord{V: 1, Owner: owner}
	if err := state.CheckOwner(owner); err != nil {
		return rec, err
	}
	files := map[string]string{} // digest → local file
	for _, path := range paths {
		part, file, err := localPart(ctx, path, scratch)
		if err != nil {
			return rec, err
		}
		if file != path {
			defer func() { _ = os.Remove(file) }() // scratch is emptied at the next start
		}
		if _, twice := files[part.SHA256]; !twice {
			files[part.SHA256] = file
			rec.Parts = append(rec.Parts, part)
		}
	}
	slices.SortFunc(rec.Parts, func(a, b state.DropPart) int { return strings.Compare(a.SHA256, b.SHA256) })
	rec.Drop = state.DropDigest(rec.Parts)
	for i := range rec.Parts {
		p := &rec.Parts[i]
		p.Key = state.DropKey(owner, rec.Drop, fmt.Sprintf("part-%03d", i))
		if err := putPart(ctx, s, *p, files[p.SHA256]); err != nil {
			return rec, err
		}
	}
	return rec, recordDrop(ctx, s, rec)
}

// localPart hashes a file, or packs a folder and hashes the pack; file is where the bytes are.
func localPart(ctx context.Context, path, scratch string) (p state.DropPart, file string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return p, "", &fault.NamedError{Doing: "open", Name: path, Err: err}
	}
	p.Name = filepath.Base(path)
	file = path
	if info.IsDir() {
		p.Folder = true
		if file, p.Left, err = packFolder(ctx, path, scratch); err != nil {
			return p, "", err
		}
	} else if !info.Mode().IsRegular() {
		return p, "", &fault.NamedError{Doing: "open", Name: path, Err: errors.New("it is neither a file nor a folder")}
	}
	f, err := os.Open(file)
	if err != nil {
		return p, "", &fault.NamedError{Doing: "open", Name: path, Err: err}
	}
	defer f.Close()
	h := sha256.New()
	if p.Size, err = io.Copy(h, blob.ContextReader(ctx, f)); err != nil {
		return p, "", &fault.NamedError{Doing: "read", Name: path, Err: err}
	}
	p.SHA256 = hex.EncodeToString(h.Sum(nil))
	return p, file, nil
}

func packFolder(ctx context.Context, path, scratch string) (packed string, left int, err error) {
	out, err := os.CreateTemp(scratch, "folder-*.zip")
	if err != nil {
		return "", 0, &fault.NamedError{Doing: "pack folder", Name: path, Err: err}
	}
	left, err = archive.PackFolder(ctx, path, out, func(name string) bool { return name == markerName })
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return "", 0, &fault.NamedError{Doing: "pack folder", Name: path, Err: errors.Join(err, os.Remove(out.Name()))}
	}
	return out.Name(), left, nil
}

// putPart stores a part unless it is there already, and checks that the bytes are still those that
// were hashed.
func putPart(ctx context.Context, s blob.Store, p state.DropPart, file string) error {
	whole, err := objects.IsWhole(ctx, s, p.Key, p.SHA256)
	if err != nil || whole {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return &fault.NamedError{Doing: "open", Name: p.Name, Err: err}
	}
	defer f.Close()
	v := &verifyingReader{r: blob.ContextReader(ctx, f), h: sha256.New(), want: p.SHA256}
	if _, err := s.Put(ctx, p.Key, v, blob.PutOptions{}); err != nil {
		return &fault.NamedError{Doing: "store", Name: p.Name, Err: err}
	}
	return nil
}

// verifyingReader fails at the end of a stream whose digest is another than expected, so that
// nothing is stored under it.
type verifyingReader struct {
	r    io.Reader
	h    hash.Hash
	want string
}

func (v *verifyingReader) Read(p []byte) (int, error) {
	n, err := v.r.Read(p)
	v.h.Write(p[:n])
	if err == io.EOF && hex.EncodeToString(v.h.Sum(nil)) != v.want {
		return n, errors.New("the file changed while it was read: wait until it is complete and import it again")
	}
	return n, err
}
