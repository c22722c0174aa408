package pipeline

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// natsServer is a NATS server on loopback, as a cluster of one.
func natsServer(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
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

func TestSeparateWorkersImportWhatIsSubmittedToTheirCluster(t *testing.T) {
	t.Parallel()
	url := natsServer(t)
	d := testDeps(t)
	d.Limits.ShardItems = 3
	ended := make(chan Event, 8)
	d.Observe = func(e Event) {
		if e.Stage == StageDone {
			ended <- e
		}
	}
	remote, err := OpenRemote(t.Context(), d.Store, NATSOptions{URL: url, Name: "test"}, Topology{})
	if err != nil {
		t.Fatal(err)
	}
	defer remote.Close()

	ctx, cancel := context.WithCancel(context.Background())
	var workers sync.WaitGroup
	for _, stage := range []string{StageIngest, StageExtract, StageExtract, StageAssemble} {
		nc, err := ConnectNATS(NATSOptions{URL: url, Name: "test-" + stage})
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		w, err := newImpatient(d, js)
		if err != nil {
			t.Fatal(err)
		}
		workers.Go(func() {
			if err := w.Run(ctx, stage); err != nil {
				t.Error(err)
			}
		})
	}
	defer workers.Wait()
	defer cancel()

	file := zipOf(t, map[string]string{"conversations.json": manyConversations(20)})
	for _, owner := range []string{"ann", "bob"} {
		rec, err := TakeIn(ctx, d.Store, owner, []string{file}, d.Limits.Archive, d.Scratch)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Submit(ctx, Request{V: MessageVersion, Owner: owner, Drop: rec.Drop, Lane: LaneBulk}); err != nil {
			t.Fatal(err)
		}
	}
	for owners := map[string]bool{}; len(owners) < 2; {
		e := <-ended
		owners[e.Owner] = true
		r, ok, err := ReadReceipt(ctx, d.Store, e.Owner, e.Import)
		if err != nil || !ok || r.State != StateDone || r.Counts.Conversations != 20 || r.Extraction.Shards != 7 {
			t.Errorf("%s: %+v (%v)", e.Owner, r, err)
		}
	}
	for o, err := range d.Store.List(ctx, "work/") {
		t.Errorf("work is left behind: %s (%v)", o.Key, err)
	}
}
