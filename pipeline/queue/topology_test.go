package queue

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestStreamsAreCreatedOnceAndFoundAgainWithFewRequests(t *testing.T) {
	t.Parallel()
	js := bareJetStream(t)
	top := testTopology()
	verify := top
	verify.Verify = true
	if err := Ensure(t.Context(), js, verify); err == nil || !hasAll(err.Error(), "nats.provision", "stream JOBS", "stream DIARY", "bucket LEASES") {
		t.Errorf("what is missing is not named with what to do: %v", err)
	}
	if err := Ensure(t.Context(), js, top); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	if _, err := js.Conn().Subscribe("$JS.API.>", func(*nats.Msg) { asked.Add(1) }); err != nil {
		t.Fatal(err)
	}
	if err := js.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	if err := Ensure(t.Context(), js, verify); err != nil {
		t.Fatal(err)
	}
	// The list of streams, and two requests for each stream with consumers.
	if n := asked.Load(); n == 0 || n > 7 {
		t.Errorf("a start makes %d requests", n)
	}
	kv, err := js.KeyValue(t.Context(), bucketLeases)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Create(t.Context(), "lease", nil, jetstream.KeyTTL(time.Minute)); err != nil {
		t.Errorf("keys do not expire: %v", err)
	}
}

func TestMissingConsumerIsNamed(t *testing.T) {
	t.Parallel()
	js := bareJetStream(t)
	top := testTopology()
	if err := Ensure(t.Context(), js, top); err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteConsumer(t.Context(), streamJobs, "jobs-bulk"); err != nil {
		t.Fatal(err)
	}
	found, err := Inspect(t.Context(), js, top)
	if err != nil || len(found.Drift) != 0 || strings.Join(found.Missing, ";") != "consumer jobs-bulk of JOBS" {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err = Inspect(t.Context(), js, top); err != nil || len(found.Missing) != 1 {
		t.Errorf("an inspection changed something: %+v, %v", found, err)
	}
	if err := Ensure(t.Context(), js, top); err != nil {
		t.Fatal(err)
	}
	if found, err = Inspect(t.Context(), js, top); err != nil || len(found.Missing) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestDriftIsRefusedAndNothingIsChanged(t *testing.T) {
	t.Parallel()
	top := testTopology()
	jobs, diary := top.Streams[1], top.Streams[3]
	stream := func(s Stream, change func(*jetstream.StreamConfig)) func(jetstream.JetStream) error {
		return func(js jetstream.JetStream) error {
			c := s.config(top, 1)
			change(&c)
			_, err := js.CreateStream(t.Context(), c)
			return err
		}
	}
	consumer := func(change func(*jetstream.ConsumerConfig)) func(jetstream.JetStream) error {
		return func(js jetstream.JetStream) error {
			if _, err := js.CreateStream(t.Context(), jobs.config(top, 1)); err != nil {
				return err
			}
			c := jobs.Consumers[0].config(top)
			change(&c)
			_, err := js.CreateConsumer(t.Context(), jobs.Name, c)
			return err
		}
	}
	for name, c := range map[string]struct {
		make  func(jetstream.JetStream) error
		words string
	}{
		"retention": {stream(jobs, func(c *jetstream.StreamConfig) { c.Retention = jetstream.LimitsPolicy }),
			"stream JOBS: retention is Limits and must be WorkQueue: it cannot be changed"},
		"subjects": {stream(jobs, func(c *jetstream.StreamConfig) { c.Subjects = []string{"pam.jobs.small.>"} }),
			"nats stream edit JOBS --subjects=pam.jobs.>"},
		"storage": {stream(jobs, func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }),
			"stream JOBS: storage is Memory and must be File"},
		"many messages of one subject": {stream(jobs, func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject, c.DiscardNewPerSubject = 0, false }),
			"nats stream edit JOBS --max-msgs-per-subject=1"},
		"newer tasks replace older ones": {stream(jobs, func(c *jetstream.StreamConfig) { c.DiscardNewPerSubject = false }),
			"nats stream edit JOBS --discard-per-subject"},
		"old tasks make room": {stream(jobs, func(c *jetstream.StreamConfig) { c.Discard, c.DiscardNewPerSubject = jetstream.DiscardOld, false }),
			"nats stream edit JOBS --discard=new"},
		"a log that refuses": {stream(diary, func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardNew }),
			"nats stream edit DIARY --discard=old"},
		"tasks that expire": {stream(jobs, func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }), "age of messages"},
		"small messages":    {stream(jobs, func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1 << 10 }), "--max-msg-size=-1"},
		"few consumers":     {stream(jobs, func(c *jetstream.StreamConfig) { c.MaxConsumers = 2 }), "number of consumers"},
		"no acknowledgement": {stream(jobs, func(c *jetstream.StreamConfig) { c.NoAck = true }),
			"acknowledgement of published messages"},
		"subject transform": {stream(jobs, func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: "pam.jobs.>", Destination: "pam.jobs.>"}
		}), "--no-transform"},
		"acknowledgement time": {consumer(func(c *jetstream.ConsumerConfig) { c.AckWait = 2 * time.Minute }),
			"acknowledgement time is 2m0s and must be 1m0s (nats.ack_wait"},
		"back-off": {consumer(func(c *jetstream.ConsumerConfig) {
			c.MaxDeliver, c.BackOff = 5, []time.Duration{time.Second, 2 * time.Second}
		}),
			"back-off is [1s 2s] and must be none"},
		"limit of deliveries": {consumer(func(c *jetstream.ConsumerConfig) { c.MaxDeliver = 5 }), "--max-deliver=-1"},
		"filter": {consumer(func(c *jetstream.ConsumerConfig) { c.FilterSubject = "pam.jobs.small.a.>" }),
			"filter is [pam.jobs.small.a.>] and must be pam.jobs.small.>"},
		"places":  {consumer(func(c *jetstream.ConsumerConfig) { c.MaxAckPending = 1 }), "--max-pending=64"},
		"headers": {consumer(func(c *jetstream.ConsumerConfig) { c.HeadersOnly = true }), "--no-headers-only"},
		"idle":    {consumer(func(c *jetstream.ConsumerConfig) { c.InactiveThreshold = time.Hour }), "expiry when idle"},
		"pulls":   {consumer(func(c *jetstream.ConsumerConfig) { c.MaxRequestBatch = 10 }), "--max-pull-batch=0"},
		"keys that do not expire": {func(js jetstream.JetStream) error {
			_, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: bucketLeases})
			return err
		}, "expiry of single keys"},
		"history of keys": {func(js jetstream.JetStream) error {
			_, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: bucketNotes, History: 5})
			return err
		}, "key-value bucket NOTES: history is 5 and must be 1"},
	} {
		t.Run(name, func(t *testing.T) {
			js := bareJetStream(t)
			if err := c.make(js); err != nil {
				t.Fatal(err)
			}
			err := Ensure(t.Context(), js, top)
			if drift := (*DriftError)(nil); !errors.As(err, &drift) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %v, want a refusal that says %q", err, c.words)
			}
			if again := Ensure(t.Context(), js, top); again == nil || again.Error() != err.Error() {
				t.Errorf("the second start says something else: %v", again)
			}
		})
	}
}

func TestSettingsOfAnOperatorAreLeftAlone(t *testing.T) {
	t.Parallel()
	js := bareJetStream(t)
	top := testTopology()
	for _, s := range top.Streams {
		c := s.config(top, 1)
		c.Description, c.MaxBytes, c.Metadata, c.Duplicates = "ours", 64<<20, map[string]string{"team": "a"}, time.Minute
		if s.Kind == Log {
			c.MaxAge = 90 * 24 * time.Hour
		}
		if _, err := js.CreateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := Ensure(t.Context(), js, top); err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), "DIARY")
	if err != nil {
		t.Fatal(err)
	}
	if c := s.CachedInfo().Config; c.Description != "ours" || c.MaxAge == 0 || c.MaxBytes != 64<<20 {
		t.Errorf("it was changed: %+v", c)
	}
}

func TestFewerReplicasThanConfiguredAreADifference(t *testing.T) {
	t.Parallel()
	js := bareJetStream(t)
	top := testTopology()
	if err := Ensure(t.Context(), js, top); err != nil {
		t.Fatal(err)
	}
	top.Replicas = 3
	if err := Ensure(t.Context(), js, top); err == nil || !strings.Contains(err.Error(), "replicas is 1 and must be at least 3") {
		t.Errorf("got %v", err)
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
		if err := checkVersion(c.version, c.cluster); (err != nil) != c.refused {
			t.Errorf("%q in a cluster: %v: %v", c.version, c.cluster, err)
		}
	}
}

// While the servers of a cluster come up, some are missing: a worker waits for them. A single
// server will never have what it lacks.
func TestWorkerWaitsForTheServersThatItsStreamsNeed(t *testing.T) {
	t.Parallel()
	noPeers := &jetstream.APIError{Code: 400, ErrorCode: 10005, Description: "no suitable peers for placement"}
	asked := 0
	for replicas, waits := range map[int]bool{1: false, 3: true} {
		_, err := findOrCreate(&comparison{create: true, replicas: replicas}, "stream X",
			func() (jetstream.Stream, error) { asked++; return nil, jetstream.ErrStreamNotFound },
			func() (jetstream.Stream, error) { return nil, noPeers })
		if isLeaderless(err) != waits || !errors.Is(err, noPeers) {
			t.Errorf("%d replicas: %v", replicas, err)
		}
	}
	if asked != 1 {
		t.Errorf("%d servers were asked whether they have the stream, want the cluster only", asked)
	}
}
