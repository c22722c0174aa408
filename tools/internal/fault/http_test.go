package fault_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pamline/pamline/tools/internal/fault"
)

// origin is a server that keeps what it is given and remembers what it was asked.
type origin struct {
	mu     sync.Mutex
	puts   map[string]string // path → body, of whole bodies
	broken int               // bodies that ended early
	asked  int
	hosts  map[string]bool
}

const text = "a body that is long enough to be cut in the middle of it"

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	o.hosts[r.Host] = true
	if err != nil {
		o.broken++
		return
	}
	if r.Method == http.MethodPut {
		o.puts[r.URL.EscapedPath()+"?"+r.URL.RawQuery] = string(body)
		return
	}
	_, _ = io.WriteString(w, text)
}

func (o *origin) put(path string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.puts[path]
}

func (o *origin) count() (asked, broken, puts int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked, o.broken, len(o.puts)
}

func start(t *testing.T) (*origin, *fault.HTTP, func(method, path, body string) (int, string, error)) {
	t.Helper()
	o := &origin{puts: map[string]string{}, hosts: map[string]bool{}}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	p, err := fault.NewHTTP(server.Listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return o, p, func(method, path, body string) (int, string, error) {
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, "http://"+p.Addr()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, "", err
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		return resp.StatusCode, string(got), err
	}
}

func TestRequestsPassUnchanged(t *testing.T) {
	o, p, do := start(t)
	if code, _, err := do("PUT", "/b/a%20b%2Bc?x-id=Put&q=%2F", text); err != nil || code != 200 {
		t.Fatal(code, err)
	}
	if got := o.put("/b/a%20b%2Bc?x-id=Put&q=%2F"); got != text {
		t.Errorf("the server has %q", got)
	}
	if _, got, err := do("GET", "/", ""); err != nil || got != text {
		t.Errorf("%q, %v", got, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.hosts[p.Addr()] || len(o.hosts) != 1 {
		t.Errorf("the server was called %v, the client asked for %s", o.hosts, p.Addr())
	}
}

func TestAnswersWithoutAskingTheServer(t *testing.T) {
	for kind, want := range map[fault.Kind]struct {
		status int
		code   string
	}{fault.InternalError: {500, "InternalError"}, fault.Unavailable: {503, "ServiceUnavailable"}, fault.SlowDown: {503, "SlowDown"}} {
		o, p, do := start(t)
		p.Arm(fault.Fault{Kind: kind, Times: 2})
		for range 2 {
			if code, body, err := do("PUT", "/x", text); err != nil || code != want.status || !strings.Contains(body, "<Code>"+want.code+"<") {
				t.Errorf("%s: %d %q %v", kind, code, body, err)
			}
		}
		if asked, _, _ := o.count(); asked != 0 {
			t.Errorf("%s: the server was asked", kind)
		}
		if code, _, err := do("PUT", "/x", text); err != nil || code != 200 {
			t.Errorf("%s: the third request got %d, %v", kind, code, err)
		}
		if p.Hits()[kind] != 2 {
			t.Errorf("%s: counted %v", kind, p.Hits())
		}
	}
}

func TestCutRequestReachesTheServerHalf(t *testing.T) {
	o, p, do := start(t)
	p.Arm(fault.Fault{Kind: fault.CutRequest, Times: 1})
	if _, _, err := do("GET", "/x", ""); err != nil {
		t.Errorf("a request without a body was cut: %v", err)
	}
	if _, _, err := do("PUT", "/x", strings.Repeat(text, 10_000)); err == nil {
		t.Error("the client got an answer")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, puts := o.count(); puts != 0 {
		t.Errorf("the server took half a body for a whole one")
	}
}

func TestLostAnswerIsCarriedOut(t *testing.T) {
	o, p, do := start(t)
	p.Arm(fault.Fault{Kind: fault.LostAnswer, Times: 1})
	if _, got, err := do("GET", "/x", ""); err != nil || got != text {
		t.Errorf("the answer of a read was lost: %v", err)
	}
	if _, _, err := do("PUT", "/x", text); !broken(err) {
		t.Errorf("the client sees %v", err)
	}
	if o.put("/x?") != text {
		t.Error("the server did not carry the write out")
	}
}

func TestCutAnswerEndsInTheMiddle(t *testing.T) {
	_, p, do := start(t)
	p.Arm(fault.Fault{Kind: fault.CutAnswer, Times: 1})
	if _, got, err := do("GET", "/x", ""); err == nil || got == text {
		t.Errorf("the client got %q, %v", got, err)
	}
	if _, got, err := do("GET", "/x", ""); err != nil || got != text {
		t.Errorf("the next answer: %q, %v", got, err)
	}
}

func TestHalfOpenAndStalledSaySoOnlyAtTheEnd(t *testing.T) {
	for _, kind := range []fault.Kind{fault.HalfOpen, fault.StalledAnswer} {
		o, p, do := start(t)
		p.Arm(fault.Fault{Kind: kind, Times: 1, Hold: time.Hour})
		ended := make(chan error, 1)
		go func() {
			_, _, err := do("GET", "/x", "")
			ended <- err
		}()
		for p.Hits()[kind] == 0 {
			time.Sleep(time.Millisecond)
		}
		select {
		case err := <-ended:
			t.Errorf("%s: the client was told at once: %v", kind, err)
		default:
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Errorf("%s: the client got a whole answer", kind)
		}
		if asked, _, _ := o.count(); kind == fault.HalfOpen && asked != 0 {
			t.Errorf("%s: the server was asked", kind)
		}
	}
}

func TestDelayedRequestArrives(t *testing.T) {
	o, p, do := start(t)
	p.Arm(fault.Fault{Kind: fault.Delay, Times: 1, Hold: time.Millisecond})
	if code, _, err := do("PUT", "/x", text); err != nil || code != 200 || o.put("/x?") != text {
		t.Error(code, err)
	}
	if p.Hits()[fault.Delay] != 1 {
		t.Error(p.Hits())
	}
}

func TestSomethingElseHappensAtTheRequestThatIsMeant(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Before, fault.After} {
		o, p, do := start(t)
		seen := -1
		happened := p.Arm(fault.Fault{
			Kind: kind, Times: 1, Of: func(r *http.Request) bool { return r.URL.Path == "/this" },
			Then: func() { seen, _, _ = o.count() },
		})
		for _, path := range []string{"/other", "/this", "/this"} {
			if code, _, err := do("PUT", path, text); err != nil || code != 200 {
				t.Error(code, err)
			}
			if path == "/other" && happened() {
				t.Errorf("%s: it happened at another request", kind)
			}
		}
		want := map[fault.Kind]int{fault.Before: 1, fault.After: 2}[kind]
		if !happened() || seen != want {
			t.Errorf("%s: the server had been asked %d times, expected %d", kind, seen, want)
		}
	}
}

func TestServerThatIsAwayIsABrokenConnection(t *testing.T) {
	p, err := fault.NewHTTP("127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.Addr(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		resp.Body.Close()
		t.Fatalf("got %s", resp.Status)
	}
}

func TestDisarmForgetsWhatHasNotHappened(t *testing.T) {
	_, p, do := start(t)
	p.Arm(fault.Fault{Kind: fault.InternalError, Times: 5})
	p.Disarm()
	if code, _, err := do("GET", "/x", ""); err != nil || code != 200 {
		t.Error(code, err)
	}
	if len(p.Hits()) != 0 {
		t.Error(p.Hits())
	}
}

func broken(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
