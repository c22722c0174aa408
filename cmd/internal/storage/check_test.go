package storage

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/config"
)

func open(t *testing.T) blob.Store {
	t.Helper()
	return openIn(t, config.Default().Store, t.TempDir())
}

func openIn(t *testing.T, c config.Store, local string) blob.Store {
	t.Helper()
	s, closeStore, err := Open(t.Context(), c, local)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeStore(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestAGoodStorePassesAndIsLeftEmpty(t *testing.T) {
	s := open(t)
	steps := Check(t.Context(), s, "one")
	if len(steps) != 7 {
		t.Errorf("%d steps", len(steps))
	}
	for _, step := range steps {
		if step.Err != nil {
			t.Errorf("%s: %v", step.Name, step.Err)
		}
	}
	for o := range s.List(t.Context(), "") {
		t.Errorf("left behind: %s", o.Key)
	}
}

// careless is a store that passes over conditions.
type careless struct{ blob.Store }

func (c careless) Put(ctx context.Context, key string, body io.Reader, _ blob.PutOptions) (blob.Object, error) {
	return c.Store.Put(ctx, key, body, blob.PutOptions{})
}

func TestAStoreWithoutConditionalWritesIsFoundOut(t *testing.T) {
	s := open(t)
	steps := Check(t.Context(), careless{s}, "one")
	bad := steps[1]
	if bad.Err == nil || !strings.Contains(bad.Err.Error(), "If-None-Match") {
		t.Errorf("got %+v", steps)
	}
	for o := range s.List(t.Context(), "") {
		t.Errorf("left behind: %s", o.Key)
	}
}

func TestAFolderOfItsOwn(t *testing.T) {
	c := config.Default().Store
	c.Dir.Path = filepath.Join(t.TempDir(), "elsewhere")
	s := openIn(t, c, filepath.Join(t.TempDir(), "unused"))
	if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := dir.Open(c.Dir.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Head(t.Context(), "a"); err != nil {
		t.Errorf("the folder does not have it: %v", err)
	}
}

func TestBucketSettingsReachTheClient(t *testing.T) {
	c := config.Default().Store.S3
	c.Bucket, c.Prefix, c.AccessKeyID, c.SecretAccessKey, c.SSE = "b", "p", "id", config.NewSecret("hush"), "AES256"
	o, err := Options(c)
	if err != nil || o.Bucket != "b" || o.Prefix != "p" || o.AccessKey != "id" || o.SecretKey != "hush" || o.ServerSideEncryption != "AES256" || o.Checksums != "auto" {
		t.Errorf("got %+v, %v", o, err)
	}
	c.CAFile = filepath.Join(t.TempDir(), "none.pem")
	if _, err := Options(c); err == nil || !strings.Contains(err.Error(), "ca_file") {
		t.Errorf("a missing certificate file: %v", err)
	}
}
