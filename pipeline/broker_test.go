package pipeline

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/natstest"
)

// broker is an embedded one of the test's own, with its streams.
func broker(t *testing.T) jetstream.JetStream {
	t.Helper()
	js := bareBroker(t)
	if err := EnsureTopology(t.Context(), js, Topology{}); err != nil {
		t.Fatal(err)
	}
	return js
}

// bareBroker is one without streams.
func bareBroker(t *testing.T) jetstream.JetStream {
	t.Helper()
	b, err := StartBroker(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	nc, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		nc.Close()
		b.Close()
	})
	return natstest.JetStream(t, nc)
}
