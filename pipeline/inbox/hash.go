package inbox

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

// parallelHashes is how many objects of one folder are read at the same time.
const parallelHashes = 8

// errEntryChanged: an object was replaced or removed between the listing and the end of its
// reading.
var errEntryChanged = errors.New("take drop: it changed while it was read")

// hashedFile is an object with the digest of its bytes.
type hashedFile struct {
	state.DropFile
	archive bool // by its first bytes
}

// hashEntry reads the objects of an entry and makes the record of the drop.
//
// Archives lying side by side in a folder are the parts of one drop, as if they had been given
// together on the command line. Any other folder is an unpacked export: its files keep their paths,
// which are part of its content.
func hashEntry(ctx context.Context, s blob.Store, e entry) (state.DropRecord, error) {
	rec := state.DropRecord{V: 1, Owner: e.owner}
	objects := e.content()
	if len(objects) != e.files {
		return rec, errEntryChanged
	}
	files := make([]hashedFile, len(objects))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelHashes)
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
		f.Name = strings.TrimPrefix(f.Key, e.key)
		archives = archives && f.archive && !strings.Contains(f.Name, "/")
	}
	switch {
	case !isFolder(e.key):
		files[0].Name = e.name()
		rec.Parts = partsOf(files)
	case archives:
		rec.Parts = partsOf(files)
	default:
		rec.Parts = []state.DropPart{folderPart(e, files)}
	}
	rec.Drop = state.DropDigest(rec.Parts)
	return rec, nil
}

// partsOf gives the parts of a drop in the order of their digests, each once.
func partsOf(files []hashedFile) []state.DropPart {
	var out []state.DropPart
	for _, f := range files {
		out = append(out, state.DropPart{Name: f.Name, Key: f.Key, SHA256: f.SHA256, Size: f.Size, ETag: f.ETag})
	}
	slices.SortStableFunc(out, func(a, b state.DropPart) int { return strings.Compare(a.SHA256, b.SHA256) })
	return slices.CompactFunc(out, func(a, b state.DropPart) bool { return a.SHA256 == b.SHA256 })
}

// folderPart is a folder as one part, identified by the paths and digests of its files.
func folderPart(e entry, files []hashedFile) state.DropPart {
	p := state.DropPart{Name: e.name(), Key: e.key, Folder: true}
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

// hashObject reads an object that still is the one that was listed.
func hashObject(ctx context.Context, s blob.Store, o blob.Object) (f hashedFile, err error) {
	body, got, err := s.Get(ctx, o.Key, blob.Range{})
	if err == nil && got.ETag != o.ETag {
		err = errors.Join(blob.ErrChanged, body.Close())
	}
	if err != nil {
		return f, orChanged(err)
	}
	defer body.Close()
	h := &startHash{h: sha256.New()}
	n, err := io.Copy(h, body)
	if err != nil {
		return f, orChanged(fmt.Errorf("take drop: read object %q: %w", o.Key, err))
	}
	f.DropFile = state.DropFile{Key: o.Key, SHA256: hex.EncodeToString(h.h.Sum(nil)), Size: n, ETag: o.ETag}
	f.archive = isArchive(h.start)
	return f, nil
}

// orChanged makes errEntryChanged of an object that has gone or was replaced.
func orChanged(err error) error {
	if errors.Is(err, blob.ErrNotExist) || errors.Is(err, blob.ErrChanged) {
		return errEntryChanged
	}
	return err
}

// startHash hashes what is written and keeps the start of it.
type startHash struct {
	h     hash.Hash
	start []byte
}

// startLength reaches beyond the magic number of a tar.
const startLength = 512

func (s *startHash) Write(p []byte) (int, error) {
	if n := min(startLength-len(s.start), len(p)); n > 0 {
		s.start = append(s.start, p[:n]...)
	}
	return s.h.Write(p)
}

// isArchive tells by the first bytes whether a file is one that holds others.
func isArchive(start []byte) bool {
	const tarMagic = 257
	return bytes.HasPrefix(start, []byte("PK\x03\x04")) || bytes.HasPrefix(start, []byte("PK\x05\x06")) ||
		bytes.HasPrefix(start, []byte{0x1f, 0x8b}) || len(start) >= tarMagic+5 && string(start[tarMagic:tarMagic+5]) == "ustar"
}
