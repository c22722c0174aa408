// Package sdnotify tells systemd how a service stands (sd_notify(3)): one datagram to the socket
// that NOTIFY_SOCKET names. Elsewhere it does nothing.
package sdnotify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Notifier is the way to systemd. The zero value, and nil, tell nobody.
type Notifier struct {
	socket string
	// every is how often a sign of life is due; 0: never.
	every time.Duration
}

// FromEnviron reads NOTIFY_SOCKET and, for this process, WATCHDOG_USEC.
func FromEnviron(getenv func(string) string) *Notifier {
	n := &Notifier{socket: getenv("NOTIFY_SOCKET")}
	if pid := getenv("WATCHDOG_PID"); n.socket == "" || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return n
	}
	if us, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64); err == nil && us > 0 {
		n.every = time.Duration(us) * time.Microsecond / 2
	}
	return n
}

// Ready says that the service has started.
func (n *Notifier) Ready() error { return n.tell("READY=1") }

// Stopping says that it ends.
func (n *Notifier) Stopping() error { return n.tell("STOPPING=1") }

// Watch gives signs of life until ctx ends; alive says whether there is one. An outage of others is
// none of a dead process.
func (n *Notifier) Watch(ctx context.Context, alive func() bool) {
	if n == nil || n.every <= 0 {
		return
	}
	t := time.NewTicker(n.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if alive() {
				_ = n.tell("WATCHDOG=1") // the next one may get through; if none does, systemd acts
			}
		}
	}
}

func (n *Notifier) tell(state string) error {
	if n == nil || n.socket == "" {
		return nil
	}
	name := n.socket
	if rest, ok := strings.CutPrefix(name, "@"); ok {
		name = "\x00" + rest // a name without a file
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	_, err = c.Write([]byte(state))
	if err = errors.Join(err, c.Close()); err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	return nil
}
