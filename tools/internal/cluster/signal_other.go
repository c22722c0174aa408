//go:build !unix

package cluster

import "syscall"

// Where a process cannot be stopped and go on, both are signals that it does not know, and sending
// them is an error.
const (
	sigStop = syscall.Signal(0)
	sigCont = syscall.Signal(0)
)
