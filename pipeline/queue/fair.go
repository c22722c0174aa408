package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// FairLane limits how many tasks of one owner, the fourth token of a subject, wait in a lane. Tasks
// beyond the limit go to another lane. An owner with ten thousand tasks, or with ten thousand that
// fail, then fills that lane, and the tasks of other owners do not wait behind them. Senders that
// count at the same moment may exceed the limit by a few, which does no harm.
type FairLane struct {
	Lane     string
	Overflow string
	Limit    int
}

// fairSubject returns the subject under which a task enters its stream.
func (q *Queue) fairSubject(ctx context.Context, subject string) (string, error) {
	s, ok := q.t.streamOf(subject)
	if !ok || s.Fair == nil || s.Fair.Lane != tokenAt(subject, tokenLane) {
		return subject, nil
	}
	owner := tokenAt(subject, tokenOwner)
	lane := tokenAt(subject, 0) + "." + tokenAt(subject, tokenKind) + "." + s.Fair.Lane
	waiting, err := q.Subjects(ctx, s.Name, lane+"."+owner+".>")
	if err != nil {
		return "", err
	}
	if _, there := waiting[subject]; !there && len(waiting) >= s.Fair.Limit {
		return withLane(subject, s.Fair.Overflow), nil
	}
	return subject, nil
}

// streamOf returns the stream that stores a subject.
func (t Topology) streamOf(subject string) (Stream, bool) {
	for _, s := range t.Streams {
		if slices.ContainsFunc(s.Subjects, func(filter string) bool { return matchesFilter(filter, subject) }) {
			return s, true
		}
	}
	return Stream{}, false
}

// matchesFilter reports whether a filter with wildcards selects a subject.
func matchesFilter(filter, subject string) bool {
	want, have := strings.Split(filter, "."), strings.Split(subject, ".")
	for i, token := range want {
		switch {
		case i >= len(have):
			return false
		case token == ">":
			return true
		case token != "*" && token != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}

// Subjects returns the subjects below a filter that a stream holds, with the number of messages of
// each: waiting, in flight, or delayed if the filter includes the lane of delayed copies. It takes
// one request for 100,000 subjects.
func (q *Queue) Subjects(ctx context.Context, stream, filter string) (map[string]uint64, error) {
	s, err := q.openStream(ctx, stream)
	if err != nil {
		return nil, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, classifyError(fmt.Errorf("list subjects of stream %s: %w", stream, err))
	}
	return info.State.Subjects, nil
}
