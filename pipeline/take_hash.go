package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// hashes is how many objects of one folder are read at the same time.
const hashes = 8

// errMoving: an object was replaced or removed between the listing and the end of its reading.
var errMoving = errors.New("take drop: it changed while it was read")

// hashed is an object with the digest of its bytes.
type hashed struct {
	state.DropFile
	archive bool // by its first bytes
}

// hashUnit reads the objects of a unit and makes the record of the drop that they are.
//
// Archives lying side by side in a folder are the parts of one drop, as if they had been given together on the command
// line. Any other folder is an unpacked export: its files keep their paths, which are part of what it is.
func hashUnit(ctx context.Context, s blob.Store, u inboxUnit) (state.DropRecord, error) {
	rec := state.DropRecord{V: 1, Owner: u.owner}
	objects := u.sorted()
	if len(objects) != u.files {
		return rec, errMoving
	}
	files := make([]hashed, len(objects))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(hashes)
	for i, o := range objects {
		g.Go(func() (err error) {
			files[i], err = hashObject(gctx, s, o)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return rec, err
	}
	archives := true
	for i := range files {
		f := &files[i]
		f.Name = strings.TrimPrefix(f.Key, u.unit)
		archives = archives && f.archive && !strings.Contains(f.Name, "/")
	}
	switch {
	case !u.folder():
		files[0].Name = u.name()
		rec.Parts = parts(files)
	case archives:
		rec.Parts = parts(files)
	default:
		rec.Parts = []state.DropPart{folderPart(u, files)}
	}
	rec.Drop = state.DropDigest(rec.Parts)
	return rec, nil
}

// parts are those of a drop in the order of their digests, each once.
func parts(files []hashed) []state.DropPart {
	var out []state.DropPart
	for _, f := range files {
		out = append(out, state.DropPart{Name: f.Name, Key: f.Key, SHA256: f.SHA256, Size: f.Size, ETag: f.ETag})
	}
	slices.SortStableFunc(out, func(a, b state.DropPart) int { return strings.Compare(a.SHA256, b.SHA256) })
	return slices.CompactFunc(out, func(a, b state.DropPart) bool { return a.SHA256 == b.SHA256 })
}

// folderPart is a folder as one part, known by the paths and digests of its files.
func folderPart(u inboxUnit, files []hashed) state.DropPart {
	p := state.DropPart{Name: u.name(), Key: u.unit, Folder: true}
	h := sha256.New()
	h.Write([]byte("pamline-folder/1\n"))
	for _, f := range files {
		_, _ = fmt.Fprintf(h, "%s %d:%s\n", f.SHA256, len(f.Name), f.Name) // a hash takes everything
		p.Size += f.Size
		p.Files = append(p.Files, f.DropFile)
	}
	p.SHA256 = hex.EncodeToString(h.Sum(nil))
	return p
}

func hashObject(ctx context.Context, s blob.Store, o blob.Object) (f hashed, err error) {
	body, got, err := s.Get(ctx, o.Key, blob.Range{})
	if err == nil && got.ETag != o.ETag {
		err = errors.Join(blob.ErrChanged, body.Close())
	}
	if err != nil {
		return f, moving(err)
	}
	defer body.Close()
	h := &opening{h: sha256.New()}
	n, err := io.Copy(h, body)
	if err != nil {
		return f, moving(fmt.Errorf("take drop: read object %q: %w", o.Key, err))
	}
	f.DropFile = state.DropFile{Key: o.Key, SHA256: hex.EncodeToString(h.h.Sum(nil)), Size: n, ETag: o.ETag}
	f.archive = isArchive(h.start)
	return f, nil
}

func moving(err error) error {
	if errors.Is(err, blob.ErrNotExist) || errors.Is(err, blob.ErrChanged) {
		return errMoving
	}
	return err
}

// opening hashes what is written and keeps the start of it.
type opening struct {
	h     hash.Hash
	start []byte
}

// openingLength reaches over the mark of a tar.
const openingLength = 512

func (o *opening) Write(p []byte) (int, error) {
	if n := min(openingLength-len(o.start), len(p)); n > 0 {
		o.start = append(o.start, p[:n]...)
	}
	return o.h.Write(p)
}

// isArchive tells by the first bytes whether a file is one that holds others.
func isArchive(start []byte) bool {
	const tarMark = 257
	return bytes.HasPrefix(start, []byte("PK\x03\x04")) || bytes.HasPrefix(start, []byte("PK\x05\x06")) ||
		bytes.HasPrefix(start, []byte{0x1f, 0x8b}) || len(start) >= tarMark+5 && string(start[tarMark:tarMark+5]) == "ustar"
}
