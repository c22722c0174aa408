package pipeline

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
)

// NATSOptions reach an external cluster. URL may name several servers, separated by commas. Whatever is a file is read
// again at each reconnect, so that a credentials file or a certificate can be replaced under a running worker; only of an
// nkey the public half is read once, and another nkey needs a restart.
type NATSOptions struct {
	URL, CredsFile, NKeyFile, CAFile, CertFile, KeyFile string
	// Name is what the server calls the connection in its reports.
	Name string
	// Wait lets JoinNATS wait for a server that does not answer, as a service should. A command of a person's leaves it unset.
	Wait bool
	// Log hears what becomes of the connection; nil: nobody does.
	Log *zap.Logger
}

const (
	dialTimeout = 5 * time.Second
	// pingInterval finds a connection that died without a word after two of it. The client's own two minutes are longer than
	// an acknowledgement may take.
	pingInterval = 20 * time.Second
	// reconnectWait lies between two rounds of the servers, with as much jitter again: a cluster that comes back must not be
	// met by all its workers at once.
	reconnectWait   = time.Second
	reconnectJitter = time.Second
)

// ConnectNATS connects to an external cluster, once: an error says what is wrong and what to do. A connection that was
// made comes back by itself for ever, through refused credentials too, since they may be replaced meanwhile.
func ConnectNATS(o NATSOptions) (*nats.Conn, error) {
	opts, err := o.options()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(o.URL, opts...)
	if err != nil {
		return nil, o.explain(err)
	}
	return nc, nil
}

// AwaitNATS is ConnectNATS for a process that may be started before its server. While no server answers, it waits and says
// so in the log; refused credentials, a certificate that is not trusted, or a file that cannot be read is an error at once,
// because waiting does not mend it. ctx ends the wait.
func AwaitNATS(ctx context.Context, o NATSOptions) (*nats.Conn, error) {
	log := o.log()
	for try := uint64(1); ; try++ {
		nc, err := ConnectNATS(o)
		var u *UnreachableError
		if !errors.As(err, &u) {
			return nc, err
		}
		if try == 1 || try%30 == 0 { // a line at once and then one about every ten minutes at the longest wait
			log.Warn("NATS cannot be reached; waiting for it", zap.Strings("servers", u.Servers), zap.Error(u.Err))
		}
		if bad := wait(ctx, backoff(try, Backoff{First: time.Second, Max: 30 * time.Second})); bad != nil {
			return nil, fmt.Errorf("wait for NATS: %w", errors.Join(bad, err))
		}
	}
}

func (o NATSOptions) log() *zap.Logger {
	if o.Log == nil {
		return zap.NewNop()
	}
	return o.Log
}

// options checks the settings and turns them into those of the client.
func (o NATSOptions) options() ([]nats.Option, error) {
	if o.URL == "" {
		return nil, errors.New("connect to NATS: no nats.url is set")
	}
	if _, err := natsServers(o.URL); err != nil {
		return nil, err
	}
	if o.CredsFile != "" && o.NKeyFile != "" {
		return nil, errors.New("connect to NATS: nats.creds_file and nats.nkey_file exclude one another: give one of them")
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, errors.New("connect to NATS: nats.cert_file and nats.key_file belong together: give both or neither")
	}
	opts := []nats.Option{
		nats.Name(o.Name), nats.Timeout(dialTimeout), nats.PingInterval(pingInterval),
		nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectJitter, reconnectJitter),
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
			return nil, fmt.Errorf("read nats.nkey_file %s: %w: it must hold the seed of a user nkey, which begins with SU", o.NKeyFile, quietly(err))
		}
		opts = append(opts, nkey)
	}
	certificates, err := o.certificates()
	if err != nil {
		return nil, err
	}
	return append(append(opts, certificates...), o.listeners()...), nil
}

// checkCreds reads the credentials file once, so that a missing or damaged one is named and not taken for a refusal.
func (o NATSOptions) checkCreds() error {
	data, err := os.ReadFile(o.CredsFile)
	if err != nil {
		return fmt.Errorf("read nats.creds_file: %w: check the path, and that this user may read it", err)
	}
	if !strings.Contains(string(data), "BEGIN NATS USER JWT") || !strings.Contains(string(data), "BEGIN USER NKEY SEED") {
		return fmt.Errorf("read nats.creds_file %s: it has not both a user JWT and a seed: make it anew, for example by `nsc generate creds`", o.CredsFile)
	}
	return nil
}

// certificates are the options of TLS. Both callbacks are asked at each connect.
func (o NATSOptions) certificates() ([]nats.Option, error) {
	var cert nats.TLSCertHandler
	var roots nats.RootCAsHandler
	if o.CertFile != "" {
		cert = func() (tls.Certificate, error) {
			c, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
			if err != nil {
				return c, fmt.Errorf("read nats.cert_file and nats.key_file: %w: both must be PEM and belong together", err)
			}
			return c, nil
		}
	}
	if o.CAFile != "" {
		roots = o.roots
	}
	if cert == nil && roots == nil {
		return nil, nil
	}
	if cert != nil {
		if _, err := cert(); err != nil {
			return nil, err
		}
	}
	if roots != nil {
		if _, err := roots(); err != nil {
			return nil, err
		}
	}
	return []nats.Option{nats.ClientTLSConfig(cert, roots)}, nil
}

// roots are the system's certificates and those of the file. The client's own option would trust the file alone.
func (o NATSOptions) roots() (*x509.CertPool, error) {
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

// natsServers are host and port of each server, without anything that could be a secret.
func natsServers(list string) ([]string, error) {
	var servers []string
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if !strings.Contains(part, "://") {
			part = "nats://" + part
		}
		u, err := url.Parse(part)
		if err != nil || u.Host == "" {
			return nil, errors.New("read nats.url: one of the addresses cannot be read: expected is nats://host:4222 or tls://host:4222, several separated by commas")
		}
		if u.User != nil {
			return nil, fmt.Errorf("read nats.url: the address of %s holds a user, a password or a token, which logs and process lists would show: put them into nats.creds_file or nats.nkey_file", u.Host)
		}
		servers = append(servers, u.Host)
	}
	if len(servers) == 0 {
		return nil, errors.New("read nats.url: there is no address in it")
	}
	return servers, nil
}
