//go:build !linux

package gateway

import "os/exec"

// run starts the server and tells when it has ended.
func run(cmd *exec.Cmd) (exited <-chan struct{}, err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed, which is an error
		close(done)
	}()
	return done, nil
}
