package pipeline

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// send stores a message and returns when the server has it.
func send(ctx context.Context, js jetstream.Publisher, subject string, body []byte) error {
	msg := nats.NewMsg(subject)
	msg.Data = body
	if _, err := js.PublishMsg(ctx, msg); err != nil {
		return &Fault{Class: Outage, Err: fmt.Errorf("publish %s: %w", subject, err), Hint: "the work waits for NATS and goes on by itself; check that it is reachable and its streams are not full"}
	}
	return nil
}
