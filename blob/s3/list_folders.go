package s3

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/pamline/pamline/blob"
)

// ListFolders asks the server for the common prefixes up to the next slash: a thousand folders with
// each request, however many objects are in them.
func (s *Store) ListFolders(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := blob.ValidPrefix(prefix); err != nil {
			yield("", fmt.Errorf("list folders: %w", err))
			return
		}
		pages := s3.NewListObjectsV2Paginator(s.client,
			&s3.ListObjectsV2Input{Bucket: &s.o.Bucket, Prefix: s.name(prefix), Delimiter: aws.String("/"), EncodingType: types.EncodingTypeUrl},
			func(p *s3.ListObjectsV2PaginatorOptions) { p.Limit = s.o.PageSize })
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield("", s.wrap(ctx, "list", prefix, err))
				return
			}
			for _, c := range page.CommonPrefixes {
				folder := strings.TrimPrefix(listed(page, aws.ToString(c.Prefix)), s.prefix)
				if !strings.HasPrefix(folder, prefix) || blob.ValidPrefix(folder) != nil {
					continue // others may have put anything there
				}
				if !yield(strings.TrimSuffix(folder[len(prefix):], "/"), nil) {
					return
				}
			}
		}
	}
}
