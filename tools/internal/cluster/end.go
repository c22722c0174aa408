package cluster

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// End is how a life of a process ended, other than it was told to.
type End struct {
	Name string
	// Life counts its starts from 1.
	Life int
	// Asked: it was asked to end, and did so in an error.
	Asked bool
	// How is its exit code or the signal that ended it, in words.
	How string
	// Code is the exit code, -1 when a signal ended it.
	Code int
	// Last are the last lines of what this life has said.
	Last []string
}

// lastLines is how many lines are kept of a life, and lastBytes how much of its log is looked at
// for them.
const (
	lastLines = 8
	lastBytes = 16 << 10
)

// life is a process from a start to its end.
type life struct {
	number int
	cmd    *exec.Cmd
	exited <-chan struct{}
	from   int64 // where in the log it begins
	// asked, killed: how it was told to end.
	asked, killed bool
}

func (l *life) over() bool {
	select {
	case <-l.exited:
		return true
	default:
		return false
	}
}

// tell keeps that it was told to end.
func (l *life) tell(sig syscall.Signal) {
	if sig == syscall.SIGKILL {
		l.killed = true
	} else {
		l.asked = true
	}
}

// unexpected tells whether it ended otherwise than it was told to: by itself, or in an error where
// it was asked to end. Only of one that is over.
func (l *life) unexpected() bool {
	switch {
	case l.killed:
		return false
	case l.asked:
		return l.cmd.ProcessState.ExitCode() > 0
	default:
		return true
	}
}

// end reads how it ended, which is over.
func (l *life) end(name, log string) End {
	state := l.cmd.ProcessState
	e := End{Name: name, Life: l.number, Asked: l.asked, How: state.String(), Code: state.ExitCode()}
	text, err := tail(log, l.from)
	if err != nil {
		e.Last = []string{"its log cannot be read: " + err.Error()}
		return e
	}
	if text = bytes.TrimSpace(text); len(text) > 0 {
		e.Last = strings.Split(string(text), "\n")
	}
	e.Last = e.Last[max(0, len(e.Last)-lastLines):]
	return e
}

// tail is the end of a file, of what stands behind from.
func tail(name string, from int64) (text []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(from, size-lastBytes), io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}
