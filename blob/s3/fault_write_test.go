package s3_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
)

func TestLostAnswerToAConditionalPutIsRecognizedAsSuccess(t *testing.T) {
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
