package queue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
	if hint := hintFor(err); hint != "" {
		return fmt.Errorf("connect to NATS at %s: %w: %s", strings.Join(servers, ", "), redactError(err), hint)
	}
	if isUnreachable(err) {
		return &UnreachableError{Servers: servers, Err: err}
	}
	return fmt.Errorf("connect to NATS at %s: %w", strings.Join(servers, ", "), redactError(err))
}

// hints say what to do about an error of connecting or of using JetStream. The first match counts.
var hints = []struct {
	matches func(error) bool
	hint    string
}{
	{matchesAny(nats.ErrPermissionViolation), "the user may not do this: allow it to publish to pam.>, $JS.API.>, $JS.ACK.> and $KV.>, and to subscribe to _INBOX.>"},
	{matchesType[x509.UnknownAuthorityError], "the server's certificate is signed by an authority that this machine does not trust: set nats.ca_file to the certificate of that authority"},
	{isExpired, "the server's certificate is outside its validity period: renew it, or correct the clock of this machine"},
	{matchesType[x509.CertificateInvalidError], "the server's certificate is invalid: check how it was issued"},
	{matchesType[x509.HostnameError], "the server's certificate is for another name: use that name in nats.url, or issue a certificate for this one"},
	{matchesType[tls.RecordHeaderError], "the server does not speak TLS there: check the port, or use nats:// instead of tls://"},
	{matchesAny(nats.ErrSecureConnWanted), "the server offers no TLS: enable it there, or leave out tls://, nats.ca_file and nats.cert_file"},
	{matchesAny(nats.ErrSecureConnRequired), "the server requires TLS: use tls:// in nats.url, and nats.ca_file if its certificate is your own"},
	{matchesAny(nats.ErrAuthExpired, nats.ErrAccountAuthExpired), "the credentials have expired: replace nats.creds_file"},
	{matchesAny(nats.ErrAuthRevoked), "the credentials have been revoked: replace nats.creds_file"},
	{matchesAny(nats.ErrAuthorization), "the server does not accept the credentials: check nats.creds_file or nats.nkey_file, and that user and account exist on this cluster"},
	{matchesAny(nats.ErrNkeysNotSupported), "the server knows no nkeys: check how its users are configured"},
	{matchesAny(jetstream.ErrJetStreamNotEnabled), "JetStream is switched off: start the server with it (jetstream {} in its configuration, or -js)"},
	{matchesAny(jetstream.ErrJetStreamNotEnabledForAccount), "JetStream is switched off for this account: give it limits for storage and streams"},
	{hasAlert("certificate required"), "the server requires a client certificate: set nats.cert_file and nats.key_file"},
	{hasAlert("bad certificate", "unknown certificate authority", "expired certificate", "unknown certificate"),
		"the server does not accept the client certificate: check nats.cert_file, its issuer, and its validity period"},
}

// hintFor returns "" if waiting may be all that helps.
func hintFor(err error) string {
	for _, h := range hints {
		if h.matches(err) {
			return h.hint
		}
	}
	return ""
}

func matchesAny(targets ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
	}
}

func matchesType[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

func isExpired(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired
}

// hasAlert matches a TLS handshake that the other side ended with an alert. The standard library
// has no exported type for it.
func hasAlert(alerts ...string) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(alerts, func(a string) bool { return strings.Contains(err.Error(), "remote error: tls: "+a) })
	}
}

// isUnreachable reports whether no server answered, or the server hung up in the middle.
func isUnreachable(err error) bool {
	return matchesType[net.Error](err) || matchesAny(nats.ErrNoServers, nats.ErrTimeout, io.EOF, io.ErrUnexpectedEOF,
		syscall.ECONNREFUSED, syscall.ECONNRESET, context.DeadlineExceeded)(err)
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
	if hint := hintFor(err); hint != "" {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}

// redacted is an error without the seeds and tokens that a client library may quote.
type redacted struct{ error }

func redactError(err error) error {
	if err == nil {
		return nil
	}
	return redacted{err}
}

func (r redacted) Unwrap() error { return r.error }

func (r redacted) Error() string { return secrets.ReplaceAllString(r.error.Error(), "(seed)") }

// secrets are nkey seeds of any kind, and the three parts of a JWT.
var secrets = regexp.MustCompile(`\bS[A-Z][A-Z2-7]{50,}|\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*)*`)
