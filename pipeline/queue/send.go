package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Send returns when the server has stored the task. A task of the same subject that already waits
// or is being handled stands for this one, and Send succeeds. The trace of ctx goes along. An error
// of NATS is a fault of class Outage.
func (q *Queue) Send(ctx context.Context, t Task) error {
	if err := t.check(); err != nil {
		return err
	}
	subject, err := q.fairSubject(ctx, t.Subject)
	if err != nil {
		return err
	}
	return q.publish(ctx, t.message(subject))
}

// SendAfter is [Queue.Send] for a task that enters its lane after a delay, counted by the server.
func (q *Queue) SendAfter(ctx context.Context, t Task, delay time.Duration) error {
	if err := t.check(); err != nil {
		return err
	}
	if !q.t.canDelay(t.Subject) {
		return fmt.Errorf("send task %s after a delay: its stream has no consumer of delayed copies", t.Subject)
	}
	return q.publish(ctx, delayedCopy(t.message(t.Subject), delay, 0))
}

// publish stores a message within the trace of ctx.
func (q *Queue) publish(ctx context.Context, msg *nats.Msg) error {
	ctx, end := startPublish(ctx, msg)
	_, err := q.store(ctx, msg)
	end(err)
	return err
}

// store stores a message as it is. stored is false if the stream held one of its subject before.
func (q *Queue) store(ctx context.Context, msg *nats.Msg) (stored bool, err error) {
	_, err = q.js.PublishMsg(ctx, msg)
	if isDuplicate(err) {
		return false, nil
	}
	if err != nil {
		return false, classifyError(fmt.Errorf("publish to %s: %w", msg.Subject, err))
	}
	return true, nil
}

// isDuplicate reports whether a stream refused a message because it holds one of the same subject.
// The server has one code for all refusals of a full stream, so only its text tells them apart.
func isDuplicate(err error) bool {
	const codeStoreFailed = 10077
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == codeStoreFailed &&
		strings.Contains(api.Description, "messages per subject")
}
