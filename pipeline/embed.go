package pipeline

import (
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Broker is a NATS server inside this process, with JetStream files in a folder and no network listener.
type Broker struct{ s *server.Server }

// embeddedPatience is how long the broker in this process may take to start, to let somebody in, and to answer. There is no network
// that could have lost a question: it is late because the disk or the processors are busy, which the client's own few seconds
// would take for a failure.
const embeddedPatience = 30 * time.Second

// StartBroker opens or creates the JetStream folder. Every write is synced before it is acknowledged: the default of
// two minutes loses acknowledged messages with the power.
func StartBroker(folder string) (*Broker, error) {
	s, err := server.NewServer(&server.Options{
		ServerName: "pamline", DontListen: true, JetStream: true, StoreDir: folder, SyncAlways: true, NoSigs: true, NoLog: true,
	})
	if err != nil {
		return nil, fmt.Errorf("start embedded NATS in %s: %w", folder, err)
	}
	s.Start()
	if !s.ReadyForConnections(embeddedPatience) {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("start embedded NATS in %s: not ready after %s: is the folder writable and the disk not full?", folder, embeddedPatience)
	}
	return &Broker{s}, nil
}

// Connect opens a connection within the process.
func (b *Broker) Connect() (*nats.Conn, error) {
	nc, err := nats.Connect("", nats.InProcessServer(b.s), nats.Timeout(embeddedPatience), nats.MaxReconnects(-1))
	if err != nil {
		return nil, fmt.Errorf("connect to embedded NATS: %w", err)
	}
	return nc, nil
}

// Close stops the server and waits until its files are closed.
func (b *Broker) Close() {
	b.s.Shutdown()
	b.s.WaitForShutdown()
}
