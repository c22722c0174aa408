package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// openDrop opens the parts of a drop where they lie in storage.
func openDrop(ctx context.Context, d Options, rec state.DropRecord) (a *archive.Archive, fault *firstFault, closeAll func() error, err error) {
	o := &dropParts{store: d.Store, fault: new(firstFault)}
	var parts []archive.Part
	for _, p := range rec.Parts {
		part := archive.Part{Name: p.Name}
		if p.Files != nil {
			part.Files = o.files(p.Files)
		} else if part.Source, err = o.source(ctx, p.Key, p.ETag); err != nil {
			return nil, nil, nil, errors.Join(fmt.Errorf("open part of drop %s: %w", rec.Drop, err), o.Close())
		}
		parts = append(parts, part)
	}
	a, err = archive.Open(ctx, parts, d.Limits.Archive, d.Scratch)
	if err != nil {
		if first := o.fault.get(); first != nil {
			err = first // it may have been taken for the archive's own
		}
		return nil, nil, nil, errors.Join(contentFault(err), o.Close())
	}
	return a, o.fault, func() error { return errors.Join(a.Close(), o.Close()) }, nil
}

// verifyParts verifies the copies of a drop by their digests. Parts that lie where a person put
// them are pinned by their ETags.
func verifyParts(ctx context.Context, s blob.Store, rec state.DropRecord) error {
	for _, p := range rec.Parts {
		if p.Files != nil || p.ETag != "" {
			continue
		}
		v, err := objects.OpenVerified(ctx, s, p.Key, p.SHA256)
		if err != nil {
			return fmt.Errorf("open part of drop %s: %w", rec.Drop, movedFrom("", err))
		}
		if err := errors.Join(v.Finish(nil), v.Close()); err != nil {
			return fmt.Errorf("open part of drop %s: %w", rec.Drop, err)
		}
	}
	return nil
}

// dropParts are the open objects of a drop.
type dropParts struct {
	store blob.Store
	fault *firstFault

	mu   sync.Mutex
	open []io.Closer
}

// source opens an object for reading at any place. etag pins what was taken in; "" is a copy of our
// own.
func (o *dropParts) source(ctx context.Context, key, etag string) (archive.Source, error) {
	pinned := key
	if etag == "" {
		pinned = ""
	}
	r, err := blob.NewReaderAt(ctx, o.store, key)
	if err == nil && etag != "" && r.Object().ETag != etag {
		err = errors.Join(blob.ErrChanged, r.Close())
	}
	if err != nil {
		return nil, movedFrom(pinned, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = append(o.open, r)
	return watched{r, o.fault, pinned}, nil
}

// files are opened when they are read: there may be thousands.
func (o *dropParts) files(list []state.DropFile) []archive.File {
	out := make([]archive.File, 0, len(list))
	for _, f := range list {
		out = append(out, archive.File{
			Name: f.Name, Size: f.Size,
			Open: func(ctx context.Context) (io.ReadCloser, error) {
				body, err := openPinned(ctx, o.store, f.Key, f.ETag)
				if err != nil {
					o.fault.keep(err)
					return nil, err
				}
				return watchedBody{body, o.fault, f.Key}, nil
			},
			Source: func(ctx context.Context) (archive.Source, error) {
				src, err := o.source(ctx, f.Key, f.ETag)
				if err != nil {
					o.fault.keep(err)
				}
				return src, err
			},
		})
	}
	return out
}

func (o *dropParts) Close() (err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.open {
		err = errors.Join(err, c.Close())
	}
	o.open = nil
	return err
}

// openPinned reads an object that still is the one that was taken in.
func openPinned(ctx context.Context, s blob.Store, key, etag string) (io.ReadCloser, error) {
	body, obj, err := s.Get(ctx, key, blob.Range{})
	if err == nil && obj.ETag != etag {
		err = errors.Join(blob.ErrChanged, body.Close())
	}
	if err != nil {
		return nil, state.Moved(key, err)
	}
	return body, nil
}

// watchedBody is to a stream what watched is to a source.
type watchedBody struct {
	io.ReadCloser
	first  *firstFault
	pinned string
}

func (w watchedBody) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = movedFrom(w.pinned, err)
		w.first.keep(err)
	}
	return n, err
}

// UnpackedBytes is what the members of an archive declare together, which none of them may exceed.
// One that declares nothing counts as much.
func UnpackedBytes(a *archive.Archive) (n int64) {
	for _, m := range a.Members {
		if m.Size < 0 {
			return math.MaxInt64
		}
		n += m.Size
	}
	return n
}

// MovingPause is how long what changes while it is read is left alone.
const MovingPause = 2 * time.Second
