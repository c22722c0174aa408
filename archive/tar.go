package archive

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const tarBlock = 512

// isTar tells a tar by its first header: the checksum over it must be right, whatever the dialect.
func isTar(head []byte) bool {
	if len(head) < tarBlock || head[0] == 0 {
		return false
	}
	field := strings.Trim(string(head[148:156]), " \x00")
	want, err := strconv.ParseInt(field, 8, 64)
	if err != nil {
		return false
	}
	sum := int64(0)
	for i, c := range head[:tarBlock] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum += int64(c)
	}
	return sum == want
}

// tar indexes an uncompressed tar: members are read where they lie.
func (b *builder) tar(src Source, at place) error {
	in := io.NewSectionReader(src, 0, src.Size())
	tr := tar.NewReader(in)
	return b.eachTar(tr, at, src.Size(), nil, func(h *tar.Header) (Source, bool, error) {
		// The reader stands exactly where the member's data starts.
		start, err := in.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, false, fmt.Errorf("read %q: %w", at.label, err)
		}
		there := max(min(h.Size, src.Size()-start), 0)
		return io.NewSectionReader(src, start, there), there < h.Size, nil
	})
}

// spoolTar writes the members of a compressed tar to one scratch file as they come: it has no
// directory to seek by.
func (b *builder) spoolTar(in *sourceReader, r io.Reader, compressed int64, at place) error {
	f, err := b.sh.scratch.create()
	if err != nil {
		return err
	}
	counted := &ratioReader{r: r, compressed: compressed, limits: b.sh.limits, at: at}
	tr := tar.NewReader(counted)
	return b.eachTar(tr, at, compressed, in, func(h *tar.Header) (Source, bool, error) {
		start := f.size
		if h.Size > b.sh.limits.MaxMemberSize {
			return nil, false, nil // it is passed over; its size alone refuses it
		}
		n, err := io.Copy(f, &contextReader{b.ctx, tr})
		switch {
		case errors.Is(err, errScratchFull):
			return nil, false, &Error{Code: CodeTooLarge, Archive: at.label, Reason: fmt.Sprintf("it takes more than %d bytes of scratch space", b.sh.limits.MaxScratch), Hint: hintLimit}
		case err != nil && (in.err != nil || !isDataError(err)):
			return nil, false, err
		}
		return f.section(start, n), err != nil, nil
	})
}

// eachTar adds the members of a tar. locate gives the content of the current one and whether it is
// cut; nil content is that of a member which its size refuses. in is the compressed source, if any.
func (b *builder) eachTar(tr *tar.Reader, at place, compressed int64, in *sourceReader, locate func(*tar.Header) (Source, bool, error)) error {
	found := 0
	for {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			why, err := tarError(at, in, err)
			if err != nil || found == 0 {
				return errors.Join(err, orNil(why))
			}
			if b.a.Truncated == nil {
				b.a.Truncated = why
			}
			return nil
		}
		found++
		if h.Typeflag == tar.TypeDir {
			b.leaveOut("directory")
			continue
		}
		e := &entry{at: at, name: h.Name, size: h.Size, compressed: compressed}
		switch {
		case isSparse(h):
			e.err = e.fail(CodeUnsupported, "it is a sparse file, which is not read", hintRepack)
		case h.Typeflag != tar.TypeReg:
			b.leaveOut("link")
			continue
		}
		var content Source
		if e.err == nil {
			if content, e.cut, err = locate(h); err != nil {
				return err
			}
		}
		e.body = func(context.Context) (io.ReadCloser, error) { return sectionOf(content), nil }
		if content != nil && !e.cut {
			e.direct = func(context.Context) (Source, error) { return content, nil }
		}
		if err := b.add(e); err != nil {
			return err
		}
	}
	if found == 0 {
		return &Error{Code: CodeEmpty, Archive: at.label, Reason: "the tar has no files in it", Hint: "download the export again"}
	}
	return nil
}

// tarError tells damage, which is described, from a failing source.
func tarError(at place, in *sourceReader, err error) (*Error, error) {
	var typed *Error
	switch {
	case in != nil && in.err != nil:
		return nil, fmt.Errorf("read %q: %w", at.label, in.err)
	case errors.As(err, &typed):
		return nil, typed
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Code: CodeTruncated, Archive: at.label, Reason: "the tar ends inside a member", Hint: hintDownload}, nil
	case errors.Is(err, tar.ErrHeader), isDataError(err):
		return &Error{Code: CodeCorrupt, Archive: at.label, Reason: "the tar is damaged; what comes after cannot be read", Hint: hintDownload}, nil
	}
	return nil, fmt.Errorf("read %q: %w", at.label, err)
}

func orNil(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}

func isSparse(h *tar.Header) bool {
	if h.Typeflag == tar.TypeGNUSparse {
		return true
	}
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// ratioReader ends a stream that grows out of proportion, wherever in the tar its bytes go.
type ratioReader struct {
	r          io.Reader
	n          int64
	compressed int64
	limits     Limits
	at         place
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n += int64(n)
	if r.n > RatioFloor && r.n/max(r.compressed, 1) >= r.limits.MaxRatio {
		return n, &Error{Code: CodeRatio, Archive: r.at.label, Offset: r.n, Reason: fmt.Sprintf("it grows to more than %d times its size", r.limits.MaxRatio), Hint: hintLimit}
	}
	if r.n > r.limits.MaxTotal {
		return n, &Error{Code: CodeTooLarge, Archive: r.at.label, Offset: r.n, Reason: fmt.Sprintf("it holds more than %d bytes", r.limits.MaxTotal), Hint: hintLimit}
	}
	return n, err
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
