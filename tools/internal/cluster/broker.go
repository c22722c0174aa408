package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
	"github.com/pamline/pamline/tools/internal/fault"
)

// Broker is one NATS server or a cluster of them, with JetStream that syncs every write.
type Broker struct {
	Nodes []*Node
}

// Node is one server of a Broker.
type Node struct {
	*Process
	Name string
	// At is where clients find it, host:port.
	At string
	// in and out are the routes between it and each of the others, one link for each direction of
	// asking.
	in, out []*fault.Link
	routeAt string
}

// nowhere is an address that nobody listens on. Nodes tell each other where they are, and would
// find ways past the links.
const nowhere = "127.0.0.1:1"

func startBroker(ctx context.Context, o Options, binary string) (*Broker, error) {
	b := &Broker{}
	for i := range o.Nodes {
		n := &Node{Name: fmt.Sprintf("nats-%d", i+1)}
		b.Nodes = append(b.Nodes, n)
		var err error
		if n.At, err = toolbin.FreeAddress(); err != nil {
			return nil, err
		}
		if n.routeAt, err = toolbin.FreeAddress(); err != nil {
			return nil, err
		}
	}
	for i, n := range b.Nodes {
		if err := b.connect(i); err != nil {
			return nil, errors.Join(err, b.Close())
		}
		file := filepath.Join(o.Folder, n.Name+".conf")
		if err := os.WriteFile(file, []byte(n.config(o.Folder, len(b.Nodes))), 0o600); err != nil {
			return nil, errors.Join(fmt.Errorf("write settings of %s: %w", n.Name, err), b.Close())
		}
		var err error
		if n.Process, err = newProcess(o.logs(), n.Name, false, func() *exec.Cmd { return exec.Command(binary, "-c", file) }); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	for _, n := range b.Nodes {
		if err := n.Start(); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	if err := b.Ready(ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// connect makes the links by which one node asks the others.
func (b *Broker) connect(i int) error {
	for j, other := range b.Nodes {
		if i == j {
			continue
		}
		l, err := fault.NewLink(other.routeAt)
		if err != nil {
			return err
		}
		b.Nodes[i].out = append(b.Nodes[i].out, l)
		other.in = append(other.in, l)
	}
	return nil
}

func (n *Node) config(folder string, nodes int) string {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) } // a builder takes everything
	say("server_name: %q", n.Name)
	say("listen: %q", n.At)
	say("jetstream { store_dir: %q, sync_interval: always, max_memory_store: 64MB, max_file_store: 1GB }", filepath.Join(folder, n.Name))
	if nodes == 1 {
		return b.String()
	}
	// A pool of one connection for each pair: one link then is the whole of what two nodes have.
	say("cluster { name: chaos, listen: %q, advertise: %q, no_advertise: true, pool_size: -1, routes: [", n.routeAt, nowhere)
	for _, l := range n.out {
		say("  %q", "nats://"+l.Addr())
	}
	say("] }")
	return b.String()
}

// Connect gives a connection of its own, past all links.
func (b *Broker) Connect() (*nats.Conn, error) {
	var urls []string
	for _, n := range b.Nodes {
		urls = append(urls, "nats://"+n.At)
	}
	nc, err := nats.Connect(strings.Join(urls, ","), nats.Name("chaos"), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond),
		nats.RetryOnFailedConnect(true), nats.DontRandomize())
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	return nc, nil
}

// Ready waits until JetStream answers.
func (b *Broker) Ready(ctx context.Context) error {
	nc, err := b.Connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	return until(ctx, 30*time.Second, "JetStream answers", func() error {
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := js.AccountInfo(short)
		return err
	})
}

// Isolate cuts a node off from the others; clients still reach it. Rejoin ends that.
func (n *Node) Isolate() {
	for _, l := range append(append([]*fault.Link(nil), n.in...), n.out...) {
		l.Down()
	}
}

// Rejoin ends Isolate.
func (n *Node) Rejoin() {
	for _, l := range append(append([]*fault.Link(nil), n.in...), n.out...) {
		l.Up()
	}
}

// Node gives the node of a name, nil when there is none.
func (b *Broker) Node(name string) *Node {
	for _, n := range b.Nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// Close ends all nodes.
func (b *Broker) Close() error {
	var errs []error
	for _, n := range b.Nodes {
		if n.Process != nil {
			errs = append(errs, n.Process.Close())
		}
		for _, l := range n.out {
			errs = append(errs, l.Close())
		}
	}
	return errors.Join(errs...)
}
