package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob"
)

var (
	_ blob.Store     = (*Store)(nil)
	_ blob.Batcher   = (*Store)(nil)
	_ blob.Inventory = (*Store)(nil)
)

// Store is a blob.Store over a bucket. Open makes one.
type Store struct {
	client *s3.Client
	o      Options
	prefix string // with its slash, or empty
}

// Head describes an object.
func (s *Store) Head(ctx context.Context, key string) (blob.Object, error) {
	if err := s.validKey(key); err != nil {
		return blob.Object{}, fmt.Errorf("head object: %w", err)
	}
	obj, _, err := s.head(ctx, key)
	return obj, s.wrap(ctx, "head", key, err)
}

// head gives the nonce of the last write as well.
func (s *Store) head(ctx context.Context, key string) (blob.Object, string, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.o.Bucket, Key: s.name(key)})
	if err != nil {
		return blob.Object{}, "", err
	}
	return blob.Object{
		Key:     key,
		Size:    aws.ToInt64(out.ContentLength),
		ETag:    quoted(out.ETag),
		ModTime: aws.ToTime(out.LastModified).UTC(),

		Metadata: metadata(out.Metadata),
	}, out.Metadata[nonceKey], nil
}

// Delete removes an object.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.validKey(key); err != nil {
		return fmt.Errorf("delete object: %w", err)
	}
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.o.Bucket, Key: s.name(key)})
	if err = s.wrap(ctx, "delete", key, err); errors.Is(err, blob.ErrNotExist) {
		return nil // some servers say so
	}
	return err
}

// PutAbsent writes the items that are not there yet, sixteen at a time.
func (s *Store) PutAbsent(ctx context.Context, items []blob.Item) (written int, err error) {
	return blob.PutEach(ctx, s, items, parallelPuts)
}

// Get opens an object for reading; see the package comment for what happens when the connection
// breaks.
func (s *Store) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if err := errors.Join(s.validKey(key), r.Valid()); err != nil {
		return nil, blob.Object{}, fmt.Errorf("get object: %w", err)
	}
	b, obj, err := s.get(ctx, key, r)
	if err != nil {
		return nil, blob.Object{}, s.wrap(ctx, "get", key, err)
	}
	return b, obj, nil
}

// validKey leaves room for the prefix.
func (s *Store) validKey(key string) error {
	if err := blob.ValidKey(key); err != nil {
		return err
	}
	if len(s.prefix)+len(key) > blob.MaxKey {
		return fmt.Errorf("%w: %d bytes with the store's prefix, at most %d are allowed", blob.ErrKey,
			len(s.prefix)+len(key), blob.MaxKey)
	}
	return nil
}

func (s *Store) name(key string) *string { return aws.String(s.prefix + key) }

// quoted gives a tag its quotes, which some servers leave out in lists.
func quoted(tag *string) string {
	t := aws.ToString(tag)
	if t == "" || strings.HasPrefix(t, `"`) || strings.HasPrefix(t, "W/") {
		return t
	}
	return `"` + t + `"`
}
