package probe

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline"
)

func startNATS(t *testing.T, change func(*server.Options)) string {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
	change(o)
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(5 * time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	return s.ClientURL()
}

func plain(*server.Options) {}

func broker1(t *testing.T, url string, topology pipeline.Topology) []Line {
	t.Helper()
	return run(t, Broker(pipeline.NATSOptions{URL: url}, topology, "0-1", time.Now))
}

// open gives JetStream of a server.
func open(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func TestAGoodServerPassesAndIsLeftAsItWas(t *testing.T) {
	url := startNATS(t, plain)
	lines := broker1(t, url, pipeline.Topology{})
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
	names := open(t, url).StreamNames(t.Context())
	for name := range names.Name() {
		t.Errorf("left behind: %s", name)
	}
	if err := names.Err(); err != nil {
		t.Error(err)
	}
}

func TestStreamsAreComparedAndNotChanged(t *testing.T) {
	url := startNATS(t, plain)
	js := open(t, url)
	if err := pipeline.EnsureTopology(t.Context(), js, pipeline.Topology{}); err != nil {
		t.Fatal(err)
	}
	if l := find(t, broker1(t, url, pipeline.Topology{Verify: true}), "streams, consumers and buckets"); l.State != OK {
		t.Errorf("%+v", l)
	}
	if err := js.DeleteStream(t.Context(), pipeline.StreamDLQ); err != nil {
		t.Fatal(err)
	}
	if l := find(t, broker1(t, url, pipeline.Topology{Verify: true}), "streams, consumers and buckets"); l.State != Fail || !strings.Contains(l.Why, pipeline.StreamDLQ) || l.Do == "" {
		t.Errorf("%+v", l)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: pipeline.StreamDLQ, Subjects: []string{"pam.dlq.>"}, Retention: jetstream.WorkQueuePolicy}); err != nil {
		t.Fatal(err)
	}
	if l := find(t, broker1(t, url, pipeline.Topology{}), "stream "+pipeline.StreamDLQ); l.State != Fail || !strings.Contains(l.Why, "must be") {
		t.Errorf("%+v", l)
	}
}

func TestServerWithoutJetStreamSaysSo(t *testing.T) {
	l := find(t, broker1(t, startNATS(t, func(o *server.Options) { o.JetStream = false }), pipeline.Topology{}), "ask JetStream")
	if l.State != Fail || !strings.Contains(l.Why, "jetstream {}") {
		t.Errorf("%+v", l)
	}
}

func TestRequestThatIsNotAllowedIsNamed(t *testing.T) {
	url := startNATS(t, func(o *server.Options) {
		account := server.NewAccount("A")
		o.Accounts = []*server.Account{account}
		o.NoAuthUser = "guest"
		o.Users = []*server.User{{Username: "guest", Password: "x", Account: account, Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$JS.API.>"}}}}}
	})
	l := find(t, broker1(t, url, pipeline.Topology{}), "ask JetStream")
	if l.State != Fail || !strings.Contains(l.Why, "$JS.API.") || !strings.Contains(l.Why, "allow it") {
		t.Errorf("%+v", l)
	}
}

func TestSmallPayloadIsRefused(t *testing.T) {
	l := find(t, broker1(t, startNATS(t, func(o *server.Options) { o.MaxPayload = 1024 }), pipeline.Topology{}), "largest message")
	if l.State != Fail || !strings.Contains(l.Do, "max_payload") {
		t.Errorf("%+v", l)
	}
}
