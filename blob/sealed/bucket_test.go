package sealed_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
)

// openBucket opens a part of the bucket of a test server.
func openBucket(t testing.TB, cfg gateway.Config, prefix string) *s3.Store {
	t.Helper()
	s, err := s3.Open(t.Context(), s3.Options{
		Bucket: cfg.Bucket, Endpoint: cfg.Endpoint, Region: cfg.Region, PathStyle: true,
		AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey, Prefix: prefix, PartSize: 5 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStoreOverABucketKeepsTheContract(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: over a folder it runs the same code, and the bucket has tests of its own")
	}
	cfg := gateway.Start(t)
	var n atomic.Int64
	blobtest.Run(t, func(t *testing.T) blob.Store {
		return seal(t, openBucket(t, cfg, fmt.Sprintf("part %d", n.Add(1))), newMaster(t))
	})
}
