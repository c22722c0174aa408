package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// gzip opens a tar.gz by spooling it, or a single compressed file as its one member.
func (b *builder) gzip(src Source, at place) (kind string, err error) {
	in := &sourceReader{r: io.NewSectionReader(src, 0, src.Size())}
	z, err := gzip.NewReader(bufio.NewReaderSize(in, inflateBuffer))
	if err != nil {
		return "", b.gzipError(at, in, 0, err)
	}
	head := make([]byte, tarBlock)
	n, err := io.ReadFull(z, head)
	if err != nil && in.err != nil {
		return "", b.gzipError(at, in, int64(n), err)
	}
	if isTar(head[:n]) {
		return "tar.gz", b.spoolTar(in, io.MultiReader(bytes.NewReader(head[:n]), z), src.Size(), at)
	}
	name := z.Name
	if base := baseLabel(name); name == "" || base != name {
		name = strings.TrimSuffix(at.label, path.Ext(at.label))
		if !strings.EqualFold(path.Ext(at.label), ".gz") || name == "" {
			name = at.label
		}
	}
	return "gz", b.add(&entry{
		at: at, name: name, size: -1, compressed: src.Size(),
		body: func(context.Context) (io.ReadCloser, error) {
			z, err := gzip.NewReader(bufio.NewReaderSize(io.NewSectionReader(src, 0, src.Size()), inflateBuffer))
			if err != nil {
				return nil, fmt.Errorf("read gzip header of %q: %w", at.label, err)
			}
			return z, nil
		},
	})
}

// sourceReader remembers that its source, not the data in it, was at fault.
type sourceReader struct {
	r   io.Reader
	err error
}

func (s *sourceReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// gzipError says what a failed decompression means.
func (b *builder) gzipError(at place, in *sourceReader, offset int64, err error) error {
	if in.err != nil {
		return fmt.Errorf("read %q: %w", at.label, in.err)
	}
	return &Error{Code: gzipCode(err), Archive: at.label, Offset: offset, Reason: "the compressed data " + gzipReason(err), Hint: hintDownload}
}

func gzipCode(err error) Code {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return CodeTruncated
	case errors.Is(err, gzip.ErrChecksum):
		return CodeChecksum
	}
	return CodeCorrupt
}

func gzipReason(err error) string {
	switch gzipCode(err) {
	case CodeTruncated:
		return "ends too early"
	case CodeChecksum:
		return "does not match its checksum"
	}
	return "is damaged"
}

// isDataError tells errors of compressed data from those of its source.
func isDataError(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)
}
