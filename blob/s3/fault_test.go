package s3_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/s3"
)

func TestErrorsSayWhatToDoAndKeepSecrets(t *testing.T) {
	for code, want := range map[string]struct {
		status int
		hint   string
	}{
		"AccessDenied":                 {403, "policy"},
		"NoSuchBucket":                 {404, "bucket is not there"},
		"RequestTimeTooSkewed":         {403, "clock"},
		"InvalidAccessKeyId":           {403, "access key"},
		"PermanentRedirect":            {301, "another region"},
		"AuthorizationHeaderMalformed": {400, "store.s3.region"},
		"SignatureDoesNotMatch":        {403, "secret_access_key_file"},
		"ExpiredToken":                 {400, "session token has expired"},
		"NotImplemented":               {501, "another server"},
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
	s := open(t, s3.Options{Bucket: "b", Endpoint: "http://127.0.0.1:1", PathStyle: true, AccessKey: "a", SecretKey: "s",
		Backoff: blob.Backoff{Attempts: 2, Max: time.Millisecond, Sleep: func(context.Context, time.Duration) error { return nil }}})
	_, err := s.Put(t.Context(), "o", strings.NewReader("x"), blob.PutOptions{IfAbsent: true})
	if !blob.Retryable(err) || !strings.Contains(err.Error(), "check the endpoint") {
		t.Errorf("got %v", err)
	}
}
