package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// opened is a service with an admin API that echoes.
func opened(t *testing.T, folder string) *httptest.Server {
	t.Helper()
	d, remove, err := OpenAdmin(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("POST /echo", answerWith(d, func(_ context.Context, said string) (string, error) {
		switch said {
		case "wrong":
			return "", &WrongRequestError{errors.New("say something else")}
		case "broken":
			return "", errors.New("out of order")
		}
		return said, nil
	}))
	d.Serve(mux.Handle, newFake(t), "r1")
	return serve(t, mux, folder)
}

func TestACommandThatReadsTheFolderMayUseTheAdminAPI(t *testing.T) {
	folder := t.TempDir()
	opened(t, folder)
	c, err := FindService(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := c.Post(t.Context(), "/echo", "hello", &got); err != nil || got != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	for ask, wrong := range map[string]bool{"wrong": true, "broken": false} {
		refused := (*RefusedError)(nil)
		if err := c.Post(t.Context(), "/echo", ask, &got); !errors.As(err, &refused) || refused.Wrong != wrong || refused.Text == "" {
			t.Errorf("%s: %v", ask, err)
		}
	}
	if reading, err := c.Ping(t.Context()); err != nil || reading != "r1" {
		t.Errorf("%q, %v", reading, err)
	}
	if err := c.Post(t.Context(), "/echo", strings.Repeat("a", maxRequest), &got); err == nil {
		t.Error("an ask of any size is read")
	}
}

func TestTheTokenIsTheUsersAloneAndNewAtEachStart(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, tokenFile)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("mine"), 0o644); err != nil { //nolint:gosec // it stands for somebody else's file
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, path); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]bool{}
	for range 2 {
		_, remove, err := OpenAdmin(folder)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) != 65 {
			t.Errorf("%q, %v", text, err)
		}
		tokens[string(text)] = true
		if err := remove(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(path); len(tokens) != 2 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%d tokens; left: %v", len(tokens), err)
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "mine" {
		t.Errorf("the token was written through a link: %q", text)
	}
}

func TestTheAdminAPIRefusesEverybodyElse(t *testing.T) {
	folder := t.TempDir()
	server := opened(t, folder)
	text, err := os.ReadFile(filepath.Join(folder, tokenFile))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	for name, test := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"as a command asks":     {func(*http.Request) {}, http.StatusOK},
		"without a token":       {func(r *http.Request) { r.Header.Del(tokenHeader) }, http.StatusForbidden},
		"with another token":    {func(r *http.Request) { r.Header.Set(tokenHeader, strings.Repeat("0", 64)) }, http.StatusForbidden},
		"from a web page":       {func(r *http.Request) { r.Header.Set("Origin", "http://"+r.URL.Host) }, http.StatusForbidden},
		"from another site":     {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		"as a form":             {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusForbidden},
		"by another method":     {func(r *http.Request) { r.Method = http.MethodGet }, http.StatusMethodNotAllowed},
		"asking what is let in": {func(r *http.Request) { r.Method = http.MethodOptions }, http.StatusMethodNotAllowed},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/echo", strings.NewReader(`"hello"`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(tokenHeader, token)
		r.Header.Set("Content-Type", "application/json")
		test.change(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		for header := range resp.Header {
			if strings.HasPrefix(header, "Access-Control") {
				t.Errorf("%s: %s", name, header)
			}
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != test.want {
			t.Errorf("%s: %s, %v", name, resp.Status, err)
		}
	}
}

func TestSomebodyOnAnotherMachineIsTurnedAway(t *testing.T) {
	d, remove, err := OpenAdmin(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}()
	for addr, want := range map[string]int{"127.0.0.1:5": 200, "[::1]:5": 200, "192.0.2.7:5": 403, "": 403} {
		r := httptest.NewRequest(http.MethodPost, "/echo", strings.NewReader("1"))
		r.RemoteAddr = addr
		r.Header.Set(tokenHeader, d.token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		answerWith(d, func(context.Context, int) (int, error) { return 1, nil }).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s: %d", addr, w.Code)
		}
	}
}

func TestAServiceThatHasStoppedIsNone(t *testing.T) {
	folder := t.TempDir()
	if _, err := FindService(folder); !errors.Is(err, ErrNotRunning) {
		t.Error(err)
	}
	for name, text := range map[string]string{addrFile: "127.0.0.1:1\n", tokenFile: "x\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := FindService(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Post(t.Context(), "/echo", 1, nil); !errors.Is(err, ErrNotRunning) {
		t.Error(err)
	}
	if _, err := c.Ping(t.Context()); !errors.Is(err, ErrNotRunning) {
		t.Error(err)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	c.addr = strings.TrimPrefix(other.URL, "http://")
	if err := c.Post(t.Context(), "/echo", 1, nil); !errors.Is(err, ErrNotRunning) {
		t.Errorf("somebody else's port: %v", err)
	}
	sent := 0
	third := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent++ }))
	defer third.Close()
	sender := httptest.NewServer(http.RedirectHandler(third.URL, http.StatusTemporaryRedirect))
	defer sender.Close()
	c.addr = strings.TrimPrefix(sender.URL, "http://")
	if err := c.Post(t.Context(), "/echo", 1, nil); !errors.Is(err, ErrNotRunning) || sent > 0 {
		t.Errorf("sent on to another: %v, %d requests", err, sent)
	}
}
