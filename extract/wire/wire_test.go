package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pamline/pamline/extract"
)

const key = "k-very-secret-key-0123456789"

// answers is a server that gives one answer after the other, the last for ever.
func answers(t *testing.T, steps ...http.HandlerFunc) (*httptest.Server, *int) {
	t.Helper()
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		step := steps[min(n, len(steps)-1)]
		n++
		step(w, r)
	}))
	t.Cleanup(s.Close)
	return s, &n
}

func status(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func hangUp(after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = buf.WriteString(after)
		_ = buf.Flush()
		if tcp, ok := conn.(*net.TCPConn); ok && after == "" {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

func client(t *testing.T, url string, change ...func(*Options)) (*Client, *[]time.Duration) {
	t.Helper()
	var waits []time.Duration
	o := Options{URL: url, Header: Bearer(key), Sleep: func(ctx context.Context, d time.Duration) error {
		waits = append(waits, d)
		return ctx.Err()
	}}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, &waits
}

var good = status(200, `{"ok":true}`)

func TestWhatCanPassIsTriedAgain(t *testing.T) {
	date := "Wed, 21 Oct 2026 07:28:00 GMT"
	for name, c := range map[string]struct {
		first http.HandlerFunc
		wait  time.Duration
	}{
		"408":                  {status(408, ""), 500 * time.Millisecond},
		"409":                  {status(409, ""), 500 * time.Millisecond},
		"429":                  {status(429, "{}"), 500 * time.Millisecond},
		"500":                  {status(500, "<html>"), 500 * time.Millisecond},
		"529":                  {status(529, ""), 500 * time.Millisecond},
		"seconds":              {status(429, "", "Retry-After", "7"), 7 * time.Second},
		"part of a second":     {status(503, "", "Retry-After", "1.5"), 1500 * time.Millisecond},
		"milliseconds":         {status(429, "", "Retry-After-Ms", "120", "Retry-After", "9"), 120 * time.Millisecond},
		"date":                 {status(503, "", "Date", date, "Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT"), 30 * time.Second},
		"date that has passed": {status(503, "", "Date", date, "Retry-After", "Wed, 21 Oct 2026 07:27:30 GMT"), 0},
		"no date to compare":   {status(503, "", "Date", "", "Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT"), 500 * time.Millisecond},
		"nonsense":             {status(503, "", "Retry-After", "soon"), 500 * time.Millisecond},
		"negative":             {status(503, "", "Retry-After", "-3"), 500 * time.Millisecond},
		"server says so":       {status(400, "", "X-Should-Retry", "true"), 500 * time.Millisecond},
		"reset":                {hangUp(""), 500 * time.Millisecond},
		"closed early":         {hangUp("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":"), 500 * time.Millisecond},
		"no JSON":              {status(200, "<html>please log in</html>"), 500 * time.Millisecond},
		"half of the JSON":     {status(200, `{"a":[1,2`), 500 * time.Millisecond},
		"nothing":              {status(200, ""), 500 * time.Millisecond},
		"error in a 200":       {status(200, `{"error":{"code":503,"message":"busy"}}`), 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s, n := answers(t, c.first, good)
			cl, waits := client(t, s.URL)
			a, err := cl.JSON(t.Context(), Request{Path: "/x", Body: []byte("{}")})
			if err != nil || string(a.Body) != `{"ok":true}` || a.Attempts != 2 || *n != 2 {
				t.Fatalf("%s, %d attempts, %d requests: %v", a.Body, a.Attempts, *n, err)
			}
			if len(*waits) != 1 || (*waits)[0] != c.wait {
				t.Errorf("waited %v, want %v", *waits, c.wait)
			}
		})
	}
}

func TestWhatCannotPassIsAskedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		answer    http.HandlerFunc
		permanent bool // an AskError; else a bare StatusError
	}{
		"401":           {status(401, `{"error":{"message":"Incorrect API key provided: `+key+`","code":"invalid_api_key"}}`), true},
		"402":           {status(402, ""), true},
		"403":           {status(403, ""), true},
		"404":           {status(404, `{"error":{"type":"not_found_error"}}`), true},
		"redirect":      {status(307, "", "Location", "http://127.0.0.1:1/"), true},
		"no credit":     {status(429, `{"error":{"code":"insufficient_quota"}}`), true},
		"400":           {status(400, `{"error":{"message":"response_format is not supported","param":"response_format"}}`), false},
		"413":           {status(413, ""), false},
		"422":           {status(422, `{"detail":"no"}`), false},
		"not 500 again": {status(400, "", "X-Should-Retry", "false"), false},
	} {
		t.Run(name, func(t *testing.T) {
			s, n := answers(t, c.answer, good)
			cl, waits := client(t, s.URL)
			_, err := cl.JSON(t.Context(), Request{Path: "/x"})
			var ask *extract.AskError
			var st *StatusError
			if !errors.As(err, &st) || errors.As(err, &ask) != c.permanent || *n != 1 || len(*waits) != 0 {
				t.Fatalf("%d requests: %v", *n, err)
			}
			if ask != nil && (!ask.Permanent || ask.Hint == "") {
				t.Errorf("%+v", ask)
			}
			if strings.Contains(err.Error()+st.Message, key) {
				t.Error("the key is shown")
			}
		})
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	s, n := answers(t, status(500, `{"error":{"message":"what you sent was: Ada"}}`, "X-Request-Id", "req_1"))
	cl, waits := client(t, s.URL, func(o *Options) { o.Attempts = 7 })
	_, err := cl.JSON(t.Context(), Request{Path: "/x"})
	var ask *extract.AskError
	if !errors.As(err, &ask) || ask.Permanent || ask.Hint == "" || *n != 7 {
		t.Fatalf("%d requests: %v", *n, err)
	}
	if want := "[500ms 1s 2s 4s 8s 8s]"; fmt.Sprint(*waits) != want {
		t.Errorf("waited %v, want %v", *waits, want)
	}
	if text := err.Error(); strings.Contains(text, "Ada") || !strings.Contains(text, "500") || !strings.Contains(text, "req_1") {
		t.Errorf("error %q", text)
	}
}

func TestJitterShortensPausesByAQuarterAtMost(t *testing.T) {
	s, _ := answers(t, status(500, ""), good)
	cl, waits := client(t, s.URL, func(o *Options) { o.Jitter = func() float64 { return 0.999999 } })
	if _, err := cl.JSON(t.Context(), Request{}); err != nil {
		t.Fatal(err)
	}
	if d := (*waits)[0]; d < 375*time.Millisecond || d > 376*time.Millisecond {
		t.Errorf("waited %v", d)
	}
}

func TestAWaitThatIsTooLongEndsTheRequest(t *testing.T) {
	for _, after := range []string{"3600", "1e300"} {
		s, n := answers(t, status(429, "", "Retry-After", after), good)
		cl, waits := client(t, s.URL)
		_, err := cl.JSON(t.Context(), Request{})
		var ask *extract.AskError
		if !errors.As(err, &ask) || ask.Permanent || *n != 1 || len(*waits) != 0 {
			t.Errorf("%d requests, waits %v: %v", *n, *waits, err)
		}
	}
}

// In a bubble time goes on when nobody has anything to do: the answer is as slow on every machine.
func TestSlowAnswersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		over := within(t, func(w http.ResponseWriter, r *http.Request) {
			n++
			_, _ = io.WriteString(w, `{"a":`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		cl, _ := client(t, "http://service", func(o *Options) { o.HTTP, o.Timeout, o.Attempts = over, time.Minute, 2 })
		begun := time.Now()
		_, err := cl.JSON(t.Context(), Request{})
		var ask *extract.AskError
		if !errors.As(err, &ask) || ask.Permanent || n != 2 || !strings.Contains(err.Error(), "in time") || time.Since(begun) != 2*time.Minute {
			t.Fatalf("%d requests in %v: %v", n, time.Since(begun), err)
		}
		body, err := cl.Open(t.Context(), Request{})
		if err != nil {
			t.Fatal(err)
		}
		defer body.Close()
		got, err := io.ReadAll(body)
		if string(got) != `{"a":` || !errors.As(err, &ask) || !strings.Contains(err.Error(), "in time") || time.Since(begun) != 3*time.Minute {
			t.Errorf("%q after %v, %v", got, time.Since(begun), err)
		}
	})
}

func TestAnAnswerThatIsTooLongIsNotRead(t *testing.T) {
	s, n := answers(t, status(200, `"`+strings.Repeat("x", 100)+`"`))
	cl, _ := client(t, s.URL, func(o *Options) { o.MaxAnswer = 101 })
	if _, err := cl.JSON(t.Context(), Request{}); !errors.Is(err, ErrTooLarge) || *n != 1 {
		t.Errorf("%d requests: %v", *n, err)
	}
	cl, _ = client(t, s.URL, func(o *Options) { o.MaxAnswer = 102 })
	if _, err := cl.JSON(t.Context(), Request{}); err != nil {
		t.Error(err)
	}
}

func TestTheEndOfTheContextWins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, n := answers(t, func(w http.ResponseWriter, r *http.Request) { cancel(); status(500, "")(w, r) })
	cl, _ := client(t, s.URL)
	_, err := cl.JSON(ctx, Request{})
	if !errors.Is(err, context.Canceled) || *n != 1 {
		t.Errorf("%d requests: %v", *n, err)
	}
	var ask *extract.AskError
	if errors.As(err, &ask) {
		t.Error("the end of the context is taken for a failure of the service")
	}
	if _, err := cl.Open(ctx, Request{}); !errors.Is(err, context.Canceled) || *n != 1 {
		t.Errorf("%d requests: %v", *n, err)
	}
}

func TestRequestsAreAsAsked(t *testing.T) {
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Authorization"), " ", r.Header.Get("Content-Type"), " ", r.ContentLength, " ", string(body)))
		if len(got) == 3 {
			w.WriteHeader(500)
		}
		_, _ = io.WriteString(w, "{}")
	}))
	defer s.Close()
	cl, _ := client(t, s.URL+"/v1/?api=1")
	sources := 0
	for _, r := range []Request{
		{Path: "/chat", Body: []byte(`{"a":1}`)},
		{Path: "batches/b1", Query: map[string][]string{"limit": {"5"}}},
		{Path: "/files", Type: "text/plain", Source: func() (io.ReadCloser, int64, error) {
			sources++
			return io.NopCloser(strings.NewReader("lines")), 5, nil
		}},
		{Method: "DELETE", Path: "/files/f", Header: http.Header{"authorization": {"other"}}},
	} {
		if _, err := cl.JSON(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"POST /v1/chat?api=1 Bearer " + key + " application/json 7 {\"a\":1}",
		"GET /v1/batches/b1?api=1&limit=5 Bearer " + key + "  0 ",
		"POST /v1/files?api=1 Bearer " + key + " text/plain 5 lines",
		"POST /v1/files?api=1 Bearer " + key + " text/plain 5 lines",
		"DELETE /v1/files/f?api=1 other  0 ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || sources != 2 {
		t.Errorf("%s\nwant\n%s\nwith %d sources", strings.Join(got, "\n"), strings.Join(want, "\n"), sources)
	}
}

func TestStreamsAreReadToTheirEnd(t *testing.T) {
	long := strings.Repeat("line\n", 100_000)
	s, _ := answers(t, status(503, ""), status(200, long), hangUp("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nline"))
	cl, _ := client(t, s.URL)
	body, err := cl.Open(t.Context(), Request{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(body)
	if string(got) != long || err != nil || body.Close() != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if body, err = cl.Open(t.Context(), Request{}); err != nil {
		t.Fatal(err)
	}
	got, err = io.ReadAll(body)
	var ask *extract.AskError
	if string(got) != "line" || !errors.As(err, &ask) || body.Close() != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNobodyThere(t *testing.T) {
	cl, waits := client(t, "http://127.0.0.1:1/secret-path")
	_, err := cl.JSON(t.Context(), Request{Path: "/x"})
	var ask *extract.AskError
	if !errors.As(err, &ask) || ask.Permanent || ask.Hint == "" || len(*waits) != 3 || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("waits %v: %v", *waits, err)
	}
	plain, _ := answers(t, good)
	cl, waits = client(t, strings.Replace(plain.URL, "http:", "https:", 1))
	if _, err = cl.JSON(t.Context(), Request{}); !errors.As(err, &ask) || !ask.Permanent || len(*waits) != 0 {
		t.Errorf("waits %v: %v", *waits, err)
	}
	strange := httptest.NewUnstartedServer(good)
	strange.Config.ErrorLog = quiet
	strange.StartTLS()
	defer strange.Close()
	cl, _ = client(t, strange.URL)
	if _, err = cl.JSON(t.Context(), Request{}); !errors.As(err, &ask) || !ask.Permanent || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}

func TestAddressesAndKeysAreChecked(t *testing.T) {
	for _, url := range []string{"", "api.example.com", "ftp://x/", "http://", "https://ada:pw12345@x/v1", "http://x\x7f", "://"} {
		if _, err := New(Options{URL: url}); err == nil || strings.Contains(err.Error(), "pw12345") {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := New(Options{URL: "http://x", Header: Bearer(key + "\n")}); err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("%v", err)
	}
	if len(Bearer("")) != 0 {
		t.Error("no key gives a header")
	}
}

func FuzzStatusError(f *testing.F) {
	for _, s := range []string{`{"error":{"type":"a","code":1,"message":"m"}}`, `{"error":"x"}`, `{"message":"x"}`, `{"detail":[1]}`, "", "<html>", `{"error":{"code":"` + key + `"}}`} {
		f.Add(s, 400)
	}
	cl, err := New(Options{URL: "http://x", Header: Bearer(key)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string, code int) {
		resp := &http.Response{StatusCode: code, Header: http.Header{"X-Request-Id": {body}}}
		e := cl.statusError(resp, []byte(body))
		if strings.Contains(e.Error()+e.Message, key) || len(e.Message) > 2<<10 || strings.ContainsAny(e.Error(), "\n<") {
			t.Errorf("%q, message %q", e.Error(), e.Message)
		}
		_ = cl.wrapped(resp, []byte(body))
		_, _ = e.wait()
	})
}
