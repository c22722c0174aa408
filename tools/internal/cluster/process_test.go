//go:build unix

package cluster

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func process(t *testing.T, supervised bool, script string) *Process {
	t.Helper()
	p, err := newProcess(t.TempDir(), "p", supervised, func() *exec.Cmd { return exec.Command("/bin/sh", "-c", script) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func said(t *testing.T, p *Process, word string) bool {
	t.Helper()
	data, err := os.ReadFile(p.Log())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(data), word)
}

// eventually waits for what must come about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	if err := until(t.Context(), 5*time.Minute, what, func() error {
		if is() {
			return nil
		}
		return os.ErrDeadlineExceeded
	}); err != nil {
		t.Fatal(err)
	}
}

func TestSupervisedProcessComesBack(t *testing.T) {
	p := process(t, true, "echo alive; exit 1")
	eventually(t, "it has ended twice", func() bool { return len(p.Ends()) >= 2 })
	p.Kill()
	n := len(p.Ends())
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it ends again", func() bool { return len(p.Ends()) > n })
}

func TestOthersStayAway(t *testing.T) {
	p := process(t, false, "exit 0")
	eventually(t, "it has ended", func() bool { return len(p.Ends()) == 1 })
	if p.Running() {
		t.Error("it runs")
	}
}

func TestNobodyStartsAProcessWhileSomethingHappensWithoutIt(t *testing.T) {
	p := process(t, true, "echo up; while :; do sleep 0.01; done")
	started := make(chan error, 1)
	err := p.Without(func() error {
		go func() { started <- p.Start() }()
		runtime.Gosched()
		if p.alive() {
			t.Error("it runs")
		}
		return nil
	})
	if err := errors.Join(err, <-started); err != nil {
		t.Fatal(err)
	}
	if !p.Running() || len(p.Ends()) > 0 {
		t.Errorf("afterwards: running %t, ends %+v", p.Running(), p.Ends())
	}
}

func TestStopAsksAndKillDoesNot(t *testing.T) {
	p := process(t, true, `trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.01; done`)
	eventually(t, "it is up", func() bool { return said(t, p, "up") })
	if !p.Stop(time.Minute) || !said(t, p, "asked") {
		t.Error("it was not asked")
	}
	if len(p.Ends()) != 0 || p.Running() {
		t.Error("what was stopped counts as fallen, or runs")
	}
	deaf := process(t, true, `trap '' TERM; echo up; while :; do sleep 0.01; done`)
	eventually(t, "it is up", func() bool { return said(t, deaf, "up") })
	if deaf.Stop(time.Millisecond) || deaf.Running() {
		t.Error("what does not listen was not killed")
	}
}

func TestFrozenProcessSaysNothingUntilItThaws(t *testing.T) {
	counting := process(t, true, `i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done`)
	size := func() int64 {
		info, err := os.Stat(counting.Log())
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	eventually(t, "it counts", func() bool { return size() > 50 })
	if err := counting.Freeze(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is still", func() bool {
		before := size()
		time.Sleep(50 * time.Millisecond)
		return size() == before
	})
	at := size()
	if err := counting.Thaw(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it goes on", func() bool { return size() > at })
}
