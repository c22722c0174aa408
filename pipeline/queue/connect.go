package queue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/queue/hints"
)

// ConnectOptions reach an external NATS cluster. URL may name several servers, separated by commas.
// Files are read again at each reconnect, so credentials and certificates can be replaced while a
// worker runs. The exception is the public half of an nkey: another nkey needs a restart.
type ConnectOptions struct {
	URL, CredsFile, NKeyFile, CAFile, CertFile, KeyFile string
	// Name is how the server lists the connection.
	Name string
	// Wait makes [Connect] and [Join] wait for a server that does not answer, as a service should.
	Wait bool
	// Log receives the events of the connection; nil discards them.
	Log *zap.Logger
}

const (
	dialTimeout = 5 * time.Second
	// pingInterval: a dead connection is noticed after two of them. The client's default of two
	// minutes exceeds the acknowledgement time.
	pingInterval = 20 * time.Second
	// reconnectWait lies between two rounds of the servers, plus the jitter: a cluster that comes
	// back must not be met by all workers at once.
	reconnectWait   = time.Second
	reconnectJitter = time.Second
	// logEvery: of the attempts to reach a server, one in so many is logged, about every ten
	// minutes.
	logEvery = 30
)

// connectBackoff bounds the pauses between attempts to reach a server or JetStream.
var connectBackoff = Backoff{First: time.Second, Max: 30 * time.Second}

// Connect connects to a cluster. An error says what is wrong and what to do. With o.Wait it waits
// while no server answers; refused credentials, an untrusted certificate or an unreadable file are
// errors at once, because waiting does not help. A connection once made reconnects for ever, even
// through refused credentials, since they may be replaced.
func Connect(ctx context.Context, o ConnectOptions) (*nats.Conn, error) {
	o.Log = orNop(o.Log)
	for try := 1; ; try++ {
		nc, err := o.connectOnce()
		var unreachable *UnreachableError
		if !o.Wait || !errors.As(err, &unreachable) {
			return nc, err
		}
		if try == 1 || try%logEvery == 0 {
			o.Log.Warn("NATS cannot be reached; waiting for it",
				zap.Strings("servers", unreachable.Servers), zap.Error(unreachable.Err))
		}
		if ended := waitFor(ctx, connectBackoff.After(try)); ended != nil {
			return nil, fmt.Errorf("wait for NATS: %w", errors.Join(ended, err))
		}
	}
}

func (o ConnectOptions) connectOnce() (*nats.Conn, error) {
	opts, err := o.clientOptions()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(o.URL, opts...)
	if err != nil {
		return nil, o.explain(err)
	}
	return nc, nil
}

// clientOptions checks the settings and converts them to options of the NATS client.
func (o ConnectOptions) clientOptions() ([]nats.Option, error) {
	if o.URL == "" {
		return nil, errors.New("connect to NATS: no nats.url is set")
	}
	if _, err := serversOf(o.URL); err != nil {
		return nil, err
	}
	if o.CredsFile != "" && o.NKeyFile != "" {
		return nil, errors.New("connect to NATS: nats.creds_file and nats.nkey_file exclude each other: set one of them")
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, errors.New("connect to NATS: nats.cert_file and nats.key_file belong together: set both or neither")
	}
	opts := []nats.Option{
		nats.Name(o.Name), nats.Timeout(dialTimeout), nats.PingInterval(pingInterval),
		nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectJitter, reconnectJitter),
	}
	if o.CredsFile != "" {
		if err := o.checkCreds(); err != nil {
			return nil, err
		}
		opts = append(opts, nats.UserCredentials(o.CredsFile))
	}
	if o.NKeyFile != "" {
		nkey, err := nats.NkeyOptionFromSeed(o.NKeyFile)
		if err != nil {
			return nil, fmt.Errorf("read nats.nkey_file %s: %w: it must hold the seed of a user nkey, which begins with SU",
				o.NKeyFile, hints.RedactError(err))
		}
		opts = append(opts, nkey)
	}
	certificates, err := o.tlsOptions()
	if err != nil {
		return nil, err
	}
	return append(append(opts, certificates...), connectionLog(o.Log)...), nil
}

// checkCreds reads the credentials file once, so that a missing or damaged file is not mistaken for
// a refusal.
func (o ConnectOptions) checkCreds() error {
	data, err := os.ReadFile(o.CredsFile)
	if err != nil {
		return fmt.Errorf("read nats.creds_file: %w: check the path, and that this user may read it", err)
	}
	text := string(data)
	if !strings.Contains(text, "BEGIN NATS USER JWT") || !strings.Contains(text, "BEGIN USER NKEY SEED") {
		return fmt.Errorf("read nats.creds_file %s: it lacks a user JWT or a seed: create it again, for example with `nsc generate creds`", o.CredsFile)
	}
	return nil
}

// tlsOptions are the options of TLS. The client calls both functions at each connect; calling them
// here as well reports an unreadable file before the first connect.
func (o ConnectOptions) tlsOptions() ([]nats.Option, error) {
	var cert nats.TLSCertHandler
	var roots nats.RootCAsHandler
	if o.CertFile != "" {
		cert = o.certificate
		if _, err := cert(); err != nil {
			return nil, err
		}
	}
	if o.CAFile != "" {
		roots = o.rootCAs
		if _, err := roots(); err != nil {
			return nil, err
		}
	}
	if cert == nil && roots == nil {
		return nil, nil
	}
	return []nats.Option{nats.ClientTLSConfig(cert, roots)}, nil
}

func (o ConnectOptions) certificate() (tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
	if err != nil {
		return c, fmt.Errorf("read nats.cert_file and nats.key_file: %w: both must be PEM and belong together", err)
	}
	return c, nil
}

// rootCAs are the certificates of the system plus those of the file. The client's own option would
// trust the file alone.
func (o ConnectOptions) rootCAs() (*x509.CertPool, error) {
	pem, err := os.ReadFile(o.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read nats.ca_file: %w: check the path, and that this user may read it", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a machine without certificates of its own
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read nats.ca_file %s: there is no certificate in it: it must be PEM", o.CAFile)
	}
	return pool, nil
}

// serversOf returns host and port of each server of a list of addresses. Addresses with a user, a
// password or a token are refused, and no error quotes them.
func serversOf(list string) ([]string, error) {
	var servers []string
	for address := range strings.SplitSeq(list, ",") {
		address = strings.TrimSpace(address)
		if address == "" {
			continue
		}
		if !strings.Contains(address, "://") {
			address = "nats://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			return nil, errors.New("read nats.url: an address cannot be read: write nats://host:4222 or tls://host:4222, several separated by commas")
		}
		if u.User != nil {
			return nil, fmt.Errorf("read nats.url: the address of %s holds a user, a password or a token, which logs and process lists would show: "+
				"use nats.creds_file or nats.nkey_file instead", u.Host)
		}
		servers = append(servers, u.Host)
	}
	if len(servers) == 0 {
		return nil, errors.New("read nats.url: there is no address in it")
	}
	return servers, nil
}
