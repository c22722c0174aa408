package gateway

import (
	"os/exec"
	"runtime"
	"syscall"
)

// run starts the server and tells when it has ended. The kernel kills it with the test process, which may die without
// running its clean-up. That is bound to the thread that started it, so one thread is kept for that.
func run(cmd *exec.Cmd) (exited <-chan struct{}, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it is killed, which is an error
		}
	}()
	return done, <-started
}
