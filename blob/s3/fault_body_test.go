package s3_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
)

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
