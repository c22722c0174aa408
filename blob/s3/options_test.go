package s3_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/s3"
)

func TestOpenRefusesWhatCannotWork(t *testing.T) {
	good := s3.Options{Bucket: "b", Endpoint: "http://127.0.0.1:1", AccessKey: "a", SecretKey: "s"}
	open(t, good)
	for want, change := range map[string]func(*s3.Options){
		"no bucket":      func(o *s3.Options) { o.Bucket = "" },
		"prefix":         func(o *s3.Options) { o.Prefix = "/x" },
		"endpoint":       func(o *s3.Options) { o.Endpoint = "127.0.0.1:9000" },
		"user name":      func(o *s3.Options) { o.Endpoint = "http://user:pass@host" },
		"checksums":      func(o *s3.Options) { o.Checksums = "never" },
		"encryption":     func(o *s3.Options) { o.ServerSideEncryption = "rot13" },
		"KMS":            func(o *s3.Options) { o.KMSKeyID = "k" },
		"belong":         func(o *s3.Options) { o.SecretKey = "" },
		"part size":      func(o *s3.Options) { o.PartSize = 1000 },
		"no certificate": func(o *s3.Options) { o.CA = []byte("not PEM") },
	} {
		o := good
		change(&o)
		_, err := s3.Open(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if err != nil && strings.Contains(err.Error(), "pass") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

// sent gives the headers of the first PUT that a store with these options sends.
func sent(t *testing.T, change func(*s3.Options)) http.Header {
	t.Helper()
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got == nil {
			got = r.Header.Clone()
		}
		w.Header().Set("ETag", `"x"`)
	}))
	defer server.Close()
	o := s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true, AccessKey: "a", SecretKey: "s"}
	change(&o)
	if _, err := open(t, o).Put(t.Context(), "o", strings.NewReader("x"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestOptionsReachTheServer(t *testing.T) {
	h := sent(t, func(o *s3.Options) {})
	for name := range h {
		if strings.HasPrefix(name, "X-Amz-Checksum") || name == "X-Amz-Trailer" {
			t.Errorf("a custom endpoint is sent %s", name)
		}
	}
	if h := sent(t, func(o *s3.Options) { o.Checksums = s3.ChecksumsWhenSupported }); h.Get("X-Amz-Checksum-Crc32") == "" &&
		h.Get("X-Amz-Trailer") == "" {
		t.Errorf("no checksum in %v", h)
	}
	h = sent(t, func(o *s3.Options) { o.ServerSideEncryption, o.KMSKeyID = "aws:kms", "key-7" })
	if h.Get("X-Amz-Server-Side-Encryption") != "aws:kms" || h.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id") != "key-7" {
		t.Errorf("no encryption in %v", h)
	}
	h = sent(t, func(o *s3.Options) { o.SessionToken, o.Region = "token", "eu-central-1" })
	if h.Get("X-Amz-Security-Token") != "token" || !strings.Contains(h.Get("Authorization"), "/eu-central-1/s3/") {
		t.Errorf("no session or region in %v", h)
	}
}

func TestCertificateOfOnesOwnIsTrusted(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of clients that do not trust it
	server.StartTLS()
	defer server.Close()
	o := s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true, AccessKey: "a", SecretKey: "s",
		Backoff: blob.Backoff{Max: time.Millisecond}}
	err := open(t, o).Check(t.Context())
	if err == nil || blob.Retryable(err) || !strings.Contains(err.Error(), "store.s3.ca_file") {
		t.Errorf("an unknown certificate: %v", err)
	}
	o.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := open(t, o).Check(t.Context()); err != nil {
		t.Error(err)
	}
}
