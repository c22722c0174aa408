package pipeline

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// UnreachableError: no server of nats.url answered. It may pass by itself.
type UnreachableError struct {
	Servers []string // host and port
	Err     error
}

func (e *UnreachableError) Error() string {
	hint := "is a server running there, and does the network let this machine through?"
	if strings.Contains(e.Err.Error(), "after TLS handshake") { // its word about the certificate may be lost with the connection
		hint = "the server hung up: if it wants certificates of its clients, check nats.cert_file and nats.key_file"
	}
	return fmt.Sprintf("connect to NATS at %s: %v: %s", strings.Join(e.Servers, ", "), e.Err, hint)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// explain says of a failed connect what happened, where, and what to do.
func (o NATSOptions) explain(err error) error {
	servers, bad := natsServers(o.URL)
	if bad != nil {
		return bad
	}
	if hint := natsHint(err); hint != "" {
		return fmt.Errorf("connect to NATS at %s: %w: %s", strings.Join(servers, ", "), quietly(err), hint)
	}
	if unreachable(err) {
		return &UnreachableError{Servers: servers, Err: err}
	}
	return fmt.Errorf("connect to NATS at %s: %w", strings.Join(servers, ", "), quietly(err))
}

// natsHint is what to do about an error of connecting or of using JetStream; "" when waiting may be all there is.
func natsHint(err error) string {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, nats.ErrPermissionViolation):
		return "the user may not do this: allow it to publish to pam.>, $JS.API.>, $JS.ACK.> and $KV.>, and to subscribe to _INBOX.>"
	case errors.As(err, &unknown):
		return "the server's certificate is signed by nobody this machine trusts: set nats.ca_file to the certificate of who signed it"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the server's certificate is out of its time: renew it, or set the clock of this machine"
	case errors.As(err, &invalid):
		return "the server's certificate cannot be used: look at how it was made"
	case errors.As(err, &name):
		return "the server's certificate is for another name: use that name in nats.url, or have a certificate made for this one"
	case errors.As(err, &record):
		return "the server does not speak TLS there: check the port, or use nats:// instead of tls://"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server offers no TLS: set it up there, or leave out tls://, nats.ca_file and nats.cert_file"
	case errors.Is(err, nats.ErrSecureConnRequired):
		return "the server wants TLS: use tls:// in nats.url, and nats.ca_file when its certificate is your own"
	case errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAccountAuthExpired):
		return "the credentials have expired: put new ones in place of nats.creds_file"
	case errors.Is(err, nats.ErrAuthRevoked):
		return "the credentials have been revoked: put new ones in place of nats.creds_file"
	case errors.Is(err, nats.ErrAuthorization):
		return "the server does not take the credentials: check nats.creds_file or nats.nkey_file, and that user and account exist on this cluster"
	case errors.Is(err, nats.ErrNkeysNotSupported):
		return "the server knows no nkeys: are its users set up that way?"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		return "JetStream is switched off: start the server with it (jetstream {} in its configuration, or -js)"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return "JetStream is switched off for this account: give it limits for storage and streams"
	case remoteAlert(err, "certificate required"):
		return "the server wants a certificate of the client: set nats.cert_file and nats.key_file"
	case remoteAlert(err, "bad certificate"), remoteAlert(err, "unknown certificate authority"), remoteAlert(err, "expired certificate"), remoteAlert(err, "unknown certificate"):
		return "the server does not take the certificate of the client: check nats.cert_file, who signed it, and its time"
	}
	return ""
}

// remoteAlert: the other side ended the TLS handshake with this word. The type of it is the standard library's own.
func remoteAlert(err error, word string) bool {
	return strings.Contains(err.Error(), "remote error: tls: "+word)
}

// unreachable: nobody answered, or who did went away in the middle.
func unreachable(err error) bool {
	var n net.Error
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n)
}

// ExplainNATS adds to an error of using JetStream what to do. ctx is that of the request: a server that may not be asked stays
// silent, and the refusal is the cause of the end of a context from UntilDenied.
func ExplainNATS(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if denied := context.Cause(ctx); errors.Is(denied, nats.ErrPermissionViolation) && !errors.Is(err, nats.ErrPermissionViolation) {
		err = fmt.Errorf("%w: %w", err, denied)
	}
	if errors.Is(err, nats.ErrNoResponders) {
		err = fmt.Errorf("%w: %w", err, jetstream.ErrJetStreamNotEnabled)
	}
	if hint := natsHint(err); hint != "" {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}

// quiet is an error without the seeds that a client library could quote.
type quiet struct{ error }

func quietly(err error) error {
	if err == nil {
		return nil
	}
	return quiet{err}
}

func (q quiet) Unwrap() error { return q.error }

func (q quiet) Error() string { return seeds.ReplaceAllString(q.error.Error(), "(seed)") }

// seeds are nkey seeds of any kind, and the three parts of a JWT.
var seeds = regexp.MustCompile(`\bS[A-Z][A-Z2-7]{50,}|\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*)*`)
