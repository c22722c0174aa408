package retry_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/blob/retry"
)

var (
	passing = &blob.Error{Op: "get", Err: errors.New("connection reset"), Retry: true}
	lasting = &blob.Error{Op: "get", Err: errors.New("access denied")}
)

// flaky fails its first calls.
type flaky struct {
	blob.Store
	errs  []error
	calls int
}

func (f *flaky) fail() error {
	f.calls++
	if len(f.errs) == 0 {
		return nil
	}
	err := f.errs[0]
	f.errs = f.errs[1:]
	return err
}

func (f *flaky) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	if err := f.fail(); err != nil {
		return nil, blob.Object{}, err
	}
	return f.Store.Get(ctx, key, r)
}

func (f *flaky) Head(ctx context.Context, key string) (blob.Object, error) {
	if err := f.fail(); err != nil {
		return blob.Object{}, err
	}
	return f.Store.Head(ctx, key)
}

// Put reads some of the body before it fails.
func (f *flaky) Put(ctx context.Context, key string, body io.Reader, o blob.PutOptions) (blob.Object, error) {
	if err := f.fail(); err != nil {
		_, rerr := io.CopyN(io.Discard, body, 3)
		return blob.Object{}, errors.Join(err, rerr)
	}
	return f.Store.Put(ctx, key, body, o)
}

func (f *flaky) Delete(ctx context.Context, key string) error {
	if err := f.fail(); err != nil {
		return err
	}
	return f.Store.Delete(ctx, key)
}

// List fails after two objects.
func (f *flaky) List(ctx context.Context, prefix string) iter.Seq2[blob.Object, error] {
	return func(yield func(blob.Object, error) bool) {
		err := f.fail()
		n := 0
		for obj, lerr := range f.Store.List(ctx, prefix) {
			if n == 2 && err != nil {
				yield(blob.Object{}, err)
				return
			}
			n++
			if !yield(obj, lerr) {
				return
			}
		}
	}
}

func decorate(t *testing.T, errs ...error) (*retry.Store, *flaky, *[]time.Duration) {
	t.Helper()
	inner, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := inner.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, key := range []string{"a", "b", "c", "d"} {
		if _, err := inner.Put(t.Context(), key, strings.NewReader("content"), blob.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	f := &flaky{Store: inner, errs: errs}
	var pauses []time.Duration
	s := retry.New(f, blob.Backoff{
		Attempts: 4, Base: time.Second, Max: 3 * time.Second, Jitter: func() float64 { return 0 },
		Sleep: func(ctx context.Context, d time.Duration) error { pauses = append(pauses, d); return ctx.Err() },
	}, nil)
	return s, f, &pauses
}

// calls are the ways to use a store that are always tried again.
var calls = map[string]func(context.Context, blob.Store) error{
	"get": func(ctx context.Context, s blob.Store) error {
		body, _, err := s.Get(ctx, "a", blob.Range{})
		if err != nil {
			return err
		}
		return body.Close()
	},
	"head": func(ctx context.Context, s blob.Store) error {
		_, err := s.Head(ctx, "a")
		return err
	},
	"put": func(ctx context.Context, s blob.Store) error {
		_, err := s.Put(ctx, "new", strings.NewReader("content"), blob.PutOptions{})
		return err
	},
	"batch": func(ctx context.Context, s blob.Store) error {
		_, err := blob.PutAbsentAll(ctx, s, []blob.Item{{Key: "new", Body: []byte("content")}})
		return err
	},
	"delete": func(ctx context.Context, s blob.Store) error { return s.Delete(ctx, "b") },
	"list": func(ctx context.Context, s blob.Store) error {
		var got []string
		for obj, err := range s.List(ctx, "") {
			if err != nil {
				return err
			}
			got = append(got, obj.Key)
		}
		if !slices.Equal(got, []string{"a", "b", "c", "d"}) {
			return errors.New("listed " + strings.Join(got, " "))
		}
		return nil
	},
}

func TestPassingFailuresAreTriedAgainWithGrowingPauses(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			s, f, pauses := decorate(t, passing, passing, passing)
			if err := call(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			if f.calls != 4 {
				t.Errorf("%d calls", f.calls)
			}
			// Half of 1, 2, 4, capped at 3.
			want := []time.Duration{500 * time.Millisecond, time.Second, 1500 * time.Millisecond}
			if !slices.Equal(*pauses, want) {
				t.Errorf("pauses %v, want %v", *pauses, want)
			}
		})
	}
}

func TestLastingFailuresAreNot(t *testing.T) {
	for name, call := range calls {
		for _, err := range []error{lasting, blob.ErrNotExist, blob.ErrChanged, blob.ErrKey, errors.New("unmarked"), context.Canceled} {
			s, f, pauses := decorate(t, err)
			if got := call(t.Context(), s); !errors.Is(got, err) {
				t.Errorf("%s: got %v, want %v", name, got, err)
			}
			if f.calls != 1 || len(*pauses) != 0 {
				t.Errorf("%s: %v was tried %d times", name, err, f.calls)
			}
		}
	}
}

func TestTriesAreBounded(t *testing.T) {
	for name, call := range calls {
		s, f, _ := decorate(t, slices.Repeat([]error{passing}, 50)...)
		if err := call(t.Context(), s); !errors.Is(err, passing) {
			t.Errorf("%s: %v", name, err)
		}
		if f.calls > 6 {
			t.Errorf("%s: %d calls", name, f.calls)
		}
	}
}

func TestBodyThatCannotBeReadAgainIsSentOnce(t *testing.T) {
	s, f, pauses := decorate(t, passing)
	_, err := s.Put(t.Context(), "new", struct{ io.Reader }{strings.NewReader("content")}, blob.PutOptions{})
	if !errors.Is(err, passing) || f.calls != 1 || len(*pauses) != 0 {
		t.Errorf("%d calls, %v", f.calls, err)
	}
}

func TestRetriedBodyArrivesWhole(t *testing.T) {
	s, _, _ := decorate(t, passing)
	body := strings.NewReader("skipped content")
	if _, err := body.Seek(8, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "new", body, blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if data, _, err := blob.ReadAll(t.Context(), s, "new", 100); string(data) != "content" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestConditionalPutIsTheBackendsToRepeat(t *testing.T) {
	for _, o := range []blob.PutOptions{{IfAbsent: true}, {IfMatch: "x"}} {
		s, f, _ := decorate(t, passing)
		if _, err := s.Put(t.Context(), "new", strings.NewReader("content"), o); !errors.Is(err, passing) || f.calls != 1 {
			t.Errorf("%+v: %d calls, %v", o, f.calls, err)
		}
	}
}

func TestPauseEndsWithTheContext(t *testing.T) {
	inner, f, _ := decorate(t, passing, passing)
	ctx, cancel := context.WithCancel(t.Context())
	s := retry.New(inner.Unwrap(), blob.Backoff{Base: time.Hour, Max: time.Hour}, func(string, int, error) { cancel() })
	if _, err := s.Head(ctx, "a"); f.calls != 1 || !errors.Is(err, context.Canceled) || !errors.Is(err, passing) {
		t.Errorf("%d calls, %v", f.calls, err)
	}
}

func TestDecoratedStoreKeepsTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store {
		inner, err := dir.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := inner.Close(); err != nil {
				t.Error(err)
			}
		})
		return retry.New(inner, blob.Backoff{}, nil)
	})
}
