package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// lost is an attempt that got no whole answer. Its text is one of ours: that of net/http may quote
// the address, or what was received.
type lost struct {
	text, hint string
	permanent  bool
	err        error
}

func (e *lost) Error() string { return e.text }

func (e *lost) Unwrap() error { return e.err }

const reachHint = "Check that the address is right, that the service runs, and that this machine reaches it."

// broken gives the reason why a connection gave no answer.
func broken(err error) *lost {
	var (
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		dns         *net.DNSError
	)
	l := &lost{text: "connection to service broke", hint: reachHint, err: err}
	switch {
	case errors.As(err, &certificate):
		l.text, l.permanent = "certificate of service is not trusted", true
		l.hint = "Check the address and this machine's clock and certificates."
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		l.text, l.permanent = "service does not speak TLS", true
		l.hint = "Check the address: https:// was expected to work, maybe it is http://."
	case errors.As(err, &dns):
		l.text = "host of service was not found"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), timedOut(err):
		l.text = "service did not answer in time"
		l.hint = "The service is slow or busy. Raise the timeout, or try again later."
	case errors.Is(err, syscall.ECONNREFUSED):
		l.text = "service refuses connections"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		l.text = "service reset the connection"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		l.text = "service closed the connection early"
	}
	return l
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
