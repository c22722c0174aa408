package wire

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// within is a client of a server in this process, over pipes instead of a network, which synctest
// could not wait for.
func within(t *testing.T, handle http.HandlerFunc) *http.Client {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handle, ErrorLog: quiet}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) }) // it ends by Close, which is an error
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case l.conns <- theirs:
			return ours, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	return &http.Client{Transport: transport}
}

// pipes is a listener that is handed its connections.
type pipes struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "within", Net: "pipe"} }
