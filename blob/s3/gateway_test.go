package s3_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
)

// lossy passes requests on to a server and loses the answers that lose picks, after the server has
// done its part.
func lossy(t *testing.T, cfg gateway.Config, lose func(*http.Request) bool) gateway.Config {
	t.Helper()
	target, err := url.Parse(cfg.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is signed
		},
		ModifyResponse: func(r *http.Response) error {
			mu.Lock()
			defer mu.Unlock()
			if lose(r.Request) {
				panic(http.ErrAbortHandler)
			}
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	cfg.Endpoint = server.URL
	return cfg
}

// small parts make long bodies of a few megabytes.
func small(cfg gateway.Config) s3.Options {
	o := options(cfg)
	o.PartSize = 5 << 20
	return o
}

func longBody(n int) io.Reader { return struct{ io.Reader }{bytes.NewReader(bytesOf(n))} }

func TestRealServer(t *testing.T) {
	cfg := gateway.Start(t)

	t.Run("a lost answer to the last request of an upload is recognized", func(t *testing.T) {
		for name, o := range map[string]blob.PutOptions{"plain": {}, "if absent": {IfAbsent: true}} {
			lost := 0
			s := open(t, small(lossy(t, cfg, func(r *http.Request) bool {
				if r.Method != http.MethodPost || !r.URL.Query().Has("uploadId") || lost > 0 {
					return false
				}
				lost++
				return true
			})))
			obj, err := s.Put(t.Context(), "long "+name, longBody(6<<20), o)
			if err != nil || lost != 1 {
				t.Fatalf("%s: %v, %d answers were lost", name, err, lost)
			}
			if head, err := s.Head(t.Context(), "long "+name); err != nil || head.ETag != obj.ETag || head.Size != 6<<20 {
				t.Errorf("%s: put says %+v, head %+v, %v", name, obj, head, err)
			}
		}
	})

	t.Run("a lost answer to a swap is recognized", func(t *testing.T) {
		lost := 0
		s := open(t, small(lossy(t, cfg, func(r *http.Request) bool {
			if r.Method != http.MethodPut || r.Header.Get("If-Match") == "" || lost > 0 {
				return false
			}
			lost++
			return true
		})))
		old, err := s.Put(t.Context(), "head", strings.NewReader("1"), blob.PutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Put(t.Context(), "head", strings.NewReader("2"), blob.PutOptions{IfMatch: old.ETag}); err != nil || lost != 1 {
			t.Errorf("%v, %d answers were lost", err, lost)
		}
	})

	t.Run("failed uploads leave no parts", func(t *testing.T) {
		s := open(t, small(cfg))
		broken := errors.New("the source broke")
		_, err := s.Put(t.Context(), "broken", io.MultiReader(longBody(11<<20), errReader{broken}), blob.PutOptions{})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if _, err := s.Put(t.Context(), "taken", longBody(6<<20), blob.PutOptions{IfAbsent: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), "taken", longBody(6<<20), blob.PutOptions{IfAbsent: true}); !errors.Is(err, blob.ErrPrecondition) {
			t.Errorf("got %v", err)
		}
		client := awss3.New(awss3.Options{
			BaseEndpoint: &cfg.Endpoint, Region: cfg.Region, UsePathStyle: true,
			Credentials: credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, ""),
		})
		left, err := client.ListMultipartUploads(t.Context(), &awss3.ListMultipartUploadsInput{Bucket: &cfg.Bucket})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range left.Uploads {
			t.Errorf("the upload of %s is left on the server", *u.Key)
		}
	})

	t.Run("checksums are accepted where they are sent", func(t *testing.T) {
		o := small(cfg)
		o.Checksums = s3.ChecksumsWhenSupported
		s := open(t, o)
		for key, n := range map[string]int{"small": 1000, "long": 6 << 20} {
			if _, err := s.Put(t.Context(), "checked/"+key, longBody(n), blob.PutOptions{IfAbsent: true}); err != nil {
				t.Fatal(err)
			}
			if got, err := readAll(t, s, "checked/"+key, blob.Range{}); err != nil || !bytes.Equal(got, bytesOf(n)) {
				t.Errorf("%s: %d bytes, %v", key, len(got), err)
			}
		}
	})

	t.Run("a damaged object is found out by its checksum", func(t *testing.T) {
		o := small(cfg)
		o.Checksums = s3.ChecksumsWhenSupported
		s := open(t, o)
		if _, err := s.Put(t.Context(), "rotten", strings.NewReader("sound"), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(cfg.Folder, cfg.Bucket, "rotten"), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("spoil"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(t, s, "rotten", blob.Range{}); err == nil || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("read %q, %v", got, err)
		}
	})

	t.Run("the bucket is checked", func(t *testing.T) {
		if err := open(t, options(cfg)).Check(t.Context()); err != nil {
			t.Error(err)
		}
		wrong := options(cfg)
		wrong.Bucket = "no-such-bucket"
		if err := open(t, wrong).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "bucket") {
			t.Errorf("a missing bucket: %v", err)
		}
		wrong = options(cfg)
		wrong.SecretKey = "wrong-one"
		err := open(t, wrong).Check(t.Context())
		if err == nil || strings.Contains(err.Error(), "wrong-one") {
			t.Errorf("a wrong key: %v", err)
		}
		wrong = options(cfg)
		wrong.Bucket = "no-such-bucket"
		if _, _, err := open(t, wrong).Get(t.Context(), "o", blob.Range{}); err == nil || errors.Is(err, blob.ErrNotExist) {
			t.Errorf("get from a missing bucket: %v", err)
		}
	})
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
