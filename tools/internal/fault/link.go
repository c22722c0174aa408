package fault

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// Link carries TCP connections to one server and can cut them, refuse new ones, hold the bytes of a
// direction back, or slow both down.
type Link struct {
	target string
	ln     net.Listener
	done   sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]bool // both ends of each connection
	down   bool
	closed bool
	delay  time.Duration
	held   [2]chan struct{} // by direction; nil: bytes pass
}

// Direction is one way through a link.
type Direction int

// The directions.
const (
	Requests Direction = iota // from the client to the server
	Answers                   // from the server to the client
)

// NewLink listens on a free loopback port for the server at target, host:port.
func NewLink(target string) (*Link, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start TCP proxy: %w", err)
	}
	l := &Link{target: target, ln: ln, conns: map[net.Conn]bool{}}
	l.done.Go(l.accept)
	return l, nil
}

// Addr is the address to give to clients, host:port.
func (l *Link) Addr() string { return l.ln.Addr().String() }

// Cut resets all connections; new ones are let through unless the link is down.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		abort(c)
	}
	clear(l.conns)
}

// Down cuts the connections and refuses new ones until Up.
func (l *Link) Down() {
	l.mu.Lock()
	l.down = true
	l.mu.Unlock()
	l.Cut()
}

// Up ends Down.
func (l *Link) Up() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}

// Hold keeps the bytes of a direction back, of connections that come later, too, until Release.
// They are not lost.
func (l *Link) Hold(d Direction) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[d] == nil {
		l.held[d] = make(chan struct{})
	}
}

// Release ends Hold.
func (l *Link) Release(d Direction) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[d] != nil {
		close(l.held[d])
		l.held[d] = nil
	}
}

// Slow lets whatever passes wait first; 0 ends that.
func (l *Link) Slow(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = d
}

// Close ends everything.
func (l *Link) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	err := l.ln.Close()
	l.Release(Requests)
	l.Release(Answers)
	l.Cut()
	l.done.Wait()
	return err
}

func (l *Link) accept() {
	for {
		client, err := l.ln.Accept()
		if err != nil {
			return
		}
		l.done.Go(func() { l.carry(client) })
	}
}

func (l *Link) carry(client net.Conn) {
	if !l.keep(client) {
		abort(client)
		return
	}
	server, err := net.DialTimeout("tcp", l.target, 5*time.Second)
	if err != nil || !l.keep(server) {
		if err == nil {
			abort(server)
		}
		l.drop(client)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.pass(Requests, client, server) })
	both.Go(func() { l.pass(Answers, server, client) })
	both.Wait()
}

// keep remembers one end of a connection; false: it must not be.
func (l *Link) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down || l.closed {
		return false
	}
	l.conns[c] = true
	return true
}

func (l *Link) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
	abort(c)
}

// pass carries the bytes of one direction. When one end goes, both go.
func (l *Link) pass(d Direction, from, to net.Conn) {
	defer l.drop(from)
	defer l.drop(to)
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			l.wait(d)
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait is where bytes are held back.
func (l *Link) wait(d Direction) {
	l.mu.Lock()
	delay, held := l.delay, l.held[d]
	l.mu.Unlock()
	if delay > 0 {
		time.Sleep(delay)
	}
	if held != nil {
		<-held
	}
}
