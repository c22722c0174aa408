package fault_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/pamline/pamline/tools/internal/fault"
)

// echo answers what it is sent.
func echo(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return ln.Addr().String()
}

func link(t *testing.T) *fault.Link {
	t.Helper()
	l, err := fault.NewLink(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func dial(t *testing.T, l *fault.Link) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func say(t *testing.T, c net.Conn, s string) {
	t.Helper()
	if _, err := c.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, c net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("heard %q, %v", got, err)
	}
}

func TestCutBreaksWhatIsOpenAndLetsNewOnesThrough(t *testing.T) {
	l := link(t)
	c := dial(t, l)
	say(t, c, "one")
	hear(t, c, "one")
	l.Cut()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection lives")
	}
	c = dial(t, l)
	say(t, c, "two")
	hear(t, c, "two")
}

func TestDownRefusesUntilUp(t *testing.T) {
	l := link(t)
	l.Down()
	if c, err := net.Dial("tcp", l.Addr()); err == nil {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("a connection through a link that is down")
		}
		_ = c.Close()
	}
	l.Up()
	c := dial(t, l)
	say(t, c, "again")
	hear(t, c, "again")
}

func TestHoldKeepsBytesUntilRelease(t *testing.T) {
	for _, d := range []fault.Direction{fault.Requests, fault.Answers} {
		l := link(t)
		c := dial(t, l)
		say(t, c, "x")
		hear(t, c, "x")
		l.Hold(d)
		say(t, c, "kept")
		if err := c.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 8)); err == nil {
			t.Errorf("direction %d: %d bytes came through", d, n)
		}
		l.Release(d)
		hear(t, c, "kept")
	}
}

func TestSlowLinkStillCarriesEverything(t *testing.T) {
	l := link(t)
	l.Slow(time.Millisecond)
	c := dial(t, l)
	say(t, c, "slow but whole")
	hear(t, c, "slow but whole")
}

func TestCutOfHeldBytesLosesThem(t *testing.T) {
	l := link(t)
	c := dial(t, l)
	say(t, c, "x")
	hear(t, c, "x")
	l.Hold(fault.Answers)
	say(t, c, "lost")
	l.Cut()
	l.Release(fault.Answers)
	if got, _ := io.ReadAll(c); len(got) != 0 {
		t.Errorf("%q came through", got)
	}
}
