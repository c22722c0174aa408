package queue

import (
	"context"
	"fmt"
)

// Depth is the number of messages of one consumer.
type Depth struct {
	Stream   string
	Consumer string
	// Waiting messages have not been delivered.
	Waiting uint64
	// InFlight messages have been delivered and not acknowledged. Delayed copies that wait are in
	// flight: the server counts their delay.
	InFlight uint64
	// Delayed: the consumer is that of delayed copies.
	Delayed bool
}

// Depths returns the depth of each consumer, with one request for each stream. The consumers of a
// stream are read one after the other, so a delayed copy that returns meanwhile may not be counted.
func (q *Queue) Depths(ctx context.Context) ([]Depth, error) {
	var out []Depth
	for _, s := range q.t.Streams {
		if len(s.Consumers) == 0 {
			continue
		}
		delayed, _ := s.delayed()
		stream, err := q.openStream(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		list := stream.ListConsumers(ctx)
		for c := range list.Info() {
			out = append(out, Depth{
				Stream: s.Name, Consumer: c.Name, Waiting: c.NumPending,
				InFlight: uint64(max(c.NumAckPending, 0)), Delayed: c.Name == delayed.Name, //nolint:gosec // a count
			})
		}
		if err := list.Err(); err != nil {
			return nil, classifyError(fmt.Errorf("list consumers of %s: %w", s.Name, err))
		}
	}
	return out, nil
}
