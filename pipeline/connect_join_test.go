package pipeline

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
		{missing("stream PAM_DROPS"), false},
		{nats.ErrNoResponders, false},
		{errors.New("something else"), false},
	} {
		if got := leaderless(fmt.Errorf("list streams: %w", c.err)); got != c.wait {
			t.Errorf("%v: wait %v", c.err, got)
		}
	}
}

func TestErrorsAreExplainedOnce(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fmt.Errorf("%w: permissions violation for publish to \"$JS.API.INFO\"", nats.ErrPermissionViolation))
	err := ExplainNATS(ctx, context.Canceled)
	if !errors.Is(err, nats.ErrPermissionViolation) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if ExplainNATS(ctx, nil) != nil {
		t.Error("an error out of nothing")
	}
	if err := ExplainNATS(t.Context(), nats.ErrNoResponders); !errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		t.Errorf("got %v", err)
	}
	plain := errors.New("plain")
	if err := ExplainNATS(t.Context(), plain); err != plain { //nolint:errorlint // it must be the very same
		t.Errorf("got %v", err)
	}
}

func TestSeedsAndTokensAreTakenOutOfErrors(t *testing.T) {
	seed := "SUAM" + "LZJ2X7LQWFIXLXZQG5YGHQYQ3BI5YB6YQX6V5LGHX6FJNXQCCG7T2Q"
	token := "eyJ0eXAiOiJKV1QifQ.eyJqdGkiOiJYIn0.c2ln"
	err := quietly(fmt.Errorf("bad seed %s or token %s: %w", seed, token, nats.ErrAuthorization))
	if got := err.Error(); got != "bad seed (seed) or token (seed): nats: authorization violation" {
		t.Errorf("got %s", got)
	}
	if !errors.Is(err, nats.ErrAuthorization) {
		t.Error("the error is not the same any more")
	}
}
