package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/pamline/pamline/blob"
)

// nonceKey is the metadata that marks a write (x-amz-meta-pamline-write).
const nonceKey = "pamline-write"

// Put writes an object. The ModTime of what it returns is zero: the server does not tell.
func (s *Store) Put(ctx context.Context, key string, r io.Reader, o blob.PutOptions) (blob.Object, error) {
	if err := errors.Join(s.validKey(key), o.Valid()); err != nil {
		return blob.Object{}, fmt.Errorf("put object: %w", err)
	}
	start, long, err := s.peek(blob.ContextReader(ctx, r), sizeHint(r))
	if err != nil {
		return blob.Object{}, s.wrap(ctx, "put", key, err)
	}
	w := write{s: s, key: key, o: o, nonce: s.o.Nonce()}
	var obj blob.Object
	if long {
		obj, err = w.multipart(ctx, io.MultiReader(bytes.NewReader(start), blob.ContextReader(ctx, r)))
	} else {
		obj, err = w.single(ctx, start)
	}
	return obj, s.wrap(ctx, "put", key, err)
}

// write is one Put: its condition, and the mark it can be known by.
type write struct {
	s     *Store
	key   string
	o     blob.PutOptions
	nonce string
}

func (w *write) conditional() bool { return w.o != blob.PutOptions{} }

// conditions gives If-None-Match and If-Match.
func (w *write) conditions() (ifNoneMatch, ifMatch *string) {
	if w.o.IfAbsent {
		ifNoneMatch = aws.String("*")
	}
	if w.o.IfMatch != "" {
		ifMatch = &w.o.IfMatch
	}
	return ifNoneMatch, ifMatch
}

// single sends a body that is in memory.
func (w *write) single(ctx context.Context, data []byte) (blob.Object, error) {
	in := &s3.PutObjectInput{
		Bucket:        &w.s.o.Bucket,
		Key:           w.s.name(w.key),
		ContentLength: aws.Int64(int64(len(data))),
		Metadata:      map[string]string{nonceKey: w.nonce},
	}
	in.IfNoneMatch, in.IfMatch = w.conditions()
	in.ServerSideEncryption = types.ServerSideEncryption(w.s.o.ServerSideEncryption)
	if w.s.o.KMSKeyID != "" {
		in.SSEKMSKeyId = &w.s.o.KMSKeyID
	}
	return w.settle(ctx, func() (blob.Object, error) {
		in.Body = bytes.NewReader(data)
		out, err := w.s.client.PutObject(ctx, in, w.retries)
		if err != nil {
			return blob.Object{}, err
		}
		return blob.Object{Key: w.key, Size: int64(len(data)), ETag: quoted(out.ETag)}, nil
	})
}

// retries are the SDK's own, which a conditional write must not have.
func (w *write) retries(o *s3.Options) {
	if w.conditional() {
		withoutRetries(o)
	}
}

func withoutRetries(o *s3.Options) { o.Retryer = aws.NopRetryer{} }

// peek reads a body up to the size of a part; long tells that it may go on.
func (s *Store) peek(r io.Reader, hint int64) (start []byte, long bool, err error) {
	var b bytes.Buffer
	if hint > 0 {
		b.Grow(int(min(hint, s.o.PartSize)) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r, s.o.PartSize))
	return b.Bytes(), n == s.o.PartSize, err
}

func sizeHint(r io.Reader) int64 {
	if l, ok := r.(interface{ Len() int }); ok {
		return int64(l.Len())
	}
	return 0
}
