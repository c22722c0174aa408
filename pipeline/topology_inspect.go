package pipeline

import (
	"cmp"
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// Inspection is how the streams of a cluster compare with what the workers rely on.
type Inspection struct {
	// Missing are the streams, consumers and buckets that are not there, as "stream PAM_INGEST". Of a stream's consumers the
	// first missing one is named.
	Missing []string
	Drift   []Difference
}

// InspectTopology looks at what EnsureTopology would look at, and changes nothing. An error is a server that is too old or
// does not answer.
func InspectTopology(ctx context.Context, js jetstream.JetStream, t Topology) (Inspection, error) {
	var found Inspection
	if err := checkServer(js.Conn()); err != nil {
		return found, err
	}
	have, err := streamsThere(ctx, js)
	if err != nil {
		return found, err
	}
	t.AckWait, t.Verify = cmp.Or(t.AckWait, DefaultAckWait), true
	for _, s := range topology(t) {
		info := have[s.name]
		if info == nil {
			found.Missing = append(found.Missing, "stream "+s.name)
			continue
		}
		found.Drift = append(found.Drift, s.differences(info.Config, t.Replicas)...)
		differs, err := ensureConsumers(ctx, js, t, s, info)
		if err := found.note(differs, err); err != nil {
			return found, err
		}
	}
	for _, b := range buckets() {
		differs, err := ensureBucket(ctx, js, t, b, have[b.stream()], 0)
		if err := found.note(differs, err); err != nil {
			return found, err
		}
	}
	return found, nil
}

func (i *Inspection) note(differs []Difference, err error) error {
	var m *missingError
	if errors.As(err, &m) {
		i.Missing = append(i.Missing, m.what)
		return nil
	}
	i.Drift = append(i.Drift, differs...)
	return err
}
