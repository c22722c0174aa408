package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/s3"
)

// fakeS3 keeps one bucket in memory and knows GET, HEAD, PUT with conditions and metadata. before
// may spoil a request: it answers itself and says so, or returns a function that spoils the answer.
type fakeS3 struct {
	mu      sync.Mutex
	objects map[string]fakeObject
	log     []string // method, and range or condition
	before  func(n int, w http.ResponseWriter, r *http.Request) (answered bool)
	after   func(n int, w http.ResponseWriter, r *http.Request) (drop bool)
	n       int
}

type fakeObject struct {
	data  []byte
	etag  string
	nonce string
}

func (f *fakeS3) put(key string, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set(key, data, "")
}

func (f *fakeS3) set(key string, data []byte, nonce string) string {
	etag := fmt.Sprintf(`"%x-%d"`, len(f.log), len(data))
	f.objects[key] = fakeObject{data, etag, nonce}
	return etag
}

func (f *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.n
	f.n++
	key := strings.TrimPrefix(r.URL.Path, "/bucket/")
	if r.URL.Query().Get("list-type") == "2" {
		f.list(w, r.URL.Query().Get("prefix"))
		return
	}
	f.log = append(f.log, strings.TrimSpace(r.Method+" "+r.Header.Get("Range")+r.Header.Get("If-None-Match")))
	if f.before != nil && f.before(n, w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	o, there := f.objects[key]
	if c := r.Header.Get("If-None-Match"); c == "*" && there {
		refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	if c := r.Header.Get("If-Match"); c != "" && (!there || c != o.etag) {
		if !there {
			refuse(w, http.StatusNotFound, "NoSuchKey")
			return
		}
		refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	if r.Method == http.MethodPut {
		etag := f.set(key, body, r.Header.Get("X-Amz-Meta-Pamline-Write"))
		if f.after != nil && f.after(n, w, r) {
			panic(http.ErrAbortHandler) // done, and nobody hears of it
		}
		w.Header().Set("ETag", etag)
		return
	}
	if !there {
		refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	w.Header().Set("ETag", o.etag)
	w.Header().Set("X-Amz-Meta-Pamline-Write", o.nonce)
	http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(o.data))
}

func (f *fakeS3) list(w http.ResponseWriter, prefix string) {
	fmt.Fprint(w, "<ListBucketResult>")
	for _, key := range slices.Sorted(maps.Keys(f.objects)) {
		if strings.HasPrefix(key, prefix) {
			fmt.Fprintf(w, "<Contents><Key>%s</Key></Contents>", key)
		}
	}
	fmt.Fprint(w, "</ListBucketResult>")
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>refused</Message></Error>", code)
}

// serve starts the server and a store for it which waits in no time.
func serve(t *testing.T, f *fakeS3) (*s3.Store, *[]time.Duration) {
	t.Helper()
	f.objects = make(map[string]fakeObject)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	var pauses []time.Duration
	nonce := 0
	s, err := s3.Open(t.Context(), s3.Options{
		Bucket: "bucket", Endpoint: server.URL, PathStyle: true, AccessKey: "access-key", SecretKey: "secret-key",
		Backoff: blob.Backoff{Attempts: 4, Max: 2 * time.Second, Jitter: func() float64 { return 0.5 }, Sleep: func(ctx context.Context, d time.Duration) error {
			pauses = append(pauses, d)
			return ctx.Err()
		}},
		Nonce: func() string { nonce++; return strconv.Itoa(nonce) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, &pauses
}

func bytesOf(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i * 7 / 5)
	}
	return data
}

func readAll(t *testing.T, s *s3.Store, key string, r blob.Range) ([]byte, error) {
	t.Helper()
	body, _, err := s.Get(t.Context(), key, r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(body)
	return data, errors.Join(err, body.Close())
}
