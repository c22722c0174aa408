package s3

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/pamline/pamline/blob"
)

// List walks the keys under a prefix page by page. Names in the bucket that are no valid keys, such
// as the "folders" that consoles make, are passed over.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		for obj, err := range s.ListAll(ctx, prefix) {
			if err == nil && blob.ValidKey(obj.Key) != nil {
				continue
			}
			if !yield(obj, err) {
				return
			}
		}
	}
}

// ListAll walks all names under a prefix page by page, whoever put them there.
func (s *Store) ListAll(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		if err := blob.ValidPrefix(prefix); err != nil {
			yield(blob.Object{}, fmt.Errorf("list objects: %w", err))
			return
		}
		last := ""
		// Names may hold characters that XML cannot carry; one of them, sent as it is, would make a
		// whole page unreadable.
		pages := s3.NewListObjectsV2Paginator(s.client,
			&s3.ListObjectsV2Input{Bucket: &s.o.Bucket, Prefix: s.name(prefix), EncodingType: types.EncodingTypeUrl},
			func(p *s3.ListObjectsV2PaginatorOptions) { p.Limit = s.o.PageSize })
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(blob.Object{}, s.wrap(ctx, "list", prefix, err))
				return
			}
			for _, o := range page.Contents {
				key := strings.TrimPrefix(listed(page, aws.ToString(o.Key)), s.prefix)
				if key <= last {
					yield(blob.Object{}, &blob.Error{Op: "list", Key: prefix, Err: fmt.Errorf("%q comes after %q", key, last),
						Hint: "the server does not list in byte order; directory buckets do not, use a general purpose one"})
					return
				}
				last = key
				if !yield(blob.Object{Key: key, Size: aws.ToInt64(o.Size), ETag: quoted(o.ETag),
					ModTime: aws.ToTime(o.LastModified).UTC()}, nil) {
					return
				}
			}
		}
	}
}

// listed is a name as the page means it: a server that does not know the encoding says so by not
// naming it.
func listed(page *s3.ListObjectsV2Output, name string) string {
	if page.EncodingType != types.EncodingTypeUrl {
		return name
	}
	plain, err := url.QueryUnescape(name)
	if err != nil {
		return name // it was not encoded after all
	}
	return plain
}

// metadata is what the uploader said, without our own mark.
func metadata(all map[string]string) map[string]string {
	var out map[string]string
	for name, value := range all {
		if name = strings.ToLower(name); name == nonceKey {
			continue
		}
		if out == nil {
			out = make(map[string]string, len(all))
		}
		out[name] = value
	}
	return out
}
