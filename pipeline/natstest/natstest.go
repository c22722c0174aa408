// Package natstest runs NATS servers for tests, within the test's process, and connects to them.
//
//	s := natstest.Server(t, nil)
//	js := natstest.JetStream(t, natstest.Connect(t, s.ClientURL()))
//
// NATS and its client give up after a few seconds, which a machine that runs other tests besides
// can take for anything. What is made here waits for minutes, so that only a test which hangs gets
// to the end of it.
package natstest

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const patience = 5 * time.Minute

// Server runs a server with JetStream on a free loopback port, with the options that change sets,
// until the end of the test. change may be nil.
func Server(t testing.TB, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		AuthTimeout: patience.Seconds(), TLSTimeout: patience.Seconds(),
	}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(patience) {
		t.Fatal("the NATS server does not start")
	}
	return s
}

// Connect connects until the end of the test.
func Connect(t testing.TB, url string, options ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, append([]nats.Option{nats.Timeout(patience)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// JetStream gives that of a connection.
func JetStream(t testing.TB, nc *nats.Conn) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// CountMessages counts the messages of streams, those of delayed copies and in flight among them.
// Each stream is counted at one moment, in the order given. If that is the order in which work
// passes through them, and handlers send what follows before they return, 0 means that no work is
// left.
func CountMessages(t testing.TB, js jetstream.JetStream, streams ...string) (n uint64) {
	t.Helper()
	for _, name := range streams {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		n += s.CachedInfo().State.Msgs
	}
	return n
}

// Eventually waits for what another goroutine or a server is about to do. Its end only keeps a test
// that hangs from hanging for ever.
func Eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	end := time.After(patience)
	for !done() {
		select {
		case <-end:
			t.Fatalf("it never happened: %s", what)
		case <-time.After(2 * time.Millisecond):
		}
	}
}
