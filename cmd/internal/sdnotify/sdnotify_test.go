package sdnotify

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

func listen(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		if runtime.GOOS != "linux" {
			t.Skipf("systemd and its sockets are of Linux: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return c
}

func heard(t *testing.T, c *net.UnixConn) string {
	t.Helper()
	b := make([]byte, 100)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}

func environ(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

func TestSystemdHearsStartEndAndLife(t *testing.T) {
	folder, err := os.MkdirTemp("", "sd") //nolint:usetesting // short: a socket's name may have a hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	name := filepath.Join(folder, "s")
	c := listen(t, name)
	n := FromEnviron(environ(map[string]string{"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000", "WATCHDOG_PID": strconv.Itoa(os.Getpid())}))
	if err := n.Ready(); err != nil || heard(t, c) != "READY=1" {
		t.Errorf("start: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	asked := 0
	watching.Go(func() {
		// Alive once: the socket has room for few signs, and who sends one more waits until
		// somebody reads.
		n.Watch(ctx, func() bool { asked++; return asked == 1 })
	})
	if got := heard(t, c); got != "WATCHDOG=1" {
		t.Errorf("life: %q", got)
	}
	cancel()
	watching.Wait()
	if err := n.Stopping(); err != nil {
		t.Error(err)
	}
	if got := heard(t, c); got != "STOPPING=1" {
		t.Errorf("heard %q", got)
	}
}

func TestASocketWithoutAFileIsFound(t *testing.T) {
	name := "pamline-test-" + strconv.Itoa(os.Getpid())
	c := listen(t, "\x00"+name)
	if err := FromEnviron(environ(map[string]string{"NOTIFY_SOCKET": "@" + name})).Ready(); err != nil || heard(t, c) != "READY=1" {
		t.Errorf("%v", err)
	}
}

func TestElsewhereNobodyIsTold(t *testing.T) {
	n := FromEnviron(environ(nil))
	if err := n.Ready(); err != nil {
		t.Error(err)
	}
	n.Watch(t.Context(), func() bool { t.Error("asked"); return true }) // returns
	if err := (*Notifier)(nil).Stopping(); err != nil {
		t.Error(err)
	}
	other := FromEnviron(environ(map[string]string{"NOTIFY_SOCKET": "/s", "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}))
	if other.every != 0 {
		t.Error("took another process's watchdog for its own")
	}
	if err := other.Ready(); err == nil {
		t.Error("a socket that is not there was told")
	}
}
