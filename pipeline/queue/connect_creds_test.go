package queue

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
	"github.com/pamline/pamline/pipeline/natstest"
)

// operator is the trust of a test cluster: an operator, a system account, and one account for
// pamline.
type operator struct {
	t       *testing.T
	key     nkeys.KeyPair
	account nkeys.KeyPair
	claims  *jwt.AccountClaims
	system  string
	store   *server.MemAccResolver
}

func newKey(t *testing.T, make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
	t.Helper()
	kp, err := make()
	if err != nil {
		t.Fatal(err)
	}
	pub, err := kp.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return kp, pub
}

// newOperator makes the trust; the account may use JetStream when streams is set.
func newOperator(t *testing.T, streams bool) *operator {
	t.Helper()
	o := &operator{t: t, store: &server.MemAccResolver{}}
	o.key, _ = newKey(t, nkeys.CreateOperator)
	var pub string
	_, o.system = newKey(t, nkeys.CreateAccount)
	o.publish(jwt.NewAccountClaims(o.system))
	o.account, pub = newKey(t, nkeys.CreateAccount)
	o.claims = jwt.NewAccountClaims(pub)
	if streams {
		o.claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	}
	o.publish(o.claims)
	return o
}

func (o *operator) publish(c *jwt.AccountClaims) string {
	o.t.Helper()
	token, err := c.Encode(o.key)
	if err != nil {
		o.t.Fatal(err)
	}
	if err := o.store.Store(c.Subject, token); err != nil {
		o.t.Fatal(err)
	}
	return token
}

// server runs one that trusts the operator.
func (o *operator) server(more func(*server.Options)) *server.Server {
	o.t.Helper()
	return startNATS(o.t, func(s *server.Options) {
		pub, err := o.key.PublicKey()
		if err != nil {
			o.t.Fatal(err)
		}
		s.TrustedKeys, s.SystemAccount, s.AccountResolver = []string{pub}, o.system, o.store
		more(s)
	})
}

// creds writes a credentials file of a new user of the account.
func (o *operator) creds(file string, change func(*jwt.UserClaims)) (seed string) {
	o.t.Helper()
	return o.credsBy(o.account, file, change)
}

func (o *operator) credsBy(account nkeys.KeyPair, file string, change func(*jwt.UserClaims)) (seed string) {
	o.t.Helper()
	user, pub := newKey(o.t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(pub)
	change(claims)
	token, err := claims.Encode(account)
	if err != nil {
		o.t.Fatal(err)
	}
	secret, err := user.Seed()
	if err != nil {
		o.t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(token, secret)
	if err != nil {
		o.t.Fatal(err)
	}
	writeTo(o.t, file, text)
	return string(secret)
}

func anybody(*jwt.UserClaims) {}

func TestCredentialsFileOpensTheCluster(t *testing.T) {
	t.Parallel()
	o := newOperator(t, true)
	a := newAuthority(t)
	cert, key := a.issue(time.Now().Add(time.Hour))
	url := o.server(overTLS(t, a, cert, key, false)).ClientURL()
	file := filepath.Join(t.TempDir(), "user.creds")
	o.creds(file, anybody)
	q, err := Join(t.Context(), ConnectOptions{URL: url, CAFile: a.file, CredsFile: file, Name: "test"}, testTopology(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := q.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestWrongCredentialsAreRefusedAtOnceAndNotShown(t *testing.T) {
	o := newOperator(t, true)
	url := o.server(func(*server.Options) {}).ClientURL()
	file := filepath.Join(t.TempDir(), "user.creds")
	stranger, _ := newKey(t, nkeys.CreateAccount)
	secrets := []string{o.credsBy(stranger, file, anybody)}
	wrong := refused(t, ConnectOptions{URL: url, CredsFile: file}, "127.0.0.1", "nats.creds_file")
	secrets = append(secrets, o.creds(file, func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Hour).Unix() }))
	expired := refused(t, ConnectOptions{URL: url, CredsFile: file}, "nats.creds_file")
	none := refused(t, ConnectOptions{URL: url}, "does not accept the credentials")
	for _, err := range []error{wrong, expired, none} {
		for _, s := range secrets {
			if strings.Contains(err.Error(), s) || strings.Contains(err.Error(), "eyJ") {
				t.Errorf("the error shows a secret: %v", err)
			}
		}
	}
	// Waiting would not mend it.
	if _, err := Connect(t.Context(), ConnectOptions{URL: url, CredsFile: file, Wait: true}); err == nil || !strings.Contains(err.Error(), "nats.creds_file") {
		t.Errorf("got %v", err)
	}
	writeTo(t, file, []byte("-----BEGIN NATS USER JWT-----\n"))
	refused(t, ConnectOptions{URL: url, CredsFile: file}, "nats.creds_file", "create it again")
	refused(t, ConnectOptions{URL: url, CredsFile: file + ".none"}, "nats.creds_file", "check the path")
}

func TestNKeyOpensTheServer(t *testing.T) {
	user, pub := newKey(t, nkeys.CreateUser)
	url := startNATS(t, func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: pub}} }).ClientURL()
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "user.nk")
	writeTo(t, file, seed)
	connected(t, ConnectOptions{URL: url, NKeyFile: file})
	other, _ := newKey(t, nkeys.CreateUser)
	if seed, err = other.Seed(); err != nil {
		t.Fatal(err)
	}
	writeTo(t, file, seed)
	if err := refused(t, ConnectOptions{URL: url, NKeyFile: file}, "nats.nkey_file"); strings.Contains(err.Error(), string(seed)) {
		t.Errorf("the error shows the seed: %v", err)
	}
	writeTo(t, file, []byte("SUNOTASEED"))
	if err := refused(t, ConnectOptions{URL: url, NKeyFile: file}, "nats.nkey_file", "begins with SU"); strings.Contains(err.Error(), "SUNOTASEED") {
		t.Errorf("the error shows the file: %v", err)
	}
}

// heard is a log that can be waited on.
func heard(o *ConnectOptions) *observer.ObservedLogs {
	core, logs := observer.New(zapcore.DebugLevel)
	o.Log = zap.New(core)
	return logs
}

func has(logs *observer.ObservedLogs, message string) func() bool {
	return func() bool { return logs.FilterMessage(message).Len() > 0 }
}

func TestReplacedCredentialsAreTakenAtTheNextReconnect(t *testing.T) {
	t.Parallel()
	o := newOperator(t, true)
	s := o.server(func(*server.Options) {})
	file := filepath.Join(t.TempDir(), "user.creds")
	var old string
	seed := o.creds(file, func(c *jwt.UserClaims) { old = c.Subject })
	opts := ConnectOptions{URL: s.ClientURL(), CredsFile: file}
	logs := heard(&opts)
	nc, err := Connect(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	// Revoked: the server throws the connection out and refuses the old credentials from now on.
	o.claims.RevokeAt(old, time.Now().Add(time.Second))
	account, err := s.LookupAccount(o.claims.Subject)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := jwt.DecodeAccountClaims(o.publish(o.claims))
	if err != nil {
		t.Fatal(err)
	}
	s.UpdateAccountClaims(account, claims)
	natstest.Eventually(t, "the refusal is told", has(logs, "NATS refuses the connection; trying again"))
	fresh := o.creds(file, func(c *jwt.UserClaims) { c.IssuedAt = time.Now().Add(time.Minute).Unix() })
	natstest.Eventually(t, "the new credentials open the connection", nc.IsConnected)
	natstest.Eventually(t, "the return is told", has(logs, "NATS connection is back"))
	for _, e := range logs.All() {
		text := e.Message
		for k, v := range e.ContextMap() {
			text += " " + k + "=" + toText(v)
		}
		if strings.Contains(text, seed) || strings.Contains(text, fresh) || strings.Contains(text, "eyJ") {
			t.Errorf("the log shows a secret: %s", text)
		}
	}
}

func toText(v any) string {
	s, ok := v.(string)
	if !ok {
		return ""
	}
	return s
}

func TestJetStreamThatIsSwitchedOffIsNamed(t *testing.T) {
	off := startNATS(t, func(o *server.Options) { o.JetStream = false }).ClientURL()
	_, err := Join(t.Context(), ConnectOptions{URL: off}, testTopology(), Options{})
	if !errors.Is(err, jetstream.ErrJetStreamNotEnabled) || !strings.Contains(err.Error(), "jetstream {}") {
		t.Errorf("on the server: %v", err)
	}
	o := newOperator(t, false)
	file := filepath.Join(t.TempDir(), "user.creds")
	o.creds(file, anybody)
	_, err = Join(t.Context(), ConnectOptions{URL: o.server(func(*server.Options) {}).ClientURL(), CredsFile: file}, testTopology(), Options{})
	if err == nil || !strings.Contains(err.Error(), "for this account") {
		t.Errorf("for the account: %v", err)
	}
}

func TestRequestThatIsNotAllowedIsNamedWithItsSubject(t *testing.T) {
	o := newOperator(t, true)
	url := o.server(func(*server.Options) {}).ClientURL()
	file := filepath.Join(t.TempDir(), "user.creds")
	o.creds(file, func(c *jwt.UserClaims) { c.Pub.Deny.Add("$JS.API.STREAM.>") })
	opts := ConnectOptions{URL: url, CredsFile: file}
	logs := heard(&opts)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	_, err := Join(ctx, opts, testTopology(), Options{})
	if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), "$JS.API.STREAM.") || !strings.Contains(err.Error(), "allow it") {
		t.Errorf("got %v", err)
	}
	natstest.Eventually(t, "the refusal is logged", has(logs, "NATS refused a request"))
}

func TestWorkerThatIsStartedFirstWaitsForItsServer(t *testing.T) {
	t.Parallel()
	port, err := toolbin.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	opts := ConnectOptions{URL: fmt.Sprintf("nats://127.0.0.1:%d", port), Wait: true}
	logs := heard(&opts)
	done := make(chan error, 1)
	go func() {
		nc, err := Connect(t.Context(), opts)
		if err == nil {
			nc.Close()
		}
		done <- err
	}()
	natstest.Eventually(t, "the wait is told", has(logs, "NATS cannot be reached; waiting for it"))
	startNATS(t, func(o *server.Options) { o.Port = port })
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := logs.Len(); n != 1 {
		t.Errorf("%d lines in the log for one wait", n)
	}
}

func TestWaitForAServerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opts := ConnectOptions{URL: "nats://127.0.0.1:1", Wait: true}
	logs := heard(&opts)
	done := make(chan error, 1)
	go func() { _, err := Connect(ctx, opts); done <- err }()
	natstest.Eventually(t, "the wait is told", has(logs, "NATS cannot be reached; waiting for it"))
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("got %v", err)
	}
}

func TestServerThatIsAboutToStopIsLeft(t *testing.T) {
	s := startNATS(t, func(o *server.Options) { o.LameDuckDuration, o.LameDuckGracePeriod = time.Second, time.Millisecond })
	opts := ConnectOptions{URL: s.ClientURL()}
	logs := heard(&opts)
	nc, err := Connect(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	go s.LameDuckShutdown()
	natstest.Eventually(t, "the notice is told", has(logs, "NATS server is about to stop; moving to another one"))
	natstest.Eventually(t, "the loss is told", has(logs, "NATS connection lost; reconnecting"))
}
