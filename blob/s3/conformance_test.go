package s3_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
)

// options reach the bucket of a test server.
func options(cfg gateway.Config) s3.Options {
	return s3.Options{
		Bucket: cfg.Bucket, Endpoint: cfg.Endpoint, Region: cfg.Region, PathStyle: true,
		AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey,
	}
}

func open(t testing.TB, o s3.Options) *s3.Store {
	t.Helper()
	s, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStoreKeepsTheContract(t *testing.T) {
	cfg := gateway.Start(t)
	var n atomic.Int64
	blobtest.Run(t, func(t *testing.T) blob.Store {
		o := options(cfg)
		o.PartSize = 5 << 20
		o.Prefix = fmt.Sprintf("view %d/of+it", n.Add(1))
		return open(t, o)
	})
}
