package service

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
)

// Probes and Prometheus go on as they are when imports are told only to who sends a token.
func TestATokenIsWantedForImportsAndNothingElse(t *testing.T) {
	token := strings.Repeat("0123456789abcdef", 4)
	c, err := config.Load(config.Sources{Set: map[string]string{"http.token": token}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), c, "pamline-test", "", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	server := s.Serve(Endpoint{
		Ready: func(context.Context) error { return nil }, Imports: func() pipeline.Viewer { return nil },
	})
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200, "/imports": 401, "/version": 401} {
		if got := get(t, "http://"+server.Addr()+path, ""); got != want {
			t.Errorf("%s: %d", path, got)
		}
	}
	if got := get(t, "http://"+server.Addr()+"/version", token); got != http.StatusOK {
		t.Errorf("with the token: %d", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func get(t *testing.T, url, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}
