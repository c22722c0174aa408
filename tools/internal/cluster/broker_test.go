package cluster

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
	"github.com/pamline/pamline/pipeline/natstest"
)

func startNodes(t *testing.T, nodes int) *Broker {
	t.Helper()
	root, err := toolbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := toolbin.NATSServer.Build(root)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no NATS server to test with: %v", err)
	}
	b, err := startBroker(t.Context(), Options{Folder: t.TempDir(), Nodes: nodes}, binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// at connects to one node and to no other.
func at(t *testing.T, n *Node) jetstream.JetStream {
	t.Helper()
	return natstest.JetStream(t, natstest.Connect(t, "nats://"+n.At, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond)))
}

// publish asks once and gives up after a while: a node that is cut off never answers. It is for
// what is tried again and again.
func publish(ctx context.Context, js jetstream.JetStream) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := js.Publish(ctx, "x", []byte("x"))
	return err
}

func TestNodeThatIsCutOffDecidesNothing(t *testing.T) {
	b := startNodes(t, 3)
	alone, among := at(t, b.Nodes[0]), at(t, b.Nodes[1])
	if err := until(t.Context(), 5*time.Minute, "there is a stream of three", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := among.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}, Replicas: 3})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	stored := func(js jetstream.JetStream) func() error { return func() error { return publish(t.Context(), js) } }
	if err := until(t.Context(), 5*time.Minute, "a message through the first node is stored", stored(alone)); err != nil {
		t.Fatal(err)
	}
	b.Nodes[0].Isolate()
	if err := until(t.Context(), 5*time.Minute, "the other two store messages", stored(among)); err != nil {
		t.Error(err)
	}
	if err := publish(t.Context(), alone); err == nil {
		t.Error("the node that is cut off stored a message")
	}
	b.Nodes[0].Rejoin()
	if err := until(t.Context(), 5*time.Minute, "the first node is back", stored(alone)); err != nil {
		t.Error(err)
	}
}

func TestKilledNodeHasWhatItAcknowledged(t *testing.T) {
	b := startNodes(t, 1)
	js := at(t, b.Nodes[0])
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	const messages = 20
	for range messages {
		if _, err := js.Publish(t.Context(), "x", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	b.Nodes[0].Kill()
	if b.Nodes[0].Running() {
		t.Error("it runs after a kill")
	}
	if err := errors.Join(b.Nodes[0].Start(), b.Ready(t.Context())); err != nil {
		t.Fatal(err)
	}
	var s jetstream.Stream
	if err := until(t.Context(), 5*time.Minute, "the connection is back", func() (err error) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		s, err = js.Stream(ctx, "X")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n != messages {
		t.Errorf("%d messages of %d", n, messages)
	}
}
