//go:build !linux

package toolbin

import "os/exec"

// Run starts a program and tells when it has ended.
func Run(cmd *exec.Cmd) (exited <-chan struct{}, err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is for its output to say
		close(done)
	}()
	return done, nil
}
