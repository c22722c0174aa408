package queue

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// embeddedPatience is how long a server in this process may take to start and to answer. No network
// can have lost a request: an answer is late because the processors are busy, which the client's
// default of a few seconds would take for a failure.
const embeddedPatience = 30 * time.Second

// OpenEmbedded starts a NATS server inside this process, without a network listener, creates the
// topology and returns the queue. All of it is in memory and ends with the process: the callers
// rebuild the queue from storage. Starting takes about ten milliseconds, stopping none.
func OpenEmbedded(ctx context.Context, t Topology, o Options) (*Queue, error) {
	// The server insists on a folder, although streams in memory leave nothing in it.
	folder, err := os.MkdirTemp("", "pamline-queue-")
	if err != nil {
		return nil, fmt.Errorf("start embedded NATS: %w", err)
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "pamline", DontListen: true, JetStream: true, StoreDir: folder, NoSigs: true, NoLog: true,
	})
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, fmt.Errorf("start embedded NATS: %w", err)
	}
	s.Start()
	var nc *nats.Conn
	stop := func() {
		nc.Close() // nil is fine
		// Not waited for: it sleeps for 50 ms so that clients hear of its end, and has none left.
		go s.Shutdown()
		_ = os.RemoveAll(folder) // empty folders
	}
	fail := func(doing string, err error) (*Queue, error) {
		stop()
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	if !s.ReadyForConnections(embeddedPatience) {
		return fail("start embedded NATS", fmt.Errorf("not ready after %s: can this user write to %s?", embeddedPatience, os.TempDir()))
	}
	nc, err = nats.Connect("", nats.InProcessServer(s), nats.Timeout(embeddedPatience), nats.MaxReconnects(-1))
	if err != nil {
		return fail("connect to embedded NATS", err)
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(embeddedPatience))
	if err != nil {
		return fail("open JetStream", err)
	}
	t.memory, t.Replicas = true, 1
	if err := Ensure(ctx, js, t); err != nil {
		return fail("start embedded NATS", err)
	}
	q := New(js, t, o)
	q.embedded, q.close = true, stop
	return q, nil
}
