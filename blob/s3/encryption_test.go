package s3_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
)

// recorder takes uploads, whole and in parts, and keeps the headers of each kind of request.
type recorder struct {
	mu      sync.Mutex
	headers map[string]http.Header // "put", "create", "part", "complete"
}

func (f *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	q := r.URL.Query()
	kind := "put"
	switch {
	case q.Has("uploads"):
		kind = "create"
		fmt.Fprint(w, "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>")
	case q.Has("partNumber"):
		kind = "part"
		w.Header().Set("ETag", `"p"`)
	case q.Has("uploadId"):
		kind = "complete"
		fmt.Fprint(w, `<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>`)
	default:
		w.Header().Set("ETag", `"x"`)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.headers[kind] = r.Header.Clone()
}

func TestEncryptionIsAskedForWithEveryWrite(t *testing.T) {
	const sse, key = "X-Amz-Server-Side-Encryption", "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"
	for _, want := range []struct{ algorithm, key string }{{"", ""}, {"AES256", ""}, {"aws:kms", ""}, {"aws:kms", "arn:aws:kms:eu-central-1:1:key/7"}} {
		f := &recorder{headers: map[string]http.Header{}}
		server := httptest.NewServer(f)
		s := open(t, s3.Options{
			Bucket: "b", Endpoint: server.URL, PathStyle: true, AccessKey: "a", SecretKey: "s", PartSize: 5 << 20,
			ServerSideEncryption: want.algorithm, KMSKeyID: want.key,
		})
		for name, n := range map[string]int{"short": 10, "long": 6 << 20} {
			for _, o := range []blob.PutOptions{{}, {IfAbsent: true}, {IfMatch: `"t"`}} {
				if _, err := s.Put(t.Context(), name, longBody(n), o); err != nil {
					t.Fatal(err)
				}
			}
		}
		server.Close()
		for _, kind := range []string{"put", "create"} {
			h := f.headers[kind]
			if h.Get(sse) != want.algorithm || h.Get(key) != want.key {
				t.Errorf("%+v: %s asks for %q with key %q", want, kind, h.Get(sse), h.Get(key))
			}
		}
		if f.headers["part"] == nil || f.headers["complete"] == nil || f.headers["complete"].Get("If-Match")+f.headers["complete"].Get("If-None-Match") == "" {
			t.Errorf("%+v: the long body did not go in parts with its condition: %v", want, f.headers["complete"])
		}
	}
}

func TestChecksumsGoAlongAsTheSettingSays(t *testing.T) {
	for setting, wanted := range map[s3.Checksums]bool{s3.ChecksumsAuto: false, s3.ChecksumsWhenRequired: false, s3.ChecksumsWhenSupported: true} {
		f := &recorder{headers: map[string]http.Header{}}
		server := httptest.NewServer(f)
		s := open(t, s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true, AccessKey: "a", SecretKey: "s", PartSize: 5 << 20, Checksums: setting})
		for name, n := range map[string]int{"short": 10, "long": 6 << 20} {
			if _, err := s.Put(t.Context(), name, longBody(n), blob.PutOptions{IfAbsent: true}); err != nil {
				t.Fatal(err)
			}
		}
		server.Close()
		for _, kind := range []string{"put", "part"} {
			if got := hasChecksum(f.headers[kind]); got != wanted {
				t.Errorf("%s: %s with a checksum: %v", setting, kind, got)
			}
		}
	}
}

func hasChecksum(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "X-Amz-Checksum-") || name == "X-Amz-Trailer" {
			return true
		}
	}
	return false
}

func TestRealServerTakesEncryptedWrites(t *testing.T) {
	cfg := gateway.Start(t)
	o := small(cfg)
	o.ServerSideEncryption = "AES256"
	s := open(t, o)
	for name, n := range map[string]int{"short": 10, "long": 6 << 20} {
		if _, err := s.Put(t.Context(), name, longBody(n), blob.PutOptions{IfAbsent: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
