package queue

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// A process that joins a cluster while another creates the streams must wait for the servers to
// agree, and not end.
func TestWhatAClusterDoesNotKnowYetIsWaitedFor(t *testing.T) {
	t.Parallel()
	missing := func() (jetstream.Stream, error) { return nil, jetstream.ErrStreamNotFound }
	for name, create := range map[string]func() (jetstream.Stream, error){
		"created, then not found":    missing,
		"in use, then not found":     func() (jetstream.Stream, error) { return nil, jetstream.ErrStreamNameAlreadyInUse },
		"a bucket of another worker": func() (jetstream.Stream, error) { return nil, jetstream.ErrBucketExists },
	} {
		c := &comparison{create: true, replicas: 3}
		if _, err := findOrCreate(c, "bucket B", missing, create); !isLeaderless(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := &comparison{create: true, replicas: 3}
	refused := errors.New("no room")
	if _, err := findOrCreate(c, "bucket B", missing, func() (jetstream.Stream, error) { return nil, refused }); !errors.Is(err, refused) || isLeaderless(err) {
		t.Errorf("a refusal is waited for: %v", err)
	}
	if _, err := findOrCreate(&comparison{}, "bucket B", missing, missing); err != nil {
		t.Errorf("a comparison that creates nothing fails: %v", err)
	}
}
