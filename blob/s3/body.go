package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob"
)

// body reads the bytes [pos, end) of an object and opens it again where a connection broke.
type body struct {
	ctx      context.Context
	s        *Store
	key      string
	etag     string
	pos, end int64
	rc       io.ReadCloser // nil between two connections
	failed   int           // since the last byte that came
	checked  bool          // the SDK has had the chance to report a wrong checksum
	err      error         // final
}

func (s *Store) get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	in := &s3.GetObjectInput{Bucket: &s.o.Bucket, Key: s.name(key)}
	if r != (blob.Range{}) {
		in.Range = aws.String(rangeHeader(r))
	}
	out, err := s.client.GetObject(ctx, in)
	if status(err) == http.StatusRequestedRangeNotSatisfiable {
		// The range begins at or past the end.
		obj, _, err := s.head(ctx, key)
		return io.NopCloser(bytes.NewReader(nil)), obj, err
	}
	if err != nil {
		return nil, blob.Object{}, err
	}
	size := aws.ToInt64(out.ContentLength)
	if in.Range != nil {
		if size, err = totalSize(aws.ToString(out.ContentRange)); err != nil {
			return nil, blob.Object{}, fmt.Errorf("read the answer to a range: %w", closeAfter(err, out.Body))
		}
	}
	obj := blob.Object{Key: key, Size: size, ETag: quoted(out.ETag), ModTime: aws.ToTime(out.LastModified).UTC(), Metadata: metadata(out.Metadata)}
	from, to := r.Span(size)
	return &body{ctx: ctx, s: s, key: key, etag: obj.ETag, pos: from, end: to, rc: out.Body}, obj, nil
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // the end of a reader is io.EOF itself; an error that wraps it is a failure
		err = b.s.wrap(b.ctx, "get", b.key, err)
	}
	b.err = err
	return n, err
}

func (b *body) read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for b.pos < b.end {
		if b.rc == nil {
			if err := b.reopen(); err != nil {
				return 0, err
			}
		}
		n, err := b.rc.Read(p[:min(int64(len(p)), b.end-b.pos)])
		b.pos += int64(n)
		if n > 0 {
			b.failed = 0
			return n, nil // the error, if there was one, comes again
		}
		if err == nil {
			continue
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		// Whatever broke a body, a new connection may bring the rest.
		if err := b.pause(err, true); err != nil {
			return 0, err
		}
	}
	return 0, b.finish()
}

// reopen asks for the rest of the same object.
func (b *body) reopen() error {
	for {
		out, err := b.s.client.GetObject(b.ctx, &s3.GetObjectInput{
			Bucket: &b.s.o.Bucket, Key: b.s.name(b.key), IfMatch: &b.etag,
			Range: aws.String(rangeHeader(blob.Range{Offset: b.pos, Length: b.end - b.pos})),
		}, withoutRetries)
		switch status(err) {
		case http.StatusPreconditionFailed, http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable:
			return fmt.Errorf("%w, at byte %d", blob.ErrChanged, b.pos)
		}
		if err == nil {
			if quoted(out.ETag) != b.etag {
				return closeAfter(fmt.Errorf("%w, at byte %d", blob.ErrChanged, b.pos), out.Body)
			}
			if !strings.HasPrefix(aws.ToString(out.ContentRange), fmt.Sprintf("bytes %d-", b.pos)) {
				return closeAfter(fmt.Errorf("server answered with the range %q for byte %d", aws.ToString(out.ContentRange),
					b.pos), out.Body)
			}
			b.rc, b.checked = out.Body, true // a part cannot be checked
			return nil
		}
		if err := b.pause(err, transient(err)); err != nil {
			return err
		}
	}
}

// pause counts a failure and waits, or gives the failure back when it is final.
func (b *body) pause(cause error, again bool) error {
	if b.rc != nil {
		_ = b.rc.Close() // it is broken already
		b.rc = nil
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.failed++; b.failed >= b.s.o.Backoff.Tries() || !again {
		return fmt.Errorf("read at byte %d, after %d failures in a row: %w", b.pos, b.failed, cause)
	}
	return b.s.o.Backoff.Wait(b.ctx, b.failed)
}

// finish lets the SDK compare the checksum of a body that came in one piece; it does so at the end
// of the stream, one read past the last byte.
func (b *body) finish() error {
	if b.rc != nil && !b.checked {
		b.checked = true
		var one [1]byte
		if _, err := b.rc.Read(one[:]); err != nil && err != io.EOF {
			return fmt.Errorf("check the end of the body: %w", err)
		}
	}
	return io.EOF
}

func (b *body) Close() error {
	if b.rc == nil {
		return nil
	}
	err := b.rc.Close()
	b.rc = nil
	if b.pos < b.end {
		return nil // an abandoned connection may complain; nobody wants the rest
	}
	return b.s.wrap(b.ctx, "get", b.key, err)
}

func rangeHeader(r blob.Range) string {
	if r.Length == 0 {
		return fmt.Sprintf("bytes=%d-", r.Offset)
	}
	return fmt.Sprintf("bytes=%d-%d", r.Offset, r.Offset+r.Length-1)
}

// totalSize reads the 100 of "bytes 0-9/100".
func totalSize(contentRange string) (int64, error) {
	_, total, ok := strings.Cut(contentRange, "/")
	n, err := strconv.ParseInt(total, 10, 64)
	if !ok || err != nil || n < 0 {
		return 0, fmt.Errorf("server gave the content range %q", contentRange)
	}
	return n, nil
}

func closeAfter(err error, c io.Closer) error {
	_ = c.Close() // the answer is unusable anyway
	return err
}
