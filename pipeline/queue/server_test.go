package queue

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/pamline/pamline/pipeline/natstest"
)

// startNATS runs a NATS server on loopback with the options that change sets.
func startNATS(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	return natstest.Server(t, change)
}

// authority signs certificates for a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // PEM
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	certFile, _ := a.sign(tmpl, nil)
	a.file = certFile
	return a
}

// issue makes a certificate for 127.0.0.1, for servers and clients, and gives its two files.
func (a *authority) issue(until time.Time, ips ...net.IP) (certFile, keyFile string) {
	a.t.Helper()
	if ips == nil {
		ips = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	return a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "pamline test"}, IPAddresses: ips,
		NotBefore: until.Add(-2 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a)
}

func (a *authority) sign(tmpl *x509.Certificate, by *authority) (certFile, keyFile string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, signer := tmpl, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	if by == nil {
		if a.cert, err = x509.ParseCertificate(der); err != nil {
			a.t.Fatal(err)
		}
		a.key = key
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	folder := a.t.TempDir()
	certFile, keyFile = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	writeTo(a.t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	writeTo(a.t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	return certFile, keyFile
}

func writeTo(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// overTLS makes a server speak TLS with a certificate; mutual asks clients for one of the same
// authority.
func overTLS(t *testing.T, a *authority, certFile, keyFile string, mutual bool) func(*server.Options) {
	t.Helper()
	return func(o *server.Options) {
		cert, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			t.Fatal(err)
		}
		o.TLS = true
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
		if mutual {
			pool := x509.NewCertPool()
			pool.AddCert(a.cert)
			o.TLSVerify, o.TLSConfig.ClientAuth, o.TLSConfig.ClientCAs = true, tls.RequireAndVerifyClientCert, pool
		}
	}
}
