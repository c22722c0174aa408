package queue

import (
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
)

// startCluster runs three servers on loopback and returns the address of one.
func startCluster(t *testing.T) string {
	t.Helper()
	const size = 3
	var routes []*url.URL
	ports := make([]int, size)
	for i := range ports {
		var err error
		if ports[i], err = toolbin.FreePort(); err != nil {
			t.Fatal(err)
		}
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", ports[i])})
	}
	servers := make([]*server.Server, size)
	for i := range servers {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
			StoreDir: t.TempDir(), NoSigs: true, NoLog: true, Routes: routes,
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: ports[i]},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		servers[i] = s
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
	}
	for _, s := range servers {
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("a server of the cluster does not start")
		}
	}
	return servers[0].ClientURL()
}

// A replicated stream refuses duplicates in another place than a single server does, and has
// another code for lost races.
func TestReplicatedQueueKeepsItsPromises(t *testing.T) {
	t.Parallel()
	top := testTopology()
	top.Replicas = 3
	q, err := Join(t.Context(), ConnectOptions{URL: startCluster(t), Wait: true}, top, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for i := range 10 {
				if err := q.Send(t.Context(), taskOf("ann", fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 4 {
		wg.Go(func() {
			for range 5 {
				incrementEntry(t, q)
			}
		})
	}
	wg.Wait()
	have, err := q.Subjects(t.Context(), streamJobs, ">")
	if err != nil || len(have) != 10 {
		t.Errorf("%d subjects, %v", len(have), err)
	}
	for subject, n := range have {
		if n != 1 {
			t.Errorf("%d messages of %s", n, subject)
		}
	}
	// A server that answers may not have the last writes yet. If one is lost, the deadline of the
	// test ends this.
	for value := ""; value != "20"; {
		for e, err := range q.Entries(t.Context(), bucketNotes, ">") {
			if err != nil || e.Key != "ann.1" {
				t.Fatalf("%s=%s, %v", e.Key, e.Value, err)
			}
			value = string(e.Value)
		}
	}
	l := acquire(t, q, "one", time.Minute)
	if isFree(t, q) {
		t.Error("two hold the lease")
	}
	if err := l.Release(t.Context()); err != nil || !isFree(t, q) {
		t.Errorf("the lease is not released: %v", err)
	}
}
