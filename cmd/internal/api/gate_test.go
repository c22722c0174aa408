package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pamline/pamline/config"
)

const secret = "CANARY-0123456789abcdef"

func TestWhoIsToldAboutImports(t *testing.T) {
	s := newFake(t)
	id := s.imported("ann", "hers.zip")
	none, token := config.Secret{}, config.NewSecret(secret)
	const ok, unknown, shut = http.StatusOK, http.StatusUnauthorized, http.StatusForbidden
	for _, c := range []struct {
		loopback, beyond bool
		token            config.Secret
		sent             string
		want             int
	}{
		{true, false, none, "", ok},
		{true, true, none, "", ok},
		{true, false, token, "", unknown},
		{true, false, token, "Bearer " + secret, ok},
		{false, false, none, "", shut},
		{false, false, token, "Bearer " + secret, shut},
		{false, true, none, "", shut},
		{false, true, none, "Bearer ", shut},
		{false, true, token, "", unknown},
		{false, true, token, "Bearer", unknown},
		{false, true, token, "Bearer " + secret[1:], unknown},
		{false, true, token, "Bearer " + secret + "0", unknown},
		{false, true, token, "Bearer " + strings.ToLower(secret), unknown},
		{false, true, token, "Basic " + secret, unknown},
		{false, true, token, secret, unknown},
		{false, true, token, "Bearer " + secret, ok},
		{false, true, token, "bearer  " + secret, ok},
	} {
		h := gated(s, "", Gate{Loopback: func() bool { return c.loopback }, Beyond: c.beyond, Token: c.token})
		for _, path := range []string{"/imports", "/imports/" + id, "/owners/ann/imports", "/version"} {
			r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
			if c.sent != "" {
				r.Header.Set("Authorization", c.sent)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			body := w.Body.String()
			if w.Code != c.want || strings.Contains(body, secret) || c.want != ok && (strings.Contains(body, "ann") || !strings.Contains(body, `"hint"`)) {
				t.Errorf("loopback %v, http.api %v, a token %v, %q, %s: %d %s", c.loopback, c.beyond, c.token.IsSet(), c.sent, path, w.Code, body)
			}
			if asked := w.Header().Get("WWW-Authenticate"); (asked == "Bearer") != (c.want == unknown) {
				t.Errorf("%d asks for %q", w.Code, asked)
			}
		}
	}
}

func TestAWebPageIsNotTold(t *testing.T) {
	folder := t.TempDir()
	admin, _, err := OpenAdmin(folder)
	if err != nil {
		t.Fatal(err)
	}
	h := gated(newFake(t), folder, Gate{Loopback: func() bool { return false }, Admin: admin})
	for from, want := range map[string]int{"127.0.0.1:4000": http.StatusOK, "192.0.2.1:4000": http.StatusForbidden} {
		for _, page := range []bool{false, true} {
			r := httptest.NewRequest(http.MethodGet, "/imports", http.NoBody)
			r.RemoteAddr = from
			r.Header.Set(tokenHeader, admin.token)
			if page {
				r.Header.Set("Origin", "http://example.net")
				want = http.StatusForbidden
			}
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != want {
				t.Errorf("from %s, a page %v: %d", from, page, w.Code)
			}
		}
	}
}
