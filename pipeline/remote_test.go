package pipeline

import (
	"context"
	"sync"
	"testing"

	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// natsServer is a NATS server on loopback, as a cluster of one.
func natsServer(t *testing.T) string {
	t.Helper()
	return natstest.Server(t, nil).ClientURL()
}

func TestSeparateWorkersImportWhatIsSubmittedToTheirCluster(t *testing.T) {
	t.Parallel()
	url := natsServer(t)
	d := testDeps(t)
	d.Limits.ShardItems = 3
	ended := make(chan telemetry.Event, 8)
	d.Observe = func(e telemetry.Event) {
		if e.Stage == telemetry.StageDone {
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
	for _, stage := range []string{telemetry.StageIngest, telemetry.StageExtract, telemetry.StageExtract, telemetry.StageAssemble} {
		nc, err := ConnectNATS(NATSOptions{URL: url, Name: "test-" + stage})
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		w, err := newImpatient(d, natstest.JetStream(t, nc))
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
		rec, err := TakeIn(ctx, d.Store, owner, []string{file}, d.Scratch)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Submit(ctx, state.Request{V: state.MessageVersion, Owner: owner, Drop: rec.Drop, Lane: state.LaneBulk}); err != nil {
			t.Fatal(err)
		}
	}
	for owners := map[string]bool{}; len(owners) < 2; {
		e := <-ended
		owners[e.Owner] = true
		r, ok, err := state.ReadReceipt(ctx, d.Store, e.Owner, e.Import)
		if err != nil || !ok || r.State != state.StateDone || r.Counts.Conversations != 20 || r.Extraction.Shards != 7 {
			t.Errorf("%s: %+v (%v)", e.Owner, r, err)
		}
	}
	for o, err := range d.Store.List(ctx, "work/") {
		t.Errorf("work is left behind: %s (%v)", o.Key, err)
	}
}
