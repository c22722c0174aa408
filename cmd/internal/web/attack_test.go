package web

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestATokenLetsOneBrowserInOnce(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "plain")
	path, err := s.Enter("ann")
	if err != nil {
		t.Fatal(err)
	}
	first, second := s.stranger(t), s.stranger(t)
	if code, _ := first.get(Base + "conversations"); code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", code)
	}
	code, _, h := first.send(http.MethodGet, path, "", nil)
	cookie := h.Get("Set-Cookie")
	if code != http.StatusOK || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || !strings.Contains(cookie, "Path="+Base) {
		t.Errorf("%d %s", code, cookie)
	}
	if code, _ := second.get(path); code != http.StatusForbidden {
		t.Errorf("the token was used again: %d", code)
	}
	if code, _ := first.get(Base + "conversations"); code != http.StatusOK {
		t.Errorf("with the cookie: %d", code)
	}
	for _, token := range []string{"", "x", strings.Repeat("0", 64)} {
		if code, _ := second.get(Base + "enter?token=" + token); code != http.StatusForbidden {
			t.Errorf("token %q: %d", token, code)
		}
	}
	if _, err := s.Enter("../ann"); err == nil {
		t.Error("a token for what is no owner")
	}
}

func TestForgedHostsAndOriginsAreRefused(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "plain")
	v := s.letIn(t, "ann")
	v.get(Base + "conversations")
	for name, c := range map[string]struct {
		method string
		change func(*http.Request)
		want   int
	}{
		"itself":                 {http.MethodGet, func(*http.Request) {}, 200},
		"by name":                {http.MethodGet, func(r *http.Request) { r.Host = "localhost:80" }, 200},
		"another host":           {http.MethodGet, func(r *http.Request) { r.Host = "attacker.example" }, 421},
		"a host like ours":       {http.MethodGet, func(r *http.Request) { r.Host = "localhost.attacker.example" }, 421},
		"another address":        {http.MethodGet, func(r *http.Request) { r.Host = "192.0.2.1" }, 421},
		"another origin":         {http.MethodGet, func(r *http.Request) { r.Header.Set("Origin", "https://attacker.example") }, 403},
		"no origin of its own":   {http.MethodPost, func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"a form of another site": {http.MethodPost, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"an image of another": {http.MethodGet, func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
		}, 403},
		"another port of here": {http.MethodPost, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403},
		"a link of another site": {http.MethodGet, func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
		}, 200},
		"a method that is no use": {http.MethodDelete, func(*http.Request) {}, 404},
	} {
		path := Base + "conversations"
		if c.method == http.MethodPost {
			path = Base + "memories/" + noteID + "/confirm"
		}
		code, _, _ := v.send(c.method, path, "", func(r *http.Request) {
			if c.change(r); r.Host == "localhost:80" { // the cookie belongs to the address
				cookies := v.Jar.Cookies(r.URL)
				cookies = append(cookies, v.Jar.Cookies(&url.URL{Scheme: "http", Host: r.URL.Host, Path: Base})...)
				for _, one := range cookies {
					r.AddCookie(&http.Cookie{Name: cookieName(r), Value: one.Value})
				}
			}
		})
		if code != c.want {
			t.Errorf("%s: %d, want %d", name, code, c.want)
		}
	}
}

func TestAnotherOwnersThingsAreNotFound(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", "Secret of Ann")
	body := `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"bob"},"memories":[],"relations":[],"conversations_index":[]}`
	publish(t, s.store, "bob", body)
	bob := s.letIn(t, "bob")
	id, err := s.uploads.begin("ann", "a.zip", 10, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(everyPage(), "assets/0a.png", "search?q=Secret", "assets/..%2f..%2fann%2fassets%2f0a.png", "conversations/..%2f..%2fann", "tus/"+id) {
		code, text := bob.get(Base + path)
		if strings.Contains(text, "Secret of") || strings.Contains(text, "PNG of ann") || strings.Contains(path, talkID) && code != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	code, _, _ := bob.send(http.MethodPatch, Base+"tus/"+id, "x", func(r *http.Request) {
		r.Header.Set("Tus-Resumable", tusVersion)
		r.Header.Set("Upload-Offset", "0")
		r.Header.Set("Content-Type", "application/offset+octet-stream")
	})
	if code != http.StatusNotFound {
		t.Errorf("bob writes to an upload of ann: %d", code)
	}
	for _, action := range []string{"confirm", "retract", "archive", "replace"} {
		if code, _, _ := bob.send(http.MethodPost, Base+"memories/"+noteID+"/"+action, "content=x", nil); code != http.StatusNotFound {
			t.Errorf("bob: %s: %d", action, code)
		}
	}
}

func TestWhatTextsSayIsNeverRun(t *testing.T) {
	s := serveSite(t, 1<<20)
	putStore(t, s.store, "ann", hostile)
	v := s.letIn(t, "ann")
	for _, path := range everyPage() {
		code, body := v.get(Base + path)
		if code >= 500 {
			t.Errorf("%s: %d %s", path, code, body)
		}
		checkHarmless(t, path, body)
	}
	for path, want := range map[string]string{"assets/0a.png": "image/png", "assets/0b.html": "application/octet-stream"} {
		code, _, h := v.send(http.MethodGet, Base+path, "", nil)
		if code != http.StatusOK || h.Get("Content-Type") != want || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, code, h)
		}
	}
	_, _, h := v.send(http.MethodGet, Base+"memories", "", nil)
	if p := h.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "unsafe") {
		t.Error(p)
	}
}

// checkHarmless finds what a browser would run, or load from elsewhere.
func checkHarmless(t testing.TB, path, body string) {
	t.Helper()
	for z := html.NewTokenizer(strings.NewReader(body)); ; {
		if z.Next() == html.ErrorToken {
			if z.Err() != io.EOF { //nolint:errorlint // it is returned as it is
				t.Errorf("%s: %v", path, z.Err())
			}
			return
		}
		tag := z.Token()
		if tag.Type != html.StartTagToken && tag.Type != html.SelfClosingTagToken {
			continue
		}
		for _, a := range tag.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc":
				t.Errorf("%s: <%s %s=%q>", path, tag.Data, a.Key, a.Val)
			case a.Key == "src" && !strings.HasPrefix(a.Val, Base):
				t.Errorf("%s: <%s> loads %q", path, tag.Data, a.Val)
			case (a.Key == "href" || strings.HasSuffix(a.Key, "action")) && !isHarmlessAddress(a.Val):
				t.Errorf("%s: a link to %q", path, a.Val)
			case a.Key == "href" && strings.HasPrefix(a.Val, "http") && !strings.Contains(tagAttr(tag, "rel"), "noopener"):
				t.Errorf("%s: a link to %q without noopener", path, a.Val)
			}
		}
		switch tag.Data {
		case "script":
			if tagAttr(tag, "src") != Base+"static/page.js" {
				t.Errorf("%s: %s", path, tag)
			}
		case "style", "iframe", "object", "embed", "base":
			t.Errorf("%s: %s", path, tag)
		case "svg":
			if strings.Contains(tag.String(), "alert") {
				t.Errorf("%s: %s", path, tag)
			}
		}
	}
}

// isHarmlessAddress tells whether an address is relative, or of a scheme that runs nothing.
func isHarmlessAddress(address string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(strings.TrimLeft(address, " \t\r\n\x00")), ":")
	return !ok || strings.ContainsAny(scheme, "/?#") || slices.Contains([]string{"http", "https", "mailto"}, scheme)
}

func tagAttr(tag html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func TestMarkdownIsShownWithoutHTMLOrRemoteContent(t *testing.T) {
	for source, want := range map[string]string{
		"# One\n\n- a\n- b":                     "<h1>One</h1>",
		"| a | b |\n|---|---|\n| 1 | 2 |":       "<td>2</td>",
		"```go\nif a < b {}\n```":               "if a &lt; b {}",
		"$x^2 < 3$":                             "<mo>&lt;</mo><mn>3</mn>",
		"[far](https://far.example/a)":          "far (far.example)</a>",
		"![pic](https://tracker.example/p.png)": "pic (tracker.example)</a>",
	} {
		if got := string(renderMarkdown(source)); !strings.Contains(got, want) || strings.Contains(got, "<img") {
			t.Errorf("%q: %s", source, got)
		}
	}
	for _, source := range []string{"<b onclick=x>", "[a](javascript:x)", "[a](JaVaScRiPt:x)", "[a](data:text/html,x)", "<javascript:x>", "![a](x.png)", "[a](//evil.example)", strings.Repeat("<p>", maxMarkdown)} {
		checkHarmless(t, shorten(40, source), string(renderMarkdown(source)))
	}
}
