package deploy_test

import (
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/queue"
)

type scaledObject struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Target struct {
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		Min      int `json:"minReplicaCount"`
		Max      int `json:"maxReplicaCount"`
		Cooldown int `json:"cooldownPeriod"`
		Fallback *struct {
			Replicas int `json:"replicas"`
		} `json:"fallback"`
		Triggers []struct {
			Type     string            `json:"type"`
			Metadata map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// consumers are those that the pipeline makes, by stream.
func consumers(t *testing.T) map[string][]string {
	t.Helper()
	q, err := queue.OpenEmbedded(t.Context(), dispatch.Topology(dispatch.TopologyOptions{}), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	js := q.JetStream()
	out := map[string][]string{}
	streams := js.StreamNames(t.Context())
	for name := range streams.Name() {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = nil
		list := s.ConsumerNames(t.Context())
		for c := range list.Name() {
			out[name] = append(out[name], c)
		}
		if list.Err() != nil {
			t.Fatal(list.Err())
		}
	}
	if streams.Err() != nil {
		t.Fatal(streams.Err())
	}
	return out
}

func TestScalingLooksAtEveryQueueOfAWorker(t *testing.T) {
	have, looked := consumers(t), map[string][]string{}
	for _, o := range objects(t, "ScaledObject") {
		s := decode[scaledObject](t, o)
		name := s.Metadata.Name
		if s.Spec.Target.Name != name || s.Spec.Min < 1 || s.Spec.Max <= s.Spec.Min || s.Spec.Cooldown < 300 {
			t.Errorf("%s: %+v", name, s.Spec)
		}
		for _, tr := range s.Spec.Triggers {
			if tr.Type != "nats-jetstream" {
				continue
			}
			stream, consumer := tr.Metadata["stream"], tr.Metadata["consumer"]
			if !slices.Contains(have[stream], consumer) {
				t.Errorf("%s: the stream %s has no consumer %s, it has %v: KEDA would scale to the maximum", name, stream, consumer, have[stream])
			}
			if n, err := strconv.Atoi(tr.Metadata["lagThreshold"]); err != nil || n < 1 || tr.Metadata["account"] != "$G" || s.Spec.Fallback == nil || s.Spec.Fallback.Replicas < 1 {
				t.Errorf("%s: %v, %v", name, tr.Metadata, err)
			}
			looked[stream] = append(looked[stream], consumer)
		}
	}
	for _, stream := range []string{dispatch.StreamEvents, dispatch.StreamTake, dispatch.StreamIngest, dispatch.StreamExtract} {
		// In the waiting room nothing can be done yet, and more workers would not help.
		have[stream] = slices.DeleteFunc(have[stream], func(c string) bool { return strings.HasSuffix(c, "-wait") })
		slices.Sort(have[stream])
		slices.Sort(looked[stream])
		if !slices.Equal(have[stream], looked[stream]) {
			t.Errorf("%s has the consumers %v, and %v are looked at", stream, have[stream], looked[stream])
		}
	}
}

func TestStreamsAndBucketsThatAreNamedExist(t *testing.T) {
	have, named := consumers(t), regexp.MustCompile(`\bPAM_[A-Z]+\b`)
	for _, path := range append(files(t, ".yaml", ".json", ".md", ".service"), manual) {
		for _, name := range named.FindAllString(read(t, path), -1) {
			_, stream := have[name]
			if _, bucket := have["KV_"+name]; !stream && !bucket {
				t.Errorf("%s: there is no stream or bucket %s", path, name)
			}
		}
	}
}

// monitoring is the port that KEDA asks NATS at.
func monitoring(t *testing.T) int {
	t.Helper()
	found := 0
	for _, o := range objects(t, "ScaledObject") {
		for _, tr := range decode[scaledObject](t, o).Spec.Triggers {
			endpoint, ok := tr.Metadata["natsServerMonitoringEndpoint"]
			if !ok {
				continue
			}
			host, p, err := net.SplitHostPort(endpoint)
			if err != nil {
				t.Fatal(err)
			}
			// On a cluster KEDA puts the server's name before the host.
			if host != "nats-headless.pamline.svc.cluster.local" {
				t.Errorf("KEDA asks %s", host)
			}
			if found, err = strconv.Atoi(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	return found
}
