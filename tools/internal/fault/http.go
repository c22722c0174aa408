package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// HTTP is a proxy before one HTTP server. Requests go through as they are, Host included, which
// signatures are made of.
type HTTP struct {
	target string
	ln     net.Listener
	server *http.Server
	client *http.Transport
	done   chan struct{}
	life   context.Context // ends holds
	end    context.CancelFunc
	// observe is told of each answer of the server.
	observe func(r *http.Request, status int)

	mu    sync.Mutex
	armed []*Fault
	hit   map[Kind]int
}

// NewHTTP listens on a free loopback port for the server at target, host:port. observe may be nil.
func NewHTTP(target string, observe func(r *http.Request, status int)) (*HTTP, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start HTTP proxy: %w", err)
	}
	if observe == nil {
		observe = func(*http.Request, int) {}
	}
	life, end := context.WithCancel(context.Background())
	p := &HTTP{
		target: target, ln: ln, observe: observe, hit: map[Kind]int{}, done: make(chan struct{}), life: life, end: end,
		client: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64, DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext},
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(p.done)
		_ = p.server.Serve(ln) // it ends by Close, which is an error
	}()
	return p, nil
}

// Addr is the address to give to clients, host:port.
func (p *HTTP) Addr() string { return p.ln.Addr().String() }

// Arm lets a fault happen to the next requests that it fits. Faults that are armed together happen
// one after the other. It gives a function that tells whether it has happened to any yet.
func (p *HTTP) Arm(f Fault) (happened func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	armed, times := &f, f.Times
	p.armed = append(p.armed, armed)
	return func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return armed.Times < times
	}
}

// Disarm forgets what has not happened yet.
func (p *HTTP) Disarm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = nil
}

// Hits says how often each kind has happened.
func (p *HTTP) Hits() map[Kind]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.hit)
}

// Close stops at once, whatever is under way.
func (p *HTTP) Close() error {
	p.end()
	err := p.server.Close()
	<-p.done
	p.client.CloseIdleConnections()
	return err
}

// next takes the first armed fault that fits.
func (p *HTTP) next(r *http.Request) (Fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, f := range p.armed {
		if !f.fits(r) {
			continue
		}
		if f.Times--; f.Times <= 0 {
			p.armed = slices.Delete(p.armed, i, i+1)
		}
		p.hit[f.Kind]++
		return *f, true
	}
	return Fault{}, false
}

func (p *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, _ := p.next(r)
	if a, ok := answers[f.Kind]; ok {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(a.status)
		_, _ = fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code><Message>injected</Message></Error>", a.code)
		return
	}
	switch f.Kind {
	case HalfOpen:
		p.hold(r.Context(), f.Hold)
		reset(w)
		return
	case Delay:
		p.hold(r.Context(), f.Hold)
	case Before:
		f.Then()
	}
	out := p.outgoing(r)
	if f.Kind == CutRequest {
		out.Body = &half{ReadCloser: r.Body, left: r.ContentLength / 2}
	}
	resp, err := p.client.RoundTrip(out)
	if err != nil {
		reset(w) // the server is away, or its connection broke
		return
	}
	defer resp.Body.Close()
	p.observe(r, resp.StatusCode)
	if f.Kind == After {
		f.Then()
	}
	if f.Kind == LostAnswer {
		_, _ = io.Copy(io.Discard, resp.Body) // nobody hears of it
		reset(w)
		return
	}
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	if f.Kind != CutAnswer && f.Kind != StalledAnswer {
		if _, err := io.Copy(w, resp.Body); err != nil {
			reset(w)
		}
		return
	}
	_, _ = io.CopyN(w, resp.Body, max(resp.ContentLength, 0)/2) // it ends in a reset anyway
	_ = http.NewResponseController(w).Flush()
	if f.Kind == StalledAnswer {
		p.hold(r.Context(), f.Hold)
	}
	reset(w)
}

// outgoing is the request as the server gets it.
func (p *HTTP) outgoing(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.RequestURI = "http", p.target, ""
	out.Close = false
	for _, h := range []string{"Connection", "Expect", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade"} {
		out.Header.Del(h)
	}
	if r.ContentLength == 0 {
		out.Body = http.NoBody
	}
	return out
}

func (p *HTTP) hold(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-p.life.Done():
	}
}

// reset ends the client's connection without an end of the answer.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the server's own way to break a connection
	}
	abort(conn)
}

// abort closes so that the other end sees a reset and no orderly end.
func abort(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

var errCut = errors.New("cut")

// half is a body that breaks.
type half struct {
	io.ReadCloser
	left int64
}

func (h *half) Read(p []byte) (int, error) {
	if h.left <= 0 {
		return 0, errCut
	}
	n, err := h.ReadCloser.Read(p[:min(int64(len(p)), h.left)])
	h.left -= int64(n)
	return n, err
}
