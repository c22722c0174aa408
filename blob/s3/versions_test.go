package s3_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	aws3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest/gateway"
)

// keepVersions has a bucket keep versions, and gives a client that sees them.
func keepVersions(t *testing.T, cfg gateway.Config) *aws3.Client {
	t.Helper()
	client := aws3.New(aws3.Options{BaseEndpoint: &cfg.Endpoint, Region: cfg.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, "")})
	_, err := client.PutBucketVersioning(t.Context(), &aws3.PutBucketVersioningInput{Bucket: &cfg.Bucket,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestEarlierVersionsAreRemoved(t *testing.T) {
	cfg := gateway.Start(t, gateway.WithVersions(t.TempDir()))
	client := keepVersions(t, cfg)
	s := open(t, options(cfg))
	for _, body := range []string{"first", "second", "third"} {
		for _, key := range []string{"owners/ann/head.json", "owners/ann/gone.json", "owners/bob/head.json"} {
			if _, err := s.Put(t.Context(), key, strings.NewReader(body), blob.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Delete(t.Context(), "owners/ann/gone.json"); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckVersions(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.RemoveVersions(t.Context(), "owners/ann/"); n != 6 || err != nil {
		t.Errorf("%d versions and marks were removed, not 6: %v", n, err)
	}
	page, err := client.ListObjectVersions(t.Context(), &aws3.ListObjectVersionsInput{Bucket: &cfg.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]int{}
	for _, v := range page.Versions {
		left[aws.ToString(v.Key)]++
	}
	if left["owners/ann/head.json"] != 1 || left["owners/ann/gone.json"] != 0 || left["owners/bob/head.json"] != 3 || len(page.DeleteMarkers) != 0 {
		t.Errorf("what is left: %v and %d marks", left, len(page.DeleteMarkers))
	}
	if _, err := s.Head(t.Context(), "owners/ann/gone.json"); err == nil {
		t.Error("a removed object came back")
	}
}

func TestABucketWithoutVersionsHasNoneToRemove(t *testing.T) {
	s := open(t, options(gateway.Start(t)))
	if err := s.CheckVersions(t.Context()); err != nil {
		t.Error(err)
	}
	if n, err := s.RemoveVersions(t.Context(), ""); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func TestALockedBucketIsRefusedWithAdvice(t *testing.T) {
	cfg := gateway.Start(t, gateway.WithVersions(t.TempDir()))
	client := keepVersions(t, cfg)
	cfg.Bucket = "locked"
	if _, err := client.CreateBucket(t.Context(), &aws3.CreateBucketInput{Bucket: &cfg.Bucket, ObjectLockEnabledForBucket: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	keepVersions(t, cfg)
	err := open(t, options(cfg)).CheckVersions(t.Context())
	if err == nil || !strings.Contains(err.Error(), "copy the current objects to a bucket without an object lock") {
		t.Error(err)
	}
}

func TestVersionsThatMayNotBeListedAreRefusedWithAdvice(t *testing.T) {
	f := &fakeS3{before: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		refuse(w, http.StatusForbidden, "AccessDenied")
		return true
	}}
	s, _ := serve(t, f)
	for _, err := range []error{s.CheckVersions(t.Context()), func() error { _, err := s.RemoveVersions(t.Context(), "x/"); return err }()} {
		if err == nil || !strings.Contains(err.Error(), "s3:ListBucketVersions") {
			t.Error(err)
		}
	}
}

// With versions, the gateway refuses If-None-Match for a key that was deleted. A writer must not
// take that for an object that is there: it would name an object that nobody can read.
func TestADeletedObjectThatCannotBeMadeAgainIsAnErrorWithAHint(t *testing.T) {
	cfg := gateway.Start(t, gateway.WithVersions(t.TempDir()))
	keepVersions(t, cfg)
	s := open(t, options(cfg))
	const key = "owners/ann/conversations/c.json"
	absent := blob.PutOptions{IfAbsent: true}
	first, err := s.Put(t.Context(), key, strings.NewReader("first"), absent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), key, strings.NewReader("second"), absent); !errors.Is(err, blob.ErrPrecondition) {
		t.Errorf("an object that is there: %v", err)
	}
	if _, err := s.Put(t.Context(), key, strings.NewReader("second"), blob.PutOptions{IfMatch: first.ETag}); err != nil {
		t.Errorf("a swap: %v", err)
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	_, err = s.Put(t.Context(), key, strings.NewReader("third"), absent)
	var failed *blob.Error
	if errors.Is(err, blob.ErrPrecondition) || !errors.As(err, &failed) || !strings.Contains(failed.Hint, "keeps versions") {
		t.Errorf("an object that was deleted: %v", err)
	}
}
