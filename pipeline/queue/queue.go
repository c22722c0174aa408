package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/queue/hints"
)

// Queue sends and consumes the tasks of a topology. It is safe for concurrent use.
type Queue struct {
	js jetstream.JetStream
	t  Topology
	o  Options
	// embedded: the queue ends with this process, so stopping need not be gentle.
	embedded bool
	close    func()
	// streams are handles by name. A handle stays valid when its stream is created again.
	streams sync.Map
}

// Options of a queue. The zero value works.
type Options struct {
	// Log receives failures that the queue handles itself; nil discards them.
	Log *zap.Logger
	// Tracer makes a span for each delivery; nil makes none. Traces are passed on either way.
	Tracer trace.Tracer
	// Backoff bounds the pauses during outages.
	Backoff Backoff
	// Drain is how long handlers may go on after their Consume was told to stop.
	Drain time.Duration
	// PullWait is how long a pull waits for a task; 0 means two seconds. An idle worker stops only
	// after it: a pull that is broken off may keep a task until its acknowledgement time.
	PullWait time.Duration
}

const defaultPullWait = 2 * time.Second

// New returns a queue on a JetStream whose topology exists (see [Ensure]).
func New(js jetstream.JetStream, t Topology, o Options) *Queue {
	o.Log, o.PullWait = orNop(o.Log), cmp.Or(o.PullWait, defaultPullWait)
	return &Queue{js: js, t: t, o: o, close: func() {}}
}

// JetStream is the connection below the queue, for diagnosis.
func (q *Queue) JetStream() jetstream.JetStream { return q.js }

// Close closes what [Join] or [OpenEmbedded] opened. Every Consume must have returned.
func (q *Queue) Close() { q.close() }

// AckWait is the acknowledgement time of the queue's consumers. No other worker gets a task sooner.
func (q *Queue) AckWait() time.Duration { return q.t.ackWait() }

// Repair creates streams, consumers and buckets that have disappeared, as a cluster that lost its
// storage leaves it. It returns the errors of [Ensure].
func (q *Queue) Repair(ctx context.Context) error { return classifyError(Ensure(ctx, q.js, q.t)) }

// Ready returns why the queue cannot be used now, or nil.
func (q *Queue) Ready(ctx context.Context) error {
	if nc := q.js.Conn(); !nc.IsConnected() { // a request would only time out
		return classifyError(fmt.Errorf("check NATS: %s", strings.ToLower(nc.Status().String())))
	}
	if len(q.t.Streams) == 0 {
		return nil
	}
	if _, err := q.js.Stream(ctx, q.t.Streams[0].Name); err != nil {
		return classifyError(fmt.Errorf("check NATS: stream %s: %w", q.t.Streams[0].Name, err))
	}
	return nil
}

// Lanes returns the number of lanes of a stream, 0 for a stream that the topology does not have.
func (q *Queue) Lanes(stream string) (n int) {
	s, err := q.t.stream(stream)
	if err != nil {
		return 0
	}
	for _, c := range s.Consumers {
		if !c.delayed {
			n++
		}
	}
	return n
}

// stream returns a stream of the topology by name.
func (t Topology) stream(name string) (Stream, error) {
	if i := slices.IndexFunc(t.Streams, func(s Stream) bool { return s.Name == name }); i >= 0 {
		return t.Streams[i], nil
	}
	return Stream{}, fmt.Errorf("open stream %s: it is not in the topology", name)
}

// openStream returns the handle of a stream, which takes a request only the first time.
func (q *Queue) openStream(ctx context.Context, name string) (jetstream.Stream, error) {
	if s, ok := q.streams.Load(name); ok {
		return s.(jetstream.Stream), nil
	}
	s, err := q.js.Stream(ctx, name)
	if err != nil {
		return nil, classifyError(fmt.Errorf("open stream %s: %w", name, err))
	}
	q.streams.Store(name, s)
	return s, nil
}

// classifyError makes an error of NATS an outage. The end of the caller's context stays what it is,
// and so does an error that waiting does not help.
func classifyError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || hints.MatchesType[*DriftError](err) || hints.MatchesType[*MissingError](err) {
		return err
	}
	return &fault.Fault{Class: fault.Outage, Err: err,
		Hint: "the work waits for NATS and goes on by itself; check that NATS is reachable and its streams are not full"}
}

// isLeaderless reports whether JetStream exists and cannot answer now, as during an election.
func isLeaderless(err error) bool {
	if hints.MatchesAny(jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount)(err) {
		return false
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code == 503 ||
		hints.MatchesAny(errUnsettled, context.DeadlineExceeded, nats.ErrTimeout, nats.ErrDisconnected, nats.ErrReconnectBufExceeded)(err)
}

// untilAnswered repeats a request while JetStream cannot answer.
func untilAnswered[T any](ctx context.Context, log *zap.Logger, b Backoff, request func() (T, error)) (T, error) {
	for try := 1; ; try++ {
		v, err := request()
		if err == nil || ctx.Err() != nil || !isLeaderless(err) {
			return v, err
		}
		log.Warn("JetStream does not answer; waiting for it", zap.Error(hints.RedactError(err)))
		if ended := waitFor(ctx, b.After(try)); ended != nil {
			return v, fmt.Errorf("wait for JetStream: %w", errors.Join(ended, err))
		}
	}
}
