package pipeline

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// send stores a message and returns when the server has it.
func send(ctx context.Context, js jetstream.Publisher, subject string, body []byte) error {
	ctx, span := telemetry.Publishing(ctx, subject)
	msg := nats.NewMsg(subject)
	msg.Data = body
	telemetry.Inject(ctx, msg)
	_, err := js.PublishMsg(ctx, msg)
	telemetry.EndSpan(span, telemetry.OutcomeOf(ctx, err), err)
	if err != nil {
		return &fault.Fault{Class: fault.Outage, Err: fmt.Errorf("publish %s: %w", subject, err), Hint: "the work waits for NATS and goes on by itself; check that it is reachable and its streams are not full"}
	}
	return nil
}

// publishTask stores a task in its queue.
func publishTask(ctx context.Context, js jetstream.Publisher, t task) error {
	body, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	return send(ctx, js, t.Subject(), body)
}
