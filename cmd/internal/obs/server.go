// Package obs is the HTTP endpoint of a running process: health, readiness, metrics and profiles,
// and whatever a command adds.
package obs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/pamline/pamline/config"
)

// Server answers /healthz (the process is alive), /readyz (it can work: 503 with the reason when
// not), /metrics and, on loopback, /debug/pprof/.
type Server struct {
	mux      *http.ServeMux
	http     *http.Server
	ln       net.Listener
	loopback bool
	named    map[string]bool // patterns whose handlers check the name in a request themselves
	ready    *readiness
	done     chan error
}

// NewRegistry is a metrics registry with the figures of the Go runtime and the process in it.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// New makes a server. ready says why the process cannot work at the moment, nil when it can; it is
// asked at most once a second, and has readyWait to answer.
func New(metrics prometheus.Gatherer, ready func(context.Context) error) *Server {
	s := &Server{mux: http.NewServeMux(), done: make(chan error, 1), named: map[string]bool{}, ready: &readiness{ask: ready, now: time.Now}}
	s.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, index) })
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	s.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := s.ready.get(); err != nil {
			answer(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		answer(w, http.StatusOK, "ready")
	})
	s.mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	s.profiles()
	return s
}

// index says what there is to ask.
const index = `pamline is running.

/imports   imports with their state, as JSON; /imports/ID has the receipt
/version   versions of pamline, its importers and its extractors, as JSON
/healthz   200 while the process is alive
/readyz    200 while the process can work, else the reason
/metrics   metrics for Prometheus

On this machine, "pamline status" shows the imports.`

func answer(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = fmt.Fprintln(w, text) // the client may be gone; nobody else wants to know
}

// Handle adds a route, in the form of [http.ServeMux]. Call it before Start.
func (s *Server) Handle(pattern string, h http.Handler) { s.mux.Handle(pattern, h) }

// HandleNamed adds a route like Handle. Its handler itself refuses requests that name a wrong host:
// the web page may have names beside those of this machine.
func (s *Server) HandleNamed(pattern string, h http.Handler) {
	s.named[pattern] = true
	s.Handle(pattern, h)
}

// Drain makes the process not ready, for good: it finishes what it has in hand and takes nothing
// new.
func (s *Server) Drain() { s.ready.draining.Store(true) }

// Loopback tells whether only this machine can reach the endpoint. It is false before Start.
func (s *Server) Loopback() bool { return s.loopback }

// anyPort is any free port of this machine, for a default port that is in use: by the service of
// another data folder, say.
const anyPort = "127.0.0.1:0"

// Start listens on addr and answers from then on. If the default address is in use, any free port
// is taken. Addr gives the address that was chosen.
func (s *Server) Start(addr string) error {
	ln, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) && addr == config.DefaultHTTPAddr {
		ln, err = net.Listen("tcp", anyPort)
	}
	if err != nil {
		return fmt.Errorf("listen on http.addr: %w", err)
	}
	s.ln = ln
	var h http.Handler = s.mux
	if tcp, ok := ln.Addr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		s.loopback = true
		h = s.localOnly(h)
	}
	s.http = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	go func() { s.done <- s.http.Serve(ln) }()
	return nil
}

// Addr is the address that is listened on, as host:port.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Shutdown lets open answers end until ctx does.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.http == nil {
		return nil
	}
	err := s.http.Shutdown(ctx)
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if err != nil {
		return fmt.Errorf("stop http endpoint: %w", err)
	}
	return nil
}

// localOnly turns away requests that name another host: a web page whose name is made to point at
// this machine must not read what is meant for the person at it.
func (s *Server) localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if _, pattern := s.mux.Handler(r); s.named[pattern] {
			next.ServeHTTP(w, r)
			return
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			answer(w, http.StatusMisdirectedRequest, "this endpoint answers on this machine only")
			return
		}
		next.ServeHTTP(w, r)
	})
}
