package hints

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestSeedsAndTokensAreRemovedFromErrors(t *testing.T) {
	seed := "SUAM" + "LZJ2X7LQWFIXLXZQG5YGHQYQ3BI5YB6YQX6V5LGHX6FJNXQCCG7T2Q"
	token := "eyJ0eXAiOiJKV1QifQ.eyJqdGkiOiJYIn0.c2ln"
	err := RedactError(fmt.Errorf("bad seed %s or token %s: %w", seed, token, nats.ErrAuthorization))
	if got := err.Error(); got != "bad seed (seed) or token (seed): nats: authorization violation" {
		t.Errorf("got %s", got)
	}
	if !errors.Is(err, nats.ErrAuthorization) {
		t.Error("the error is not the same any more")
	}
}
