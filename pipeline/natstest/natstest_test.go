package natstest_test

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/natstest"
)

func TestAllMessagesOfTheStreamsAreCounted(t *testing.T) {
	js := natstest.JetStream(t, natstest.Connect(t, natstest.Server(t, nil).ClientURL()))
	for _, name := range []string{"ONE", "TWO", "EMPTY"} {
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, Storage: jetstream.MemoryStorage}); err != nil {
			t.Fatal(err)
		}
	}
	for _, subject := range []string{"ONE.a", "TWO.a", "TWO.b"} {
		if _, err := js.Publish(t.Context(), subject, nil); err != nil {
			t.Fatal(err)
		}
	}
	for want, streams := range map[uint64][]string{0: {"EMPTY"}, 1: {"ONE", "EMPTY"}, 3: {"ONE", "TWO", "EMPTY"}} {
		if n := natstest.CountMessages(t, js, streams...); n != want {
			t.Errorf("%v hold %d messages, want %d", streams, n, want)
		}
	}
}

func TestServersAreApart(t *testing.T) {
	named := func(name string) func(*server.Options) { return func(o *server.Options) { o.ServerName = name } }
	one, other := natstest.Server(t, named("one")), natstest.Server(t, named("other"))
	if one.Name() != "one" || other.Name() != "other" || one.ClientURL() == other.ClientURL() {
		t.Errorf("%s at %s, %s at %s", one.Name(), one.ClientURL(), other.Name(), other.ClientURL())
	}
	js := natstest.JetStream(t, natstest.Connect(t, one.ClientURL()))
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ONE"}); err != nil {
		t.Fatal(err)
	}
	away := natstest.JetStream(t, natstest.Connect(t, other.ClientURL()))
	for name := range away.StreamNames(t.Context()).Name() {
		t.Errorf("the other server has the stream %s", name)
	}
}
