package probe

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/queue"
)

func broker1(t *testing.T, url string, topology dispatch.TopologyOptions) []Line {
	t.Helper()
	return run(t, Broker(queue.ConnectOptions{URL: url}, dispatch.Topology(topology), "0-1", time.Now))
}

func TestAGoodServerPassesAndIsLeftAsItWas(t *testing.T) {
	url := natstest.Server(t, nil).ClientURL()
	lines := broker1(t, url, dispatch.TopologyOptions{})
	for _, l := range lines {
		if l.State == Fail || l.State == Warn {
			t.Errorf("%+v", l)
		}
	}
	for _, what := range []string{"acknowledge it", "refuse a message under a condition that does not hold", "see the key expire", "compare the message server's clock with that of this machine"} {
		if l := find(t, lines, what); l.State != OK {
			t.Errorf("%+v", l)
		}
	}
	if l := find(t, lines, "streams, consumers and buckets"); l.State != Note || !strings.Contains(l.Why, "will make: stream PAM_DROPS") {
		t.Errorf("%+v", l)
	}
	names := natstest.JetStream(t, natstest.Connect(t, url)).StreamNames(t.Context())
	for name := range names.Name() {
		t.Errorf("left behind: %s", name)
	}
	if err := names.Err(); err != nil {
		t.Error(err)
	}
}

func TestStreamsAreComparedAndNotChanged(t *testing.T) {
	url := natstest.Server(t, nil).ClientURL()
	js := natstest.JetStream(t, natstest.Connect(t, url))
	if err := queue.Ensure(t.Context(), js, dispatch.Topology(dispatch.TopologyOptions{})); err != nil {
		t.Fatal(err)
	}
	if l := find(t, broker1(t, url, dispatch.TopologyOptions{Verify: true}), "streams, consumers and buckets"); l.State != OK {
		t.Errorf("%+v", l)
	}
	if err := js.DeleteStream(t.Context(), dispatch.StreamDrops); err != nil {
		t.Fatal(err)
	}
	if l := find(t, broker1(t, url, dispatch.TopologyOptions{Verify: true}), "streams, consumers and buckets"); l.State != Fail || !strings.Contains(l.Why, dispatch.StreamDrops) || l.Do == "" {
		t.Errorf("%+v", l)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: dispatch.StreamDrops, Subjects: []string{"pam.drop.>"}, Retention: jetstream.WorkQueuePolicy}); err != nil {
		t.Fatal(err)
	}
	if l := find(t, broker1(t, url, dispatch.TopologyOptions{}), "stream "+dispatch.StreamDrops); l.State != Fail || !strings.Contains(l.Why, "must be") {
		t.Errorf("%+v", l)
	}
}

func TestServerWithoutJetStreamSaysSo(t *testing.T) {
	l := find(t, broker1(t, natstest.Server(t, func(o *server.Options) { o.JetStream = false }).ClientURL(), dispatch.TopologyOptions{}), "ask JetStream")
	if l.State != Fail || !strings.Contains(l.Why, "jetstream {}") {
		t.Errorf("%+v", l)
	}
}

func TestRequestThatIsNotAllowedIsNamed(t *testing.T) {
	url := natstest.Server(t, func(o *server.Options) {
		account := server.NewAccount("A")
		o.Accounts = []*server.Account{account}
		o.NoAuthUser = "guest"
		o.Users = []*server.User{{Username: "guest", Password: "x", Account: account, Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$JS.API.>"}}}}}
	}).ClientURL()
	l := find(t, broker1(t, url, dispatch.TopologyOptions{}), "ask JetStream")
	if l.State != Fail || !strings.Contains(l.Why, "$JS.API.") || !strings.Contains(l.Why, "allow it") {
		t.Errorf("%+v", l)
	}
}

func TestSmallPayloadIsRefused(t *testing.T) {
	l := find(t, broker1(t, natstest.Server(t, func(o *server.Options) { o.MaxPayload = 1024 }).ClientURL(), dispatch.TopologyOptions{}), "largest message")
	if l.State != Fail || !strings.Contains(l.Do, "max_payload") {
		t.Errorf("%+v", l)
	}
}
