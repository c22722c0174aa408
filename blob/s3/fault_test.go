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

// fakeS3 keeps one bucket in memory and knows GET, HEAD, PUT with conditions and metadata. before may spoil a request: it
// answers itself and says so, or returns a function that spoils the answer.
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

// cutAfter answers a GET like the server would, and breaks the connection after so many bytes.
func cutAfter(f *fakeS3, bytesSent int, w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet {
		return false
	}
	o := f.objects[strings.TrimPrefix(r.URL.Path, "/bucket/")]
	w.Header().Set("ETag", o.etag)
	http.ServeContent(&cutting{w, bytesSent}, r, "", time.Unix(1e9, 0), bytes.NewReader(o.data))
	panic(http.ErrAbortHandler)
}

type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(p []byte) (int, error) {
	if len(p) > c.left {
		p = p[:c.left]
	}
	n, err := c.ResponseWriter.Write(p)
	c.left -= n
	if c.left == 0 {
		c.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
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

func TestBrokenBodyGoesOnWhereItStopped(t *testing.T) {
	f := &fakeS3{}
	s, pauses := serve(t, f)
	data := bytesOf(100_000)
	f.put("o", data)
	f.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
		return n < 5 && cutAfter(f, 15_000, w, r)
	}
	for _, r := range []blob.Range{{}, {Offset: 5000, Length: 90_000}} {
		f.n, f.log, *pauses = 0, nil, nil
		got, err := readAll(t, s, "o", r)
		from, to := r.Span(100_000)
		if err != nil || !bytes.Equal(got, data[from:to]) {
			t.Errorf("%+v: %d bytes, %v", r, len(got), err)
		}
		if len(f.log) != 6 || len(*pauses) != 5 {
			t.Errorf("%d requests, %d pauses: %q", len(f.log), len(*pauses), f.log)
		}
	}
}

func TestBodyGivesUpWithoutProgress(t *testing.T) {
	f := &fakeS3{}
	s, pauses := serve(t, f)
	f.put("o", bytesOf(100_000))
	f.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n == 0 {
			return cutAfter(f, 15_000, w, r)
		}
		panic(http.ErrAbortHandler)
	}
	got, err := readAll(t, s, "o", blob.Range{})
	if err == nil || !blob.Retryable(err) || !strings.Contains(err.Error(), "15000") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if len(*pauses) != 3 {
		t.Errorf("pauses %v", *pauses)
	}
	for i := 1; i < len(*pauses); i++ {
		if (*pauses)[i] != 2*(*pauses)[i-1] {
			t.Errorf("pauses %v do not double", *pauses)
		}
	}
}

func TestObjectReplacedBetweenTwoConnectionsIsNoticed(t *testing.T) {
	for name, change := range map[string]func(*fakeS3){
		"replaced": func(f *fakeS3) { f.set("o", bytesOf(100_000), "") },
		"deleted":  func(f *fakeS3) { delete(f.objects, "o") },
	} {
		f := &fakeS3{}
		s, _ := serve(t, f)
		f.put("o", bytesOf(100_000))
		f.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n == 0 {
				return cutAfter(f, 15_000, w, r)
			}
			change(f)
			return false
		}
		if _, err := readAll(t, s, "o", blob.Range{}); !errors.Is(err, blob.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLostAnswerToAConditionalPutIsRecognisedAsSuccess(t *testing.T) {
	f := &fakeS3{}
	s, _ := serve(t, f)
	f.put("head", []byte("old"))
	etag := f.objects["head"].etag
	f.after = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		f.after = nil
		return true
	}
	obj, err := s.Put(t.Context(), "new", strings.NewReader("mine"), blob.PutOptions{IfAbsent: true})
	if err != nil || obj.ETag != f.objects["new"].etag || obj.Size != 4 {
		t.Errorf("if absent: %+v, %v", obj, err)
	}
	f.after = func(int, http.ResponseWriter, *http.Request) bool { f.after = nil; return true }
	obj, err = s.Put(t.Context(), "head", strings.NewReader("mine"), blob.PutOptions{IfMatch: etag})
	if err != nil || obj.ETag != f.objects["head"].etag {
		t.Errorf("if match: %+v, %v", obj, err)
	}
}

func TestSomebodyElsesEqualBytesAreNotMistakenForOnesOwn(t *testing.T) {
	f := &fakeS3{}
	s, _ := serve(t, f)
	f.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n > 0 {
			return false
		}
		f.set("o", []byte("same"), "another writer's nonce")
		panic(http.ErrAbortHandler) // our request never arrived
	}
	_, err := s.Put(t.Context(), "o", strings.NewReader("same"), blob.PutOptions{IfAbsent: true})
	if !errors.Is(err, blob.ErrPrecondition) {
		t.Errorf("got %v", err)
	}
}

func TestConflictAndOverloadAreTriedAgain(t *testing.T) {
	for code, status := range map[string]int{
		"ConditionalRequestConflict": 409, "SlowDown": 503, "InternalError": 500, "RequestTimeout": 400,
	} {
		f := &fakeS3{}
		s, pauses := serve(t, f)
		f.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n < 2 {
				refuse(w, status, code)
			}
			return n < 2
		}
		if _, err := s.Put(t.Context(), "o", strings.NewReader("x"), blob.PutOptions{IfAbsent: true}); err != nil {
			t.Errorf("%s: %v", code, err)
		}
		if len(*pauses) != 2 || len(f.log) != 3 {
			t.Errorf("%s: requests %q, pauses %v", code, f.log, *pauses)
		}
	}
}

func TestFolderThatVanishedOnTheServerIsTriedAgain(t *testing.T) {
	for code, neighbour := range map[string]string{"ObjectParentIsFile": "a", "ExistingObjectIsDirectory": "a/b/c/d"} {
		for _, o := range []blob.PutOptions{{}, {IfAbsent: true}} {
			f := &fakeS3{}
			s, _ := serve(t, f)
			puts := 0
			f.before = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPut {
					return false
				}
				puts++
				if puts <= 2 {
					refuse(w, 409, code)
				}
				return puts <= 2
			}
			if _, err := s.Put(t.Context(), "a/b/x", strings.NewReader("x"), o); err != nil || puts != 3 {
				t.Errorf("%s %+v: %d puts, %v", code, o, puts, err)
			}
			f.put(neighbour, nil) // now the server is right
			puts = 0
			if _, err := s.Put(t.Context(), "a/b/c", strings.NewReader("x"), o); !errors.Is(err, blob.ErrKey) || puts != 1 {
				t.Errorf("%s %+v: %d puts, %v", code, o, puts, err)
			}
		}
	}
}

func TestEndlessConflictIsATransientFailure(t *testing.T) {
	f := &fakeS3{}
	s, _ := serve(t, f)
	f.before = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			refuse(w, 409, "ConditionalRequestConflict")
		}
		return r.Method == http.MethodPut
	}
	_, err := s.Put(t.Context(), "o", strings.NewReader("x"), blob.PutOptions{IfAbsent: true})
	if errors.Is(err, blob.ErrPrecondition) || !blob.Retryable(err) {
		t.Errorf("got %v", err)
	}
}

func TestIfMatchOnAMissingObjectIsAFailedCondition(t *testing.T) {
	s, _ := serve(t, &fakeS3{})
	_, err := s.Put(t.Context(), "o", strings.NewReader("x"), blob.PutOptions{IfMatch: `"tag"`})
	if !errors.Is(err, blob.ErrPrecondition) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsSayWhatToDoAndKeepSecrets(t *testing.T) {
	for code, want := range map[string]struct {
		status int
		hint   string
	}{
		"AccessDenied":         {403, "policy"},
		"NoSuchBucket":         {404, "bucket is not there"},
		"RequestTimeTooSkewed": {403, "clock"},
		"InvalidAccessKeyId":   {403, "access key"},
		"PermanentRedirect":    {301, "another region"},
		"NotImplemented":       {501, "another server"},
	} {
		f := &fakeS3{before: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			refuse(w, want.status, code)
			return true
		}}
		s, _ := serve(t, f)
		_, _, gerr := s.Get(t.Context(), "owners/o", blob.Range{})
		_, perr := s.Put(t.Context(), "owners/o", strings.NewReader("x"), blob.PutOptions{IfMatch: "t"})
		for _, err := range []error{gerr, perr} {
			var e *blob.Error
			if !errors.As(err, &e) || e.Key != "owners/o" || !strings.Contains(err.Error(), want.hint) {
				t.Errorf("%s: %v", code, err)
				continue
			}
			if strings.Contains(err.Error(), "secret-key") || strings.Contains(err.Error(), "access-key") {
				t.Errorf("%s: the error holds a key: %v", code, err)
			}
			if blob.Retryable(err) {
				t.Errorf("%s is not a matter of time: %v", code, err)
			}
		}
		if err := s.Check(t.Context()); err == nil {
			t.Errorf("%s: the check found nothing", code)
		}
	}
}

func TestUnreachableServerIsATransientFailure(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	s := open(t, s3.Options{Bucket: "b", Endpoint: server.URL, PathStyle: true, AccessKey: "a", SecretKey: "s",
		Backoff: blob.Backoff{Attempts: 2, Max: time.Millisecond, Sleep: func(context.Context, time.Duration) error { return nil }}})
	_, err := s.Put(t.Context(), "o", strings.NewReader("x"), blob.PutOptions{IfAbsent: true})
	if !blob.Retryable(err) || !strings.Contains(err.Error(), "check the endpoint") {
		t.Errorf("got %v", err)
	}
}
