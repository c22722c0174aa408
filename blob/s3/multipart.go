package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	tmtypes "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob"
)

// abortTimeout bounds the clean-up of a failed upload, which runs when the caller's context may
// have ended.
const abortTimeout = 30 * time.Second

// multipart sends a long body in parts.
func (w *write) multipart(ctx context.Context, r io.Reader) (blob.Object, error) {
	c := &completer{Client: w.s.client, w: w}
	manager := transfermanager.New(c, func(o *transfermanager.Options) {
		o.PartSizeBytes = w.s.o.PartSize
		o.MultipartUploadThreshold = w.s.o.PartSize
		o.Concurrency = w.s.o.Concurrency
		o.MaxUploadParts = maxParts
		o.FailTimeout = abortTimeout
		// The uploader does not take it from the client.
		o.RequestChecksumCalculation = w.s.o.requestChecksums()
	})
	in := &transfermanager.UploadObjectInput{
		Bucket:               &w.s.o.Bucket,
		Key:                  w.s.name(w.key),
		Body:                 r,
		Metadata:             map[string]string{nonceKey: w.nonce},
		ServerSideEncryption: tmtypes.ServerSideEncryption(w.s.o.ServerSideEncryption),
	}
	in.IfNoneMatch, in.IfMatch = w.conditions()
	if w.s.o.KMSKeyID != "" {
		in.SSEKMSKeyID = &w.s.o.KMSKeyID
	}
	out, err := manager.UploadObject(ctx, in)
	if c.err != nil {
		err = c.err
	}
	if err != nil {
		return blob.Object{}, err
	}
	return blob.Object{Key: w.key, Size: aws.ToInt64(out.ContentLength), ETag: c.etag}, nil
}

// completer is the client of one upload. It takes the last request out of the uploader's hands,
// which would send a conditional one again after a lost response, and writes to the standard log
// what it also returns.
type completer struct {
	*s3.Client
	w    *write
	etag string
	err  error
}

// CompleteMultipartUpload tells the uploader of success always; c.err holds the truth.
func (c *completer) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput,
	opts ...func(*s3.Options)) (*s3.CompleteMultipartUploadOutput, error) {
	obj, err := c.w.settle(ctx, func() (blob.Object, error) {
		out, err := c.Client.CompleteMultipartUpload(ctx, in, append(opts, c.w.retries)...)
		if err != nil {
			return blob.Object{}, err
		}
		return blob.Object{ETag: quoted(out.ETag)}, nil
	})
	c.err = err
	if c.err != nil && code(c.err) == "NoSuchUpload" {
		// An earlier try completed the upload.
		obj, c.err = c.w.recognize(ctx, c.err)
	}
	c.etag = obj.ETag
	if c.err != nil {
		c.err = errors.Join(c.err, c.abort(ctx, in))
	}
	return &s3.CompleteMultipartUploadOutput{ETag: &c.etag}, nil
}

// abort frees the parts on the server. The upload's id is in the error when it cannot.
func (c *completer) abort(ctx context.Context, in *s3.CompleteMultipartUploadInput) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	_, err := c.Client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{
		Bucket: in.Bucket, Key: in.Key, UploadId: in.UploadId,
	})
	if err == nil || code(err) == "NoSuchUpload" {
		return nil
	}
	return fmt.Errorf("abort upload %s, whose parts stay on the server: %w", aws.ToString(in.UploadId), err)
}
