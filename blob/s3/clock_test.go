package s3_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
)

// strict refuses signatures that are more than a quarter of an hour from a clock which goes ahead.
func strict(ahead time.Duration) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, r *http.Request) bool {
		now := time.Now().Add(ahead)
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		signed, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err == nil && now.Sub(signed).Abs() < 15*time.Minute {
			return false
		}
		refuse(w, http.StatusForbidden, "RequestTimeTooSkewed")
		return true
	}
}

func TestClockThatIsHoursOffIsCorrectedByTheServersAnswer(t *testing.T) {
	for name, o := range map[string]blob.PutOptions{"plain": {}, "if absent": {IfAbsent: true}} {
		f := &fakeS3{before: strict(3 * time.Hour)}
		s, _ := serve(t, f)
		if _, err := s.Put(t.Context(), "o", strings.NewReader("x"), o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(f.log) != 2 {
			t.Errorf("%s: requests %q", name, f.log)
		}
	}
	f := &fakeS3{before: strict(-3 * time.Hour)}
	s, _ := serve(t, f)
	f.put("o", []byte("x"))
	if got, err := readAll(t, s, "o", blob.Range{}); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestServersClockIsToldByTheBucket(t *testing.T) {
	f := &fakeS3{before: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Date", time.Now().Add(-2*time.Minute).UTC().Format(http.TimeFormat))
		return true
	}}
	s, _ := serve(t, f)
	b, err := s.Describe(t.Context())
	if err != nil || !b.ClockKnown || (b.Ahead+2*time.Minute).Abs() > 30*time.Second {
		t.Errorf("%+v, %v", b, err)
	}
}
