package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

// spooled is a file of an archive, read once: its name in the bundle is known only at its end.
type spooled struct {
	ref, mime string
	size      int64
	head      []byte   // the whole of a small file
	file      *os.File // the whole of a larger one, at its start; nil for a small one
}

func (s *spooled) Close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// spoolAsset reads a member: a small one into memory, else into a scratch file. It reads at most
// one byte more than limit: a larger size means that there was more.
func spoolAsset(ctx context.Context, m archive.Member, limit int64, scratch string) (s *spooled, err error) {
	r, err := m.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := r.Close(); err == nil && closing != nil {
			err = errors.Join(closing, s.Close())
		}
	}()
	most := io.LimitReader(r, limit+1)
	want := int64(SmallAsset)
	if m.Size >= 0 {
		want = min(want, m.Size)
	}
	head := make([]byte, 0, want+1)
	for len(head) <= SmallAsset {
		if len(head) == cap(head) {
			head = append(head, 0)[:len(head)]
		}
		n, err := most.Read(head[len(head):min(cap(head), SmallAsset+1)])
		head = head[:len(head)+n]
		if errors.Is(err, io.EOF) {
			sum := sha256.Sum256(head)
			return nameAsset(&spooled{head: head, size: int64(len(head))}, sum[:], head), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return spoolLarge(head, most, scratch)
}

// spoolLarge goes on behind the head of a file that is not small.
func spoolLarge(head []byte, rest io.Reader, scratch string) (*spooled, error) {
	f, err := os.CreateTemp(scratch, "asset-*")
	if err != nil {
		return nil, fmt.Errorf("spool asset: %w", err)
	}
	s := &spooled{file: f}
	h := sha256.New()
	w := io.MultiWriter(h, f)
	if _, err = w.Write(head); err == nil {
		s.size, err = io.Copy(w, rest)
		s.size += int64(len(head))
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("spool asset: %w", err), s.Close())
	}
	return nameAsset(s, h.Sum(nil), head), nil
}

func nameAsset(s *spooled, sum, head []byte) *spooled {
	mime, ext := importer.SniffType(head)
	s.mime, s.ref = mime, importer.AssetRef(hex.EncodeToString(sum), ext)
	return s
}
