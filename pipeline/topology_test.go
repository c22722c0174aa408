package pipeline

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestStreamsAreMadeOnceAndFoundAgainWithFewRequests(t *testing.T) {
	t.Parallel()
	js := bareBroker(t)
	if err := EnsureTopology(t.Context(), js, Topology{Verify: true}); err == nil || !strings.Contains(err.Error(), "nats.provision") {
		t.Errorf("a missing stream is not named with what to do: %v", err)
	}
	if err := EnsureTopology(t.Context(), js, Topology{}); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	if _, err := js.Conn().Subscribe("$JS.API.>", func(*nats.Msg) { asked.Add(1) }); err != nil {
		t.Fatal(err)
	}
	if err := EnsureTopology(t.Context(), js, Topology{Verify: true}); err != nil {
		t.Fatal(err)
	}
	if n := asked.Load(); n == 0 || n > 12 {
		t.Errorf("a start makes %d requests", n)
	}
	for _, b := range buckets() {
		if _, err := js.KeyValue(t.Context(), b.name); err != nil {
			t.Errorf("bucket %s: %v", b.name, err)
		}
	}
	kv, err := js.KeyValue(t.Context(), BucketTurns)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Create(t.Context(), "turn", nil, jetstream.KeyTTL(time.Minute)); err != nil {
		t.Errorf("keys do not expire: %v", err)
	}
}

func TestDriftIsRefusedAndNothingIsChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make  func(js jetstream.JetStream) error
		field string
	}{
		"retention": {func(js jetstream.JetStream) error {
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: StreamIngest, Subjects: []string{"pam.ingest.>"}, Discard: jetstream.DiscardNew})
			return err
		}, "stream PAM_INGEST: retention"},
		"subjects and discard policy": {func(js jetstream.JetStream) error {
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: StreamTake, Subjects: []string{"pam.take.small.>"}, Retention: jetstream.WorkQueuePolicy})
			return err
		}, "nats stream edit PAM_TAKE --subjects=pam.take.>"},
		"storage": {func(js jetstream.JetStream) error {
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: StreamDrops, Subjects: []string{"pam.drop.*.*"}, MaxMsgsPerSubject: 1, Storage: jetstream.MemoryStorage})
			return err
		}, "stream PAM_DROPS: storage"},
		"one letter for each unit": {func(js jetstream.JetStream) error {
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: StreamDLQ, Subjects: []string{"pam.dlq.>"}, Discard: jetstream.DiscardNew})
			return err
		}, "messages per subject"},
		"letters that make room for newer ones": {func(js jetstream.JetStream) error {
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: StreamDLQ, Subjects: []string{"pam.dlq.>"}, MaxMsgsPerSubject: 1})
			return err
		}, "nats stream edit PAM_DLQ --discard=new"},
		"work that grows old": {func(js jetstream.JetStream) error {
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: StreamExtract, Subjects: []string{"pam.extract.>"}, Retention: jetstream.WorkQueuePolicy,
				Discard: jetstream.DiscardNew, MaxAge: time.Hour})
			return err
		}, "age of messages"},
		"acknowledgement time": {func(js jetstream.JetStream) error {
			return EnsureTopology(t.Context(), js, Topology{AckWait: 2 * time.Minute})
		}, "acknowledgement time is 2m0s and must be 1m0s (nats.ack_wait"},
		"back-off and limit of deliveries": {func(js jetstream.JetStream) error {
			s := topology(Topology{})[3]
			if _, err := js.CreateStream(t.Context(), s.config(1)); err != nil {
				return err
			}
			c := s.consumers[0].config(DefaultAckWait)
			c.MaxDeliver, c.BackOff = 5, []time.Duration{time.Second, 2 * time.Second}
			_, err := js.CreateConsumer(t.Context(), s.name, c)
			return err
		}, "back-off"},
		"filter": {func(js jetstream.JetStream) error {
			s := topology(Topology{})[3]
			if _, err := js.CreateStream(t.Context(), s.config(1)); err != nil {
				return err
			}
			c := s.consumers[0].config(DefaultAckWait)
			c.FilterSubject = "pam.ingest.small.a.>"
			_, err := js.CreateConsumer(t.Context(), s.name, c)
			return err
		}, "filter is [pam.ingest.small.a.>] and must be pam.ingest.small.>"},
		"keys that do not expire": {func(js jetstream.JetStream) error {
			_, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: BucketTurns})
			return err
		}, "expiry of single keys"},
	} {
		t.Run(name, func(t *testing.T) {
			js := bareBroker(t)
			if err := c.make(js); err != nil {
				t.Fatal(err)
			}
			err := EnsureTopology(t.Context(), js, Topology{})
			if drift := (*DriftError)(nil); !errors.As(err, &drift) || !strings.Contains(err.Error(), c.field) {
				t.Errorf("got %v, want a refusal that names %q", err, c.field)
			}
			again := EnsureTopology(t.Context(), js, Topology{})
			if again == nil || again.Error() != err.Error() {
				t.Errorf("the second start says something else: %v", again)
			}
		})
	}
}

func TestWhatAnOperatorMayChooseIsLeftAlone(t *testing.T) {
	t.Parallel()
	js := bareBroker(t)
	for _, s := range topology(Topology{}) {
		c := s.config(1)
		c.Description, c.MaxBytes, c.Metadata, c.Duplicates = "ours", 64<<20, map[string]string{"team": "a"}, time.Minute
		if s.retention == jetstream.LimitsPolicy {
			c.MaxAge = 90 * 24 * time.Hour
		}
		if _, err := js.CreateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := EnsureTopology(t.Context(), js, Topology{}); err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.CachedInfo().Config; c.Description != "ours" || c.MaxAge == 0 || c.MaxBytes != 64<<20 {
		t.Errorf("it was changed: %+v", c)
	}
}

func TestMoreCopiesThanThereAreIsADifference(t *testing.T) {
	t.Parallel()
	js := bareBroker(t)
	if err := EnsureTopology(t.Context(), js, Topology{}); err != nil {
		t.Fatal(err)
	}
	if err := EnsureTopology(t.Context(), js, Topology{Replicas: 3}); err == nil || !strings.Contains(err.Error(), "replicas is 1 and must be at least 3") {
		t.Errorf("got %v", err)
	}
}

func TestTheStreamsOfAnOlderVersionInOnesOwnBrokerAreReplaced(t *testing.T) {
	t.Parallel()
	js := bareBroker(t)
	for _, c := range []jetstream.StreamConfig{
		{Name: StreamDLQ, Subjects: []string{"pam.dlq.>"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardOld},
		{Name: StreamAssemble, Subjects: []string{"pam.assemble.*.*"}, Retention: jetstream.InterestPolicy},
	} {
		if _, err := js.CreateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := send(t.Context(), js, "pam.dlq."+telemetry.StageIngest+".me."+state.Digest("1"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{time.Minute, 2 * time.Minute} {
		if err := EnsureTopology(t.Context(), js, Topology{own: true, AckWait: wait}); err != nil {
			t.Fatal(err)
		}
		if err := EnsureTopology(t.Context(), js, Topology{Verify: true, AckWait: wait}); err != nil {
			t.Errorf("it still differs: %v", err)
		}
	}
	if n := queuedIn(t, js, StreamDLQ); n != 1 {
		t.Errorf("%d letters are left of one", n)
	}
}

func TestServersThatLoseWorkAreRefused(t *testing.T) {
	for _, c := range []struct {
		version string
		cluster bool
		refused bool
	}{
		{"2.15.2", true, false}, {"2.14.0", true, false}, {"2.12.4", true, true}, {"2.12.4", false, false}, {"2.10.29", false, true},
		{"3.0.0-beta", true, false}, {"v2.9", false, true}, {"dev", true, false}, {"", false, false},
	} {
		if err := checkVersionOf(c.version, c.cluster); (err != nil) != c.refused {
			t.Errorf("%q in a cluster: %v: %v", c.version, c.cluster, err)
		}
	}
}
