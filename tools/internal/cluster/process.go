package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
)

// restartPause is how long a process that ended by itself stays away, as under a supervisor.
const restartPause = 200 * time.Millisecond

// Process is a program that can be started again and again. Its output goes to one log file.
type Process struct {
	Name string
	// command makes the command of each start.
	command func() *exec.Cmd
	// supervised: when it ends without being told to, it is started again.
	supervised bool
	log        *os.File

	mu      sync.Mutex
	life    *life // nil before the first
	wanted  bool
	ends    []End
	started int
	paused  *time.Timer
}

func newProcess(folder, name string, supervised bool, command func() *exec.Cmd) (*Process, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make log folder: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(folder, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make log of %s: %w", name, err)
	}
	return &Process{Name: name, command: command, supervised: supervised, log: log}, nil
}

// Log is the path of what it has said, of all its lives.
func (p *Process) Log() string { return p.log.Name() }

// Ends are those of its lives that have ended without being told to.
func (p *Process) Ends() []End {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.ends)
}

// Running tells whether there is a process now.
func (p *Process) Running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.alive()
}

func (p *Process) alive() bool { return p.life != nil && !p.life.over() }

// Start starts it unless it runs.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = true
	return p.start()
}

func (p *Process) start() error {
	if p.alive() || !p.wanted {
		return nil
	}
	l := &life{number: p.started + 1, cmd: p.command()}
	l.cmd.Stdout, l.cmd.Stderr = p.log, p.log
	l.from, _ = p.log.Seek(0, io.SeekEnd)                 // else its last words are looked for in the whole log
	_, _ = fmt.Fprintf(p.log, "--- start %d\n", l.number) // a log for people
	var err error
	if l.exited, err = toolbin.Run(l.cmd); err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	p.started, p.life = l.number, l
	go p.watch(l)
	return nil
}

// watch brings a supervised process back. One that is wanted again before it has ended as it was
// told to comes back as well.
func (p *Process) watch(l *life) {
	<-l.exited
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.unexpected() {
		p.ends = append(p.ends, l.end(p.Name, p.Log()))
	}
	if p.life != l || !p.supervised || !p.wanted {
		return
	}
	p.paused = time.AfterFunc(restartPause, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if err := p.start(); err != nil {
			_, _ = fmt.Fprintln(p.log, err) // it stays away, and whoever waits for it will say so
		}
	})
}

// Kill ends it at once.
func (p *Process) Kill() { p.end(syscall.SIGKILL, 0) }

// Without kills it and does something that must not happen while it runs: whoever starts it
// meanwhile waits.
func (p *Process) Without(do func() error) error {
	for {
		p.Kill()
		p.mu.Lock()
		if !p.alive() {
			defer p.mu.Unlock()
			return do()
		}
		p.mu.Unlock() // somebody was quicker
	}
}

// Stop asks it to end and kills it when it has not within patience. It tells whether it ended by
// itself.
func (p *Process) Stop(patience time.Duration) bool { return p.end(syscall.SIGTERM, patience) }

func (p *Process) end(sig syscall.Signal, patience time.Duration) (clean bool) {
	p.mu.Lock()
	p.wanted = false
	if p.paused != nil {
		p.paused.Stop()
	}
	l := p.life
	if !p.alive() {
		p.mu.Unlock()
		return true
	}
	l.tell(sig)
	_ = p.signal(sig) // it may have ended this moment
	p.mu.Unlock()
	if sig != syscall.SIGKILL {
		t := time.NewTimer(patience)
		defer t.Stop()
		select {
		case <-l.exited:
			return true
		case <-t.C:
		}
		p.mu.Lock()
		if p.life == l {
			l.tell(syscall.SIGKILL)
			_ = p.signal(sigCont)
			_ = p.signal(syscall.SIGKILL)
		}
		p.mu.Unlock()
	}
	<-l.exited
	return false
}

// Freeze stops it as a machine does that swaps or is suspended; Thaw lets it go on.
func (p *Process) Freeze() error { return p.locked(sigStop) }

// Thaw ends Freeze.
func (p *Process) Thaw() error { return p.locked(sigCont) }

func (p *Process) locked(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() {
		return nil
	}
	return p.signal(sig)
}

func (p *Process) signal(sig syscall.Signal) error {
	err := p.life.cmd.Process.Signal(sig)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Close kills it and closes its log.
func (p *Process) Close() error {
	p.Kill()
	return p.log.Close()
}
