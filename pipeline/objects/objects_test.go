package objects_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/statetest"
)

const digest = "0123456789abcdef0123456789abcdef"

var errCut = errors.New("the power is gone")

// cutBody is a store whose objects end before their end.
type cutBody struct{ blob.Store }

func (c cutBody) Get(ctx context.Context, key string, r blob.Range) (io.ReadCloser, blob.Object, error) {
	rc, o, err := c.Store.Get(ctx, key, r)
	if err == nil {
		rc = io.NopCloser(io.MultiReader(io.LimitReader(rc, 3), severed{}))
	}
	return rc, o, err
}

type severed struct{}

func (severed) Read([]byte) (int, error) { return 0, errCut }

func TestAnObjectThatStorageFailsToGiveIsNotDamaged(t *testing.T) {
	s := statetest.New()
	putRaw(t, s, "x", []byte(`{"v":1}`))
	var v map[string]int
	if _, err := objects.ReadJSON(t.Context(), cutBody{s}, "x", &v); !errors.Is(err, errCut) || fault.Of(err) == fault.Permanent {
		t.Errorf("%s: %v", fault.Of(err), err)
	}
	if _, err := objects.ReadJSON(t.Context(), objects.ClassedStore{Store: cutBody{s}}, "x", &v); fault.Of(err) != fault.Outage {
		t.Errorf("%s: %v", fault.Of(err), err)
	}
	putRaw(t, s, "r", objects.CompressLines([]byte("{\"v\":1}\n{}\n")))
	for _, err := range objects.ReadLines(t.Context(), objects.ClassedStore{Store: cutBody{s}}, "r") {
		if fault.Of(err) != fault.Outage {
			t.Errorf("lines: %s: %v", fault.Of(err), err)
		}
	}
}

// Whatever object it is, the message names it and says what to do.
func TestAnUnusableObjectSaysWhatToDo(t *testing.T) {
	s := statetest.New()
	for key, want := range map[string]string{
		state.OpenKey("ann", digest, 1):              "it is written anew",
		state.TakenKey("ann", digest):                "what it is about is looked at again",
		state.DropKey("ann", digest, "drop.json"):    "drop the archive again",
		state.FailedKey("ann", digest, 1, "ingest"):  "redrive or replay the drop",
		state.JobKey("ann", digest):                  "until then the drop cannot be imported again",
		state.JobKey("ann", state.OwnerJob):          "until then no edit is accepted",
		state.ReceiptKey("ann", digest, 1):           "the store is not",
		state.ManifestKey("ann", digest):             "which reads it anew",
		state.CompleteKey("ann", digest, "s"):        "which extracts it anew",
		state.PackListKey("ann", digest, 0):          "remove the folder of its import",
		state.ImportKey("ann", digest, "spent.json"): "counted from nothing",
		state.AssetListKey("ann", digest, "x"):       "restore it from a backup",
		state.EditKey("ann", 3):                      "until then nothing is published",
		state.HeadKey("ann"):                         "restore it from a backup, with the objects that it names",
		state.InputsKey("ann", digest):               "restore it from a backup",
		state.ExportKey("ann", "e", ".json"):         "fresh data folder",
	} {
		putRaw(t, s, key, []byte(`{"v":1,"sta`))
		var v state.Manifest
		tag, err := objects.ReadJSON(t.Context(), s, key, &v)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Class != fault.Permanent || tag == "" || !strings.Contains(f.Error(), key) || !strings.Contains(f.Hint, want) {
			t.Errorf("%s: %q %v", key, tag, err)
		}
	}
}

func TestErrorsOfStorageAreOutagesButNotAnswersAboutAnObject(t *testing.T) {
	s := statetest.New()
	s2 := objects.ClassedStore{Store: s.View(func(c statetest.Call) error {
		if strings.HasPrefix(c.Key, "down") {
			return errCut
		}
		return nil
	}, nil)}
	ctx := t.Context()
	for name, do := range map[string]func(key string) error{
		"get":  func(key string) error { _, _, err := s2.Get(ctx, key, blob.Range{}); return err },
		"head": func(key string) error { _, err := s2.Head(ctx, key); return err },
		"put": func(key string) error {
			_, err := s2.Put(ctx, key, strings.NewReader(""), blob.PutOptions{IfMatch: "x"})
			return err
		},
	} {
		if err := do("down/x"); fault.Of(err) != fault.Outage {
			t.Errorf("%s: %v", name, err)
		}
		if err := do("x"); !errors.Is(err, blob.ErrNotExist) && !errors.Is(err, blob.ErrPrecondition) || fault.Of(err) == fault.Outage {
			t.Errorf("%s of what is not there: %v", name, err)
		}
	}
	if err := s2.Delete(ctx, "down/x"); fault.Of(err) != fault.Outage {
		t.Errorf("delete: %v", err)
	}
	for _, err := range s2.List(ctx, "down/") {
		if fault.Of(err) != fault.Outage {
			t.Errorf("list: %v", err)
		}
	}
	if _, err := s2.PutAbsent(ctx, []blob.Item{{Key: "down/a"}}); fault.Of(err) != fault.Outage {
		t.Errorf("put absent: %v", err)
	}
}

func TestALostObjectIsPermanent(t *testing.T) {
	if err := objects.Lost("owners/ann/x", blob.ErrNotExist); fault.Of(err) != fault.Permanent || !objects.IsMissing(err) || fault.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
	if err := objects.Lost("x", errCut); !errors.Is(err, errCut) || fault.Of(err) == fault.Permanent {
		t.Errorf("%v", err)
	}
	if objects.Lost("x", nil) != nil {
		t.Error("nothing is lost")
	}
}

func putRaw(t *testing.T, s *statetest.Store, key string, body []byte) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(string(body)), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

// opening is a store of one object that can be read at any place.
type opening struct {
	blob.Store
	err error // of reading it
}

func (s opening) OpenAt(context.Context, string) (blob.RandomReader, blob.Object, error) {
	return s, blob.Object{Key: "x", Size: 3}, nil
}

func (s opening) Close() error { return nil }

func (s opening) ReadAt(p []byte, _ int64) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	return copy(p, "abc"), io.EOF
}

// A file on this machine is read in place. Through Gets its blocks would be held in memory.
func TestAFileIsReadInPlaceAndItsFailuresAreOutages(t *testing.T) {
	below := statetest.New() // has no Get of x: all is read from the file
	for _, c := range []struct {
		err  error
		want func(error) bool
	}{
		{nil, func(err error) bool { return errors.Is(err, io.EOF) && fault.Of(err) != fault.Outage }},
		{errCut, func(err error) bool { return fault.Of(err) == fault.Outage }},
		{blob.ErrChanged, func(err error) bool { return errors.Is(err, blob.ErrChanged) && fault.Of(err) != fault.Outage }},
	} {
		r, err := blob.NewReaderAt(t.Context(), objects.ClassedStore{Store: opening{below, c.err}}, "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadAt(make([]byte, 4), 0); !c.want(err) {
			t.Errorf("after %v: %v", c.err, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := blob.NewReaderAt(t.Context(), objects.ClassedStore{Store: below}, "x"); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("a store without files: %v", err)
	}
}
