package pipeline

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// slip is a message that nobody sent. It notes what it was answered with.
type slip struct {
	jetstream.Msg
	data      string
	delivered uint64

	mu      sync.Mutex
	answers []string
}

func (s *slip) Data() []byte                    { return []byte(s.data) }
func (s *slip) Subject() string                 { return DefaultEvents }
func (s *slip) Headers() nats.Header            { return nil }
func (s *slip) InProgress() error               { return nil }
func (s *slip) Ack() error                      { return s.answer("ack") }
func (s *slip) DoubleAck(context.Context) error { return s.answer("ack") }
func (s *slip) NakWithDelay(time.Duration) error {
	return s.answer("nak")
}
func (s *slip) TermWithReason(string) error { return s.answer("term") }

func (s *slip) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{NumDelivered: max(s.delivered, 1)}, nil
}

func (s *slip) answer(a string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, a)
	return nil
}

// said is what it was answered with, "" when nothing yet.
func (s *slip) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.answers) > 1 {
		return fmt.Sprint("answered more than once: ", s.answers)
	}
	return fmt.Sprint(append(s.answers, "")[0])
}

// notificationOf tells of new objects, one record each.
func notificationOf(keys ...string) string {
	text := ""
	for i, key := range keys {
		if i > 0 {
			text += ","
		}
		text += awsRecord("ObjectCreated:Put", "drops", key)
	}
	return `{"Records":[` + text + `]}`
}

func slipOf(keys ...string) *slip { return &slip{data: notificationOf(keys...)} }

// startIntake gives an intake that is fed by hand, and ends with the test.
func startIntake(t *testing.T, w *Worker) *intake {
	t.Helper()
	tasks, err := w.js.Stream(t.Context(), StreamTake)
	if err != nil {
		t.Fatal(err)
	}
	in := w.newIntake(t.Context(), tasks)
	t.Cleanup(in.Close)
	return in
}

func (in *intake) inHand() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.hints
}

// beaten is how many messages are kept by heartbeats.
func (in *intake) beaten() int {
	in.held.mu.Lock()
	defer in.held.mu.Unlock()
	return len(in.held.open)
}

// settled waits until nothing is in hand and every inbox is forgotten, with whatever was known of its flood.
func (in *intake) settled(t *testing.T) {
	t.Helper()
	eventually(t, func() bool {
		in.mu.Lock()
		defer in.mu.Unlock()
		return in.hints == 0 && len(in.inboxes) == 0
	})
}
