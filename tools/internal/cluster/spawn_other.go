//go:build !linux

package cluster

import "os/exec"

// spawn starts a process and tells when it has ended.
func spawn(cmd *exec.Cmd) (exited chan struct{}, err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(done)
	}()
	return done, nil
}
