package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/queue/hints"
)

// UnreachableError says that no server of nats.url answered. It may pass without help.
type UnreachableError struct {
	Servers []string // host and port
	Err     error
}

func (e *UnreachableError) Error() string {
	hint := "is a server running there, and does the network let this machine through?"
	// The server's alert about a certificate can be lost with the connection.
	if strings.Contains(e.Err.Error(), "after TLS handshake") {
		hint = "the server hung up: if it requires client certificates, check nats.cert_file and nats.key_file"
	}
	return fmt.Sprintf("connect to NATS at %s: %v: %s", strings.Join(e.Servers, ", "), e.Err, hint)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// explain adds to a failed connect the servers and what to do.
func (o ConnectOptions) explain(err error) error {
	servers, unreadable := serversOf(o.URL)
	if unreadable != nil {
		return unreadable
	}
	if hint := hints.Find(err); hint != "" {
		return fmt.Errorf("connect to NATS at %s: %w: %s", strings.Join(servers, ", "), hints.RedactError(err), hint)
	}
	if hints.IsUnreachable(err) {
		return &UnreachableError{Servers: servers, Err: err}
	}
	return fmt.Errorf("connect to NATS at %s: %w", strings.Join(servers, ", "), hints.RedactError(err))
}

// Explain adds to an error of using JetStream what to do. ctx is the context of the request: a
// forbidden request gets no answer, and the refusal is the cause of a context from [UntilDenied].
func Explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	denied := context.Cause(ctx)
	if errors.Is(denied, nats.ErrPermissionViolation) && !errors.Is(err, nats.ErrPermissionViolation) {
		err = fmt.Errorf("%w: %w", err, denied)
	}
	if errors.Is(err, nats.ErrNoResponders) {
		err = fmt.Errorf("%w: %w", err, jetstream.ErrJetStreamNotEnabled)
	}
	if hint := hints.Find(err); hint != "" {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}
