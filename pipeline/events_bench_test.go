package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob/dir"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
	"github.com/pamline/pamline/providers"
)

// BenchmarkNotifications is how long one owner's drop waits for its task behind the notifications of another, who dropped as
// many archives at once, and how many owners with one notification each are seen to in a second.
func BenchmarkNotifications(b *testing.B) {
	for _, before := range []int{0, 2_000, 10_000} {
		b.Run(fmt.Sprintf("behind=%d", before), func(b *testing.B) {
			for range b.N {
				behindOneOwner(b, before)
			}
		})
	}
	b.Run("owners=2000", func(b *testing.B) {
		for range b.N {
			ownersAtOnce(b, 2_000)
		}
	})
}

func behindOneOwner(b *testing.B, before int) {
	b.StopTimer()
	n := newNotified(b)
	for i := range before {
		n.drop(b, "ann", i)
	}
	n.drop(b, "bob", 0)
	queued := make(chan *nats.Msg, 1)
	if _, err := n.nc.ChanSubscribe("pam.take.*.bob.*", queued); err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
	stop := n.run(b)
	<-queued
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/first")
	stop()
}

func ownersAtOnce(b *testing.B, owners int) {
	b.StopTimer()
	n := newNotified(b)
	for i := range owners {
		n.drop(b, fmt.Sprintf("owner%d", i), 0)
	}
	b.StartTimer()
	stop := n.run(b)
	for left := true; left; time.Sleep(5 * time.Millisecond) {
		s, err := n.js.Stream(b.Context(), StreamEvents)
		if err != nil {
			b.Fatal(err)
		}
		left = s.CachedInfo().State.Msgs > 0
	}
	b.StopTimer()
	b.ReportMetric(float64(owners)*float64(b.N)/b.Elapsed().Seconds(), "owners/s")
	stop()
}

// notified is a folder as store, and a broker that syncs every write.
type notified struct {
	Deps
	folder string
	nc     *nats.Conn
	js     jetstream.JetStream
}

func newNotified(b *testing.B) *notified {
	b.Helper()
	n := &notified{folder: b.TempDir()}
	store, err := dir.Open(n.folder)
	if err != nil {
		b.Fatal(err)
	}
	n.Deps = Deps{
		Store: store, Registry: providers.Default(), Extractors: builtin.Registry(), Log: zap.NewNop(), Scratch: b.TempDir(), Workers: 2,
		Now: time.Now, NewID: uuid.NewString, Attempts: 3, Backoff: Backoff{First: time.Millisecond, Max: 5 * time.Millisecond},
		Limits: state.Limits{MaxConversation: 256 << 20, ShardBytes: 8 << 20, ShardItems: 500, SortBudget: 8 << 20},
		Inbox:  Inbox{Bucket: "drops"},
	}
	broker, err := StartBroker(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(broker.Close)
	if n.nc, err = broker.Connect(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(n.nc.Close)
	if n.js, err = jetstream.New(n.nc, jetstream.WithPublishAsyncMaxPending(256)); err != nil {
		b.Fatal(err)
	}
	if err := EnsureTopology(b.Context(), n.js, Topology{}); err != nil {
		b.Fatal(err)
	}
	return n
}

// drop puts a file into the inbox as somebody else would, and tells of it.
func (n *notified) drop(b *testing.B, owner string, i int) {
	b.Helper()
	key := fmt.Sprintf("inbox/%s/export-%d.zip", owner, i)
	file := filepath.Join(n.folder, key)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
		b.Fatal(err)
	}
	if _, err := n.js.PublishAsync(DefaultEvents, []byte(`{"Records":[`+awsRecord("ObjectCreated:Put", "drops", key)+`]}`), jetstream.WithStallWait(time.Minute)); err != nil {
		b.Fatal(err)
	}
}

// run starts a worker that reads notifications and does nothing else, when all of them are stored.
func (n *notified) run(b *testing.B) (stop func()) {
	b.Helper()
	<-n.js.PublishAsyncComplete()
	w, err := newImpatient(n.Deps, n.js)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, telemetry.StageEvents) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}
