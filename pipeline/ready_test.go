package pipeline

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/pamline/pamline/blob"
)

// bucketless answers as S3 does for a bucket that is not there: a question about metadata has no body that says so.
type bucketless struct{ blob.Store }

var errNoBucket = errors.New("NoSuchBucket")

func (bucketless) Head(context.Context, string) (blob.Object, error) {
	return blob.Object{}, blob.ErrNotExist
}

func (bucketless) Get(context.Context, string, blob.Range) (io.ReadCloser, blob.Object, error) {
	return nil, blob.Object{}, errNoBucket
}

func TestAStoreWhoseBucketIsNotThereIsNotReady(t *testing.T) {
	if err := storeAnswers(t.Context(), bucketless{}); !errors.Is(err, errNoBucket) {
		t.Errorf("without a bucket: %v", err)
	}
	if err := storeAnswers(t.Context(), testDeps(t).Store); err != nil {
		t.Errorf("an empty store: %v", err)
	}
}
