package queue

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
)

func TestOnlyAJetStreamThatComesBackIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		err  error
		wait bool
	}{
		{&jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "temporarily unavailable"}, true},
		{context.DeadlineExceeded, true},
		{nats.ErrTimeout, true},
		{jetstream.ErrJetStreamNotEnabled, false},
		{jetstream.ErrJetStreamNotEnabledForAccount, false},
		{&DriftError{}, false},
		{&MissingError{}, false},
		{nats.ErrNoResponders, false},
		{errors.New("something else"), false},
	} {
		if got := isLeaderless(fmt.Errorf("list streams: %w", c.err)); got != c.wait {
			t.Errorf("%v: wait %v", c.err, got)
		}
	}
}

func TestErrorsOfNATSAreOutagesUnlessWaitingDoesNotHelp(t *testing.T) {
	for _, c := range []struct {
		err  error
		want fault.Class
	}{
		{nats.ErrTimeout, fault.Outage},
		{context.DeadlineExceeded, fault.Outage},
		{nats.ErrNoResponders, fault.Outage},
		{context.Canceled, fault.Unit},
		{&DriftError{}, fault.Unit},
		{&MissingError{}, fault.Unit},
	} {
		if got := fault.Of(classifyError(fmt.Errorf("publish: %w", c.err))); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
	if classifyError(nil) != nil {
		t.Error("an error out of nothing")
	}
}

func TestErrorsAreExplainedOnce(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fmt.Errorf("%w: permissions violation for publish to \"$JS.API.INFO\"", nats.ErrPermissionViolation))
	err := Explain(ctx, context.Canceled)
	if !errors.Is(err, nats.ErrPermissionViolation) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if Explain(ctx, nil) != nil {
		t.Error("an error out of nothing")
	}
	if err := Explain(t.Context(), nats.ErrNoResponders); !errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		t.Errorf("got %v", err)
	}
	plain := errors.New("plain")
	if err := Explain(t.Context(), plain); err != plain { //nolint:errorlint // it must be the very same
		t.Errorf("got %v", err)
	}
}
