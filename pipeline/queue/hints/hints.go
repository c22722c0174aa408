// Package hints tells what to do about an error of connecting to NATS or of using JetStream.
package hints

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// hints say what to do about an error of connecting or of using JetStream. The first match counts.
var hints = []struct {
	matches func(error) bool
	hint    string
}{
	{MatchesAny(nats.ErrPermissionViolation), "the user may not do this: allow it to publish to pam.>, $JS.API.>, $JS.ACK.> and $KV.>, and to subscribe to _INBOX.>"},
	{MatchesType[x509.UnknownAuthorityError], "the server's certificate is signed by an authority that this machine does not trust: set nats.ca_file to the certificate of that authority"},
	{isExpired, "the server's certificate is outside its validity period: renew it, or correct the clock of this machine"},
	{MatchesType[x509.CertificateInvalidError], "the server's certificate is invalid: check how it was issued"},
	{MatchesType[x509.HostnameError], "the server's certificate is for another name: use that name in nats.url, or issue a certificate for this one"},
	{MatchesType[tls.RecordHeaderError], "the server does not speak TLS there: check the port, or use nats:// instead of tls://"},
	{MatchesAny(nats.ErrSecureConnWanted), "the server offers no TLS: enable it there, or leave out tls://, nats.ca_file and nats.cert_file"},
	{MatchesAny(nats.ErrSecureConnRequired), "the server requires TLS: use tls:// in nats.url, and nats.ca_file if its certificate is your own"},
	{MatchesAny(nats.ErrAuthExpired, nats.ErrAccountAuthExpired), "the credentials have expired: replace nats.creds_file"},
	{MatchesAny(nats.ErrAuthRevoked), "the credentials have been revoked: replace nats.creds_file"},
	{MatchesAny(nats.ErrAuthorization), "the server does not accept the credentials: check nats.creds_file or nats.nkey_file, and that user and account exist on this cluster"},
	{MatchesAny(nats.ErrNkeysNotSupported), "the server knows no nkeys: check how its users are configured"},
	{MatchesAny(jetstream.ErrJetStreamNotEnabled), "JetStream is switched off: start the server with it (jetstream {} in its configuration, or -js)"},
	{MatchesAny(jetstream.ErrJetStreamNotEnabledForAccount), "JetStream is switched off for this account: give it limits for storage and streams"},
	{hasAlert("certificate required"), "the server requires a client certificate: set nats.cert_file and nats.key_file"},
	{hasAlert("bad certificate", "unknown certificate authority", "expired certificate", "unknown certificate"),
		"the server does not accept the client certificate: check nats.cert_file, its issuer, and its validity period"},
}

// Find gives the hint about an error; "" if waiting may be all that helps.
func Find(err error) string {
	for _, h := range hints {
		if h.matches(err) {
			return h.hint
		}
	}
	return ""
}

// MatchesAny gives the test whether an error is one of several.
func MatchesAny(targets ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
	}
}

// MatchesType tells whether an error is of a type.
func MatchesType[T error](err error) bool {
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

// IsUnreachable tells whether no server answered, or the server hung up in the middle.
func IsUnreachable(err error) bool {
	return MatchesType[net.Error](err) || MatchesAny(nats.ErrNoServers, nats.ErrTimeout, io.EOF, io.ErrUnexpectedEOF,
		syscall.ECONNREFUSED, syscall.ECONNRESET, context.DeadlineExceeded)(err)
}

// RedactError gives an error without the seeds and tokens that a client library may quote.
func RedactError(err error) error {
	if err == nil {
		return nil
	}
	return redacted{err}
}

type redacted struct{ error }

func (r redacted) Unwrap() error { return r.error }

func (r redacted) Error() string { return secrets.ReplaceAllString(r.error.Error(), "(seed)") }

// secrets are nkey seeds of any kind, and the three parts of a JWT.
var secrets = regexp.MustCompile(`\bS[A-Z][A-Z2-7]{50,}|\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*)*`)
