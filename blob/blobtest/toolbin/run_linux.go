package toolbin

import (
	"os/exec"
	"runtime"
	"syscall"
)

// Run starts a program and tells when it has ended. The kernel kills it with this process, which
// may die without clean-up. That is bound to the thread that started it, so one thread is kept for
// that.
func Run(cmd *exec.Cmd) (exited <-chan struct{}, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is for its output to say
		}
	}()
	return done, <-started
}
