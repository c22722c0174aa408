package obs

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/pamline/pamline/config"
)

func start(t *testing.T, ready func(context.Context) error) *Server {
	t.Helper()
	s := New(NewRegistry(), ready)
	s.Handle("GET /v1/imports", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "[]") }))
	if err := s.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func get(t *testing.T, s *Server, path, host string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestRoutes(t *testing.T) {
	s := start(t, func(context.Context) error { return nil })
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"/healthz":    {200, "ok"},
		"/readyz":     {200, "ready"},
		"/metrics":    {200, "go_goroutines"},
		"/v1/imports": {200, "[]"},
		"/elsewhere":  {404, ""},
	} {
		if code, body := get(t, s, path, ""); code != want.code || !strings.Contains(body, want.text) {
			t.Errorf("%s: %d %.80q", path, code, body)
		}
	}
}

func TestNotReadySaysWhyAndStaysAlive(t *testing.T) {
	s := start(t, func(context.Context) error { return errors.New("the message server cannot be reached") })
	if code, body := get(t, s, "/readyz", ""); code != 503 || !strings.Contains(body, "message server") {
		t.Errorf("%d %q", code, body)
	}
	if code, _ := get(t, s, "/healthz", ""); code != 200 {
		t.Errorf("health: %d", code)
	}
}

func TestOtherHostNamesAreTurnedAway(t *testing.T) {
	s := start(t, func(context.Context) error { return nil })
	if code, _ := get(t, s, "/v1/imports", "evil.example:80"); code != http.StatusMisdirectedRequest {
		t.Errorf("another name: %d", code)
	}
	if code, _ := get(t, s, "/v1/imports", "localhost:1"); code != 200 {
		t.Errorf("localhost: %d", code)
	}
	s.HandleNamed("/page/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, http.StatusOK, "page for "+r.Host) }))
	if code, body := get(t, s, "/page/x", "pam.example"); code != 200 || !strings.Contains(body, "page for pam.example") {
		t.Errorf("a route that checks names itself: %d %s", code, body)
	}
	for _, path := range []string{"/metrics", "/page/../metrics", "/page", "//page/../metrics", "/page/..%2fmetrics"} {
		if code, body := get(t, s, path, "pam.example"); code == 200 && !strings.Contains(body, "page for") {
			t.Errorf("%s under another name: %d %s", path, code, body)
		}
	}
}

func TestABusyAddressIsAnError(t *testing.T) {
	s := start(t, func(context.Context) error { return nil })
	if err := New(NewRegistry(), nil).Start(s.Addr()); err == nil || !strings.Contains(err.Error(), "http.addr") {
		t.Errorf("got %v", err)
	}
}

func TestTheDefaultPortIsUsedUnlessItIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", config.DefaultHTTPAddr)
	if err == nil {
		defer taken.Close()
	} // else somebody else has it, which is as good
	s := New(NewRegistry(), nil)
	if err := s.Start(config.DefaultHTTPAddr); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if s.Addr() == config.DefaultHTTPAddr || !s.Loopback() {
		t.Errorf("listens on %s", s.Addr())
	}
}
