package blobtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/pamline/pamline/blob"
)

func testMissing(t *testing.T, s blob.Store) {
	mustPut(t, s, "there/is/something", []byte("x"))
	for _, key := range []string{"nothing", "there", "there/is", "there/is/nothing", "nothing/at/all"} {
		_, _, err := s.Get(t.Context(), key, blob.Range{})
		wantErr(t, "get "+key, err, blob.ErrNotExist)
		_, err = s.Head(t.Context(), key)
		wantErr(t, "head "+key, err, blob.ErrNotExist)
		if err := s.Delete(t.Context(), key); err != nil {
			t.Errorf("delete %s: %v", key, err)
		}
	}
	wantKeys(t, s, "", "there/is/something")
}

func testRoundTrip(t *testing.T, s blob.Store) {
	for _, size := range []int{0, 1, 4 << 10, 300_000} {
		data := noiseBytes(uint64(size), size)
		done := mustPut(t, s, "a/object", data)
		got, obj := mustGet(t, s, "a/object", blob.Range{})
		if !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back as %d others", size, len(got))
		}
		head, err := s.Head(t.Context(), "a/object")
		if err != nil {
			t.Fatal(err)
		}
		for what, o := range map[string]blob.Object{"put": done, "get": obj, "head": head} {
			if o.Key != "a/object" || o.Size != int64(size) || o.ETag == "" || o.ETag != head.ETag {
				t.Errorf("%s of %d bytes describes %+v, head %+v", what, size, o, head)
			}
			if len(o.Metadata) > 0 {
				t.Errorf("%s shows metadata that nobody gave: %v", what, o.Metadata)
			}
		}
		if head.ModTime.IsZero() || !head.ModTime.Equal(obj.ModTime) {
			t.Errorf("head says %v, get %v", head.ModTime, obj.ModTime)
		}
	}
	if err := s.Delete(t.Context(), "a/object"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Head(t.Context(), "a/object")
	wantErr(t, "head after delete", err, blob.ErrNotExist)
	wantKeys(t, s, "")
}

func testRanges(t *testing.T, s blob.Store) {
	const size = 1000
	data := noiseBytes(1, size)
	mustPut(t, s, "o", data)
	mustPut(t, s, "empty", nil)
	for _, r := range []blob.Range{
		{}, {Offset: 0, Length: 1}, {Offset: 0, Length: size}, {Offset: 0, Length: size + 1}, {Offset: 1}, {Offset: 999},
		{Offset: 10, Length: 20}, {Offset: 990, Length: 100}, {Offset: 1000}, {Offset: 1001}, {Offset: 5000, Length: 3},
		{Offset: 1, Length: 1<<63 - 1},
	} {
		from, to := r.Span(size)
		got, obj := mustGet(t, s, "o", r)
		if !bytes.Equal(got, data[from:to]) {
			t.Errorf("range %+v gave %d bytes, want %d", r, len(got), to-from)
		}
		if obj.Size != size {
			t.Errorf("range %+v: the object has size %d, want that of the whole", r, obj.Size)
		}
		if got, _ := mustGet(t, s, "empty", r); len(got) != 0 {
			t.Errorf("range %+v of an empty object gave %d bytes", r, len(got))
		}
	}
	for _, r := range []blob.Range{{Offset: -1}, {Length: -1}} {
		if _, _, err := s.Get(t.Context(), "o", r); err == nil {
			t.Errorf("range %+v was accepted", r)
		}
	}
}

// longStream is more than two parts of any multipart upload, with -short more than one, and not a
// whole number of them.
func longStream() int {
	if testing.Short() {
		return 9<<20 + 12345
	}
	return 17<<20 + 12345
}

func testLongStream(t *testing.T, s blob.Store) {
	long := longStream()
	data := noiseBytes(2, long)
	done, err := s.Put(t.Context(), "long", streamOf(data), blob.PutOptions{IfAbsent: true})
	if err != nil {
		t.Fatal(err)
	}
	got, obj := mustGet(t, s, "long", blob.Range{})
	if !bytes.Equal(got, data) || done.Size != int64(long) || obj.ETag != done.ETag {
		t.Errorf("%d bytes came back, put said %+v, get %+v", len(got), done, obj)
	}
	_, err = s.Put(t.Context(), "long", streamOf(data[1:]), blob.PutOptions{IfAbsent: true})
	wantErr(t, "a second long upload", err, blob.ErrPrecondition)
	data = data[:long-1]
	if _, err = s.Put(t.Context(), "long", streamOf(data), blob.PutOptions{IfMatch: done.ETag}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Put(t.Context(), "long", streamOf(data), blob.PutOptions{IfMatch: done.ETag})
	wantErr(t, "a long upload with an old tag", err, blob.ErrPrecondition)
	if got, _ := mustGet(t, s, "long", blob.Range{}); !bytes.Equal(got, data) {
		t.Error("the long object is not what was put last")
	}
}

func testFailingBody(t *testing.T, s blob.Store) {
	broken := errors.New("the source broke")
	old := mustPut(t, s, "old", []byte("old"))
	for _, size := range []int{0, 100, longStream()} {
		data := noiseBytes(3, size)
		body := func() io.Reader { return io.MultiReader(bytes.NewReader(data), failing{broken}) }
		_, err := s.Put(t.Context(), "new", body(), blob.PutOptions{})
		wantErr(t, "put", err, broken)
		_, err = s.Put(t.Context(), "new", body(), blob.PutOptions{IfAbsent: true})
		wantErr(t, "put if absent", err, broken)
		_, err = s.Put(t.Context(), "old", body(), blob.PutOptions{IfMatch: old.ETag})
		wantErr(t, "put if match", err, broken)
	}
	if got, obj := mustGet(t, s, "old", blob.Range{}); string(got) != "old" || obj.ETag != old.ETag {
		t.Errorf("the old object is now %q, %+v", got, obj)
	}
	wantKeys(t, s, "", "old")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func testTags(t *testing.T, s blob.Store) {
	// Same key, same size, as fast as it goes, with deletions in between: file systems give old
	// numbers again.
	seen := make(map[string]byte)
	for i := range 120 {
		obj := mustPut(t, s, "o", []byte{byte(i), 0})
		if was, ok := seen[obj.ETag]; ok {
			t.Fatalf("contents %d and %d share the tag %s", was, i, obj.ETag)
		}
		seen[obj.ETag] = byte(i)
		if i%3 == 0 {
			if err := s.Delete(t.Context(), "o"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func testCancelled(t *testing.T, s blob.Store) {
	mustPut(t, s, "o", noiseBytes(4, 100_000))
	ctx, cancel := context.WithCancel(t.Context())
	body, _, err := s.Get(ctx, "o", blob.Range{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := blob.NewReaderAt(ctx, s, "o")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_, _, err = s.Get(ctx, "o", blob.Range{})
	wantErr(t, "get", err, context.Canceled)
	_, err = s.Head(ctx, "o")
	wantErr(t, "head", err, context.Canceled)
	for _, o := range []blob.PutOptions{{}, {IfAbsent: true}, {IfMatch: "x"}} {
		_, err = s.Put(ctx, "p", textReader("p"), o)
		if !errors.Is(err, blob.ErrPrecondition) { // an answer that was there already is fine
			wantErr(t, "put", err, context.Canceled)
		}
	}
	wantErr(t, "delete", s.Delete(ctx, "o"), context.Canceled)
	_, err = blob.PutAbsentAll(ctx, s, []blob.Item{{Key: "q", Body: []byte("q")}})
	wantErr(t, "batch", err, context.Canceled)
	for _, err := range s.List(ctx, "") {
		wantErr(t, "list", err, context.Canceled)
	}
	_, err = r.ReadAt(make([]byte, 10), 50_000)
	wantErr(t, "read at", err, context.Canceled)
	// What had arrived before may still come; the stream must end in the error or whole, and do so
	// at once.
	if n, err := io.Copy(io.Discard, body); !errors.Is(err, context.Canceled) && (err != nil || n != 100_000) {
		t.Errorf("reading a body after cancel: %d bytes, %v", n, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	_ = body.Close() // a cancelled body may complain
	wantKeys(t, s, "", "o")
}
