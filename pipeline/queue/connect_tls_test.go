package queue

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// refused connects, wants an error with each of the words, and gives it.
func refused(t *testing.T, o ConnectOptions, words ...string) error {
	t.Helper()
	nc, err := Connect(t.Context(), o)
	if err == nil {
		nc.Close()
		t.Fatalf("connected; wanted an error with %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is not in: %v", w, err)
		}
	}
	return err
}

// connected connects and gives the connection back.
func connected(t *testing.T, o ConnectOptions) {
	t.Helper()
	nc, err := Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}

func TestCertificateOfOnesOwnAuthorityIsTrustedByItsFile(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.issue(time.Now().Add(time.Hour))
	url := startNATS(t, overTLS(t, a, cert, key, false)).ClientURL()
	connected(t, ConnectOptions{URL: url, CAFile: a.file})
	refused(t, ConnectOptions{URL: url}, "127.0.0.1", "nats.ca_file")
	refused(t, ConnectOptions{URL: url, CAFile: newAuthority(t).file}, "127.0.0.1", "nats.ca_file")
	refused(t, ConnectOptions{URL: url, CAFile: filepath.Join(t.TempDir(), "none.pem")}, "read nats.ca_file", "check the path")
	refused(t, ConnectOptions{URL: url, CAFile: key}, "no certificate in it")
}

func TestClientShowsItsCertificateWhenTheServerAsks(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.issue(time.Now().Add(time.Hour))
	url := startNATS(t, overTLS(t, a, cert, key, true)).ClientURL()
	connected(t, ConnectOptions{URL: url, CAFile: a.file, CertFile: cert, KeyFile: key})
	refused(t, ConnectOptions{URL: url, CAFile: a.file}, "nats.cert_file")
	other, otherKey := newAuthority(t).issue(time.Now().Add(time.Hour))
	refused(t, ConnectOptions{URL: url, CAFile: a.file, CertFile: other, KeyFile: otherKey}, "nats.cert_file")
	refused(t, ConnectOptions{URL: url, CAFile: a.file, CertFile: cert, KeyFile: otherKey}, "nats.cert_file", "belong together")
	refused(t, ConnectOptions{URL: url, CAFile: a.file, CertFile: cert}, "nats.key_file", "both or neither")
}

func TestCertificateOutOfItsTimeOrOfAnotherNameIsNamed(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.issue(time.Now().Add(-time.Minute))
	old := startNATS(t, overTLS(t, a, cert, key, false)).ClientURL()
	refused(t, ConnectOptions{URL: old, CAFile: a.file}, "validity period", "clock")
	cert, key = a.issue(time.Now().Add(time.Hour), net.IPv4(192, 0, 2, 1))
	other := startNATS(t, overTLS(t, a, cert, key, false)).ClientURL()
	refused(t, ConnectOptions{URL: other, CAFile: a.file}, "another name")
}

func TestTLSWhereTheServerHasNone(t *testing.T) {
	url := startNATS(t, func(*server.Options) {}).ClientURL()
	refused(t, ConnectOptions{URL: url, CAFile: newAuthority(t).file}, "offers no TLS")
}

func TestNobodyThereIsAMatterOfTime(t *testing.T) {
	const addr = "127.0.0.1:1" // a port that is given to nobody
	err := refused(t, ConnectOptions{URL: "nats://" + addr}, addr, "is a server running there")
	var u *UnreachableError
	if !errors.As(err, &u) {
		t.Errorf("not told as unreachable: %v", err)
	}
	// The one that is there is found beside the one that is not.
	connected(t, ConnectOptions{URL: "nats://" + addr + ", " + startNATS(t, func(*server.Options) {}).ClientURL()})
}

func TestPasswordsInAddressesAreRefusedAndNotShown(t *testing.T) {
	for _, url := range []string{
		"nats://ann:hush@host:4222", "nats://hush@host:4222", "nats://good:4222,tls://ann:hush@host:4222", "ann:hush@host",
	} {
		err := refused(t, ConnectOptions{URL: url}, "nats.creds_file", "host")
		if strings.Contains(err.Error(), "hush") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
	for _, url := range []string{"nats://ann:hush@ho st:4222", "nats://:hush%zz@host", ",", "nats://"} {
		if err := refused(t, ConnectOptions{URL: url}, "nats.url"); strings.Contains(err.Error(), "hush") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
	refused(t, ConnectOptions{}, "no nats.url")
	refused(t, ConnectOptions{URL: "nats://h", CredsFile: "a", NKeyFile: "b"}, "exclude")
}

func FuzzAddressesNeverShowASecret(f *testing.F) {
	for _, s := range []string{"nats://a:SECRET@h", "SECRET@h", "tls://h:4222", "a:SECRET@h,b", "nats://SECRET:@[::1]:1", "://SECRET@", "nats://SECRET@SECRET"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		servers, err := serversOf(list)
		if err == nil && len(servers) == 0 {
			t.Error("neither servers nor an error")
		}
		if err == nil {
			for _, s := range servers {
				if strings.Contains(s, "@") {
					t.Errorf("a user is left in %q", s)
				}
			}
			return
		}
		if strings.Count(list, "SECRET@") == strings.Count(list, "SECRET") && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("the error shows it: %v", err)
		}
	})
}
