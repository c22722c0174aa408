package s3

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Bucket is what the server tells of a bucket. A text is "unknown" when the credentials may not ask
// for it, or the server does not know the question: neither is needed to work.
type Bucket struct {
	// Versioning: "on", "suspended", "off" or "unknown".
	Versioning string
	// Encryption is the bucket's own default: "AES256", "aws:kms", "none" or "unknown".
	Encryption string
	// Uploads: "removed after 7 days" when a rule of the bucket removes what unfinished uploads
	// leave, "kept for ever", or "unknown".
	Uploads string
	// Ahead is the server's clock less that of this machine, to about a second; ClockKnown tells
	// whether the server said its time.
	Ahead      time.Duration
	ClockKnown bool
}

// Check asks for the bucket, so that a wrong name, region or key is found before there is work to
// lose.
func (s *Store) Check(ctx context.Context) error {
	_, err := s.checkBucket(ctx)
	return err
}

func (s *Store) checkBucket(ctx context.Context) (*s3.HeadBucketOutput, error) {
	out, err := s.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.o.Bucket})
	return out, s.failure(ctx, "check bucket of", "", err)
}

// Describe checks the bucket and asks how it is set up.
func (s *Store) Describe(ctx context.Context) (Bucket, error) {
	head, err := s.checkBucket(ctx)
	if err != nil {
		return Bucket{}, err
	}
	b := Bucket{Versioning: s.versioning(ctx), Encryption: s.encryption(ctx), Uploads: s.leftUploads(ctx)}
	b.Ahead, b.ClockKnown = awsmiddleware.GetAttemptSkew(head.ResultMetadata)
	return b, ctx.Err()
}

const unknown = "unknown"

func (s *Store) versioning(ctx context.Context) string {
	out, err := s.client.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &s.o.Bucket})
	switch {
	case err != nil:
		return unknown
	case out.Status == types.BucketVersioningStatusEnabled:
		return "on"
	case out.Status == types.BucketVersioningStatusSuspended:
		return "suspended"
	}
	return "off"
}

func (s *Store) encryption(ctx context.Context) string {
	out, err := s.client.GetBucketEncryption(ctx, &s3.GetBucketEncryptionInput{Bucket: &s.o.Bucket})
	if code(err) == "ServerSideEncryptionConfigurationNotFoundError" {
		return "none"
	}
	if err != nil || out.ServerSideEncryptionConfiguration == nil {
		return unknown
	}
	for _, r := range out.ServerSideEncryptionConfiguration.Rules {
		if d := r.ApplyServerSideEncryptionByDefault; d != nil {
			return string(d.SSEAlgorithm)
		}
	}
	return "none"
}

// leftUploads looks for a rule that holds for everything this store writes.
func (s *Store) leftUploads(ctx context.Context) string {
	out, err := s.client.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: &s.o.Bucket})
	if code(err) == "NoSuchLifecycleConfiguration" {
		return keptForEver
	}
	if err != nil {
		return unknown
	}
	for _, r := range out.Rules {
		if r.Status != types.ExpirationStatusEnabled || r.AbortIncompleteMultipartUpload == nil || !s.covers(r) {
			continue
		}
		return fmt.Sprintf("removed after %d days", aws.ToInt32(r.AbortIncompleteMultipartUpload.DaysAfterInitiation))
	}
	return keptForEver
}

const keptForEver = "kept for ever"

// covers: the rule is for the whole bucket, or for a folder that the store lies in.
func (s *Store) covers(r types.LifecycleRule) bool {
	prefix := aws.ToString(r.Prefix) //nolint:staticcheck // rules of an older form still have it
	if f := r.Filter; f != nil {
		if f.Tag != nil || f.And != nil || f.ObjectSizeGreaterThan != nil || f.ObjectSizeLessThan != nil {
			return false
		}
		prefix = aws.ToString(f.Prefix)
	}
	return strings.HasPrefix(s.prefix, prefix)
}

// CheckMarks writes an object under key and looks whether the server gives its metadata back, by
// which a write whose answer was lost is recognized.
func (s *Store) CheckMarks(ctx context.Context, key string) error {
	w := write{s: s, key: key, nonce: s.o.Nonce()}
	if _, err := w.single(ctx, []byte("mark")); err != nil {
		return s.wrap(ctx, "put", key, err)
	}
	_, nonce, err := s.head(ctx, key)
	if err != nil {
		return s.wrap(ctx, "head", key, err)
	}
	if nonce != w.nonce {
		return s.failure(ctx, "head", key, errNoMarks)
	}
	return nil
}

var errNoMarks = errors.New("the server does not give back the metadata (x-amz-meta-pamline-write) that an object was written with")
